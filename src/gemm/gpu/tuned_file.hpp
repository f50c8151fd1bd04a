// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of tuned plans: a SQLite database with one table. Several programs may read it while one writes; a
// plan is written in a transaction of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemm/gpu/tuned.hpp"

namespace tilewise::gpu {

/// Whose measurements they are. Plans are looked up for exactly one.
struct TunedOn {
  std::string gpu;         ///< "NVIDIA H200"
  std::string capability;  ///< "9.0"
  int multiprocessors = 0;
  std::string kernels;  ///< fingerprint of the library's kernels
  bool operator==(const TunedOn&) const = default;
};
TunedOn tuned_on(const model::Gpu& gpu);

struct TunedRow {
  TunedOn on;
  TunedKey key;
  TunedPlan tuned;
};

class TunedFile {
 public:
  static constexpr int kApplicationId = 0x54696C65;  // "Tile", in the header of the file
  static constexpr int kSchema = 1;                  // PRAGMA user_version

  /// Opens a file that is there. Throws Error{kInvalidInput} with the reason, without the file's name: no such file,
  /// not a database, another program's, a later version's, locked, damaged; Error{kUnsupported} without SQLite.
  static TunedFile to_read(const std::string& path);
  /// The same for writing, and where there is no file, or an empty one, it is made, with the folders on the way.
  static TunedFile to_write(const std::string& path);

  TunedFile(TunedFile&&) noexcept;
  ~TunedFile();

  struct Rows {
    std::vector<TunedRow> rows;
    std::vector<std::string> refused;  ///< why others could not be read
  };
  /// All, or those of `on`, in the order of their keys.
  Rows rows(const std::optional<TunedOn>& on = {});

  /// In the place of what was there under the same key.
  void store(const TunedRow& row);
  /// Takes all rows away, or those that are not of `but`. Returns how many.
  std::int64_t forget(const std::optional<TunedOn>& but = {});

 private:
  struct State;
  explicit TunedFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tilewise::gpu
