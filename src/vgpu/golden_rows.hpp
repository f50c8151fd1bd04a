// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the golden files of golden_tma.hpp have in common: rows of fields, and bytes that are not written
// down but made again from a seed and compared by their hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::vgpu {

/// One line of a CSV file. Numbers that are none throw Error{kInvalidInput} with file, line and column.
class GoldenRow {
 public:
  GoldenRow(std::string source, int line, std::string_view text);

  std::size_t columns() const { return fields_.size(); }
  std::string_view text(std::size_t column) const { return fields_[column]; }
  std::uint64_t number(std::size_t column, int base = 10) const;
  /// Numbers with spaces between them, at most N; the others stay as they are.
  template <class T, std::size_t N> void numbers(std::size_t column, std::array<T, N>& to) const {
    const std::vector<std::int64_t> read = signed_numbers(column, N);
    for (std::size_t i = 0; i < read.size(); ++i) to[i] = static_cast<T>(read[i]);
  }
  std::vector<std::int64_t> signed_numbers(std::size_t column, std::size_t most) const;
  /// What `found` holds; a column whose text stands for nothing is refused.
  template <class T> T known(std::size_t column, const std::optional<T>& found) const {
    if (!found) refuse(column, "a name that is known");
    return *found;
  }
  [[noreturn]] void refuse(std::size_t column, std::string_view expected) const;

 private:
  std::string source_;
  int line_;
  std::vector<std::string_view> fields_;
};

/// The rows behind the first line, `columns` fields each. `text` must outlive them.
std::vector<GoldenRow> golden_rows(std::string_view text, const std::string& source,
                                   std::size_t columns);

/// splitmix64 (Steele, Lea, Flood 2014): the next number of the sequence that `state` stands in.
std::uint64_t splitmix(std::uint64_t& state);

/// FNV-1a, 64 bits.
std::uint64_t hash_of(std::span<const std::byte> bytes);

/// What memory holds before the copies of tensor_copies.csv: the low bytes of one splitmix64 sequence.
struct TensorImages {
  static constexpr std::size_t kGlobal = 1 << 20, kShared = 1 << 16;
  std::vector<std::byte> global,
      shared;  ///< loads begin with bytes of 0xA5 in shared memory instead
};
const TensorImages& tensor_images();

/// Shared memory before the product of a row of wgmma_layouts.csv: 48 KiB. Nothing for a name of elements
/// that stands for none.
std::optional<std::vector<std::byte>> layout_image(std::uint64_t seed, std::string_view elements);

/// Does one row of wgmma_layouts.csv again: the hash of D as the threads of the warpgroup hold it.
std::uint64_t hash_of_layout(const GoldenRow& row);

}  // namespace tilewise::vgpu
