// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes a matrix covers, and whether two matrices share any. Exact: matrices that lie between
// each other's lines, such as the left and the right half of a larger one, do not overlap.
#pragma once

#include <cstdint>

#include "gemm/arguments.hpp"

namespace tilewise::api {

/// The bytes of a matrix: `lines` >= 1 intervals of `width` >= 1 bytes, one every `distance` >=
/// `width` bytes from the address `begin` on.
struct Footprint {
  std::uintptr_t begin = 0;
  std::int64_t lines = 1, width = 1, distance = 1;

  /// Bytes from the first to behind the last.
  std::uint64_t extent() const noexcept {
    return static_cast<std::uint64_t>(lines - 1) * static_cast<std::uint64_t>(distance) +
           static_cast<std::uint64_t>(width);
  }
};

/// Of a matrix that check_product() has let pass and that has elements.
Footprint footprint_of(const Matrix& matrix) noexcept;

bool overlap(const Footprint& left, const Footprint& right) noexcept;

/// Of `count` matrices like `first`, every `distance` >= 0 bytes: the number of the nearest one
/// that overlaps `first`, or 0 when no two overlap.
std::int64_t first_overlap(const Footprint& first, std::int64_t distance,
                           std::int64_t count) noexcept;

/// Throws Error{kInvalidArgument} when C shares memory with a factor that is read, or matrices C of
/// a batch with one another or with any factor. Debug builds of the library ask, after the checks
/// above.
void check_apart(const Matrix& a, const Matrix& b, const Matrix& c, bool reads_factors,
                 const Names& names);
void check_apart(std::int64_t count, const Batch& a, const Batch& b, const Batch& c,
                 bool reads_factors, const Names& names);

}  // namespace tilewise::api
