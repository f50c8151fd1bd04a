// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden access files: what real hardware counted for single warp-wide memory instructions, and the
// access rules held against it. Format: tests/golden/README.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/access.hpp"

namespace tilewise::model {

/// What a GPU counts for one instruction. Absent: does not apply, or was not measured.
struct AccessCounts {
  std::optional<int> shared_wavefronts, shared_bank_conflicts, global_requests, global_sectors;
  friend bool operator==(const AccessCounts&, const AccessCounts&) = default;
};

/// One row: an instruction that one warp executes once.
struct GoldenAccess {
  int id = 0;
  std::string access;      ///< "ld.shared", "ldmatrix.x4", "st.global", "cp.async.cg.shared", …
  int bytes_per_lane = 0;  ///< 1, 2, 4, 8 or 16; 16 for ldmatrix and stmatrix
  std::string pattern;     ///< a name for people
  std::uint32_t active_mask = 0xFFFFFFFF;
  LaneAddresses offsets{};  ///< bytes from a base aligned to 1024
  LaneAddresses from{};  ///< of cp.async.ca|cg.both: the global side; `offsets` is the shared one
  AccessCounts expected;
  friend bool operator==(const GoldenAccess&, const GoldenAccess&) = default;
};

/// What the access rules say. Throws Error{kInvalidInput} for an access there is no rule for.
AccessCounts evaluate(const GoldenAccess& row);

/// Reads a file's text. Throws Error{kInvalidInput} with `source_name`, line and what was expected.
std::vector<GoldenAccess> parse_golden_access(std::string_view csv, const std::string& source_name);

/// The text of a file with these rows.
std::string to_csv(std::span<const GoldenAccess> rows);

/// No offset plus width of capture_patterns() lies beyond this many bytes.
inline constexpr std::uint64_t kCaptureBytes = 16384;

/// Instructions worth capturing, expected counts absent: strides, rows, tiles, random, pools,
/// lanes that share addresses in pairs, partial masks; for every access and width.
std::vector<GoldenAccess> capture_patterns(std::uint64_t seed);

struct GoldenMismatch {
  std::filesystem::path file;
  int id = 0;
  std::string access;
  int bytes_per_lane = 0;
  std::string pattern;
  AccessCounts expected, computed;
};

/// "row 17 ld.shared 8 stride3: expected 6 wavefronts, computed 4", one line.
std::string to_text(const GoldenMismatch& mismatch);

struct GoldenFile {
  std::filesystem::path file;
  int rows = 0;
  int matches = 0;
  int not_measured = 0;  ///< rows without any count: neither a match nor a mismatch
};

struct GoldenReport {
  std::vector<GoldenFile> files;
  int rows = 0, matches = 0, not_measured = 0;     ///< of all files together
  std::vector<GoldenMismatch> first_mismatches;    ///< at most kMostMismatches
  std::vector<std::filesystem::path> not_checked;  ///< files no rule of this version looks at

  int mismatches() const { return rows - matches - not_measured; }
};

inline constexpr std::size_t kMostMismatches = 10;

/// Evaluates `rows` and adds the outcome to `report` under the name `file`.
void check_rows(std::span<const GoldenAccess> rows, const std::filesystem::path& file,
                GoldenReport& report);

/// Evaluates every memory_access.csv and async_copy.csv in `folder` and in its subfolders (one level), by name.
/// Throws Error{kInvalidInput} when there is none, or when one cannot be read.
GoldenReport check_golden(const std::filesystem::path& folder);

}  // namespace tilewise::model
