// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How `tilewise gemm` cuts a long product: into blocks of C in row-major order, columns outside, rows
// inside. A block is work enough that cutting does not show, and short enough for a sign of life.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tilewise::cli {

/// Rows and columns of one block of C, at least 1.
struct Blocks {
  std::int64_t rows = 1, columns = 1;

  constexpr std::int64_t down(std::int64_t m) const { return (m + rows - 1) / rows; }
  constexpr std::int64_t across(std::int64_t n) const { return (n + columns - 1) / columns; }
};

/// `extent` in equal parts of about `size`, at least kLeast: what is packed of the other factor serves
/// at least so many rows (or columns), and packing costs some hundredths of the multiplications.
inline std::int64_t even_parts(std::int64_t extent, double size) {
  constexpr double kLeast = 2048;
  constexpr std::int64_t kStep = 64;
  const double count = std::ceil(static_cast<double>(extent) / std::max(size, kLeast));
  if (count <= 1) return std::max<std::int64_t>(extent, 1);
  const auto part = static_cast<std::int64_t>(static_cast<double>(extent) / count);
  return (part / kStep + 1) * kStep;
}

/// The blocks of an m×n product of depth k with elements of `element_bytes`, on a machine with so many
/// bytes of memory free. Memory: the columns of B that all rows of A pass by fill at most half of it, so
/// that each is read from the disk once and A once for all of them.
inline Blocks choose_blocks(std::int64_t m, std::int64_t n, std::int64_t k,
                            std::int64_t element_bytes, double memory) {
  constexpr double kWork = 0x1p36;  // multiplications: of the order of a second
  constexpr double kRead = 32;      // an element that has to be read costs as much as so many
  const double rows = static_cast<double>(m), columns = static_cast<double>(n);
  const double depth = static_cast<double>(std::max<std::int64_t>(k, 1));
  Blocks blocks{std::max<std::int64_t>(m, 1), std::max<std::int64_t>(n, 1)};
  const double fit = memory / 2 / (depth * static_cast<double>(element_bytes));
  if (columns > fit) blocks.columns = even_parts(n, fit);

  const auto work = [&](double r, double c) { return depth * (r * c + kRead * (r + c)); };
  const double width = static_cast<double>(blocks.columns);
  if (work(rows, width) <= 2 * kWork) return blocks;
  blocks.rows = even_parts(m, (kWork / depth - kRead * width) / (width + kRead));
  const double height = static_cast<double>(blocks.rows);
  if (work(height, width) <= 2 * kWork) return blocks;
  const double narrow = (kWork / depth - kRead * height) / (height + kRead);
  if (narrow < width) blocks.columns = even_parts(n, narrow);
  return blocks;
}

}  // namespace tilewise::cli
