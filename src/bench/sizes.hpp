// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a ladder's problem, and what they ask of the machine: checked before anything is
// allocated.
#pragma once

#include <cstdint>

#include "bench/ladder.hpp"

namespace tilewise::bench {

struct Sizes {
  std::int64_t m = 0, n = 0, k = 0;

  /// Multiply-adds of the product. Exact for sizes that check_request() passed.
  double products() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Up to this many multiply-adds (about a second on two cores) every element is held against an f64
/// reference; beyond it a sample of rows is, and the whole matrix through checks of O(n²) work.
constexpr double kFullCheckProducts = 2147483648.0;  // 2^31: 1290³

/// m, n and k of the request: those of its files where it has files and names no sizes. Throws
/// Error{kInvalidInput} when the shapes do not multiply, Error{kInvalidArgument} when the request's
/// sizes are not the files'.
Sizes resolve_sizes(const LadderRequest& request);

/// Throws Error{kInvalidArgument} for sizes that are negative, too large for 64-bit byte counts, for
/// the kernels' `int` parameters or for a rung's grid, and Error{kOutOfMemory} for more memory than
/// `device` or this machine has.
void check_request(const device::Device& device, const LadderRequest& request, const Sizes& sizes);

/// The same for the CPU's ladder, which asks for nothing but memory of this machine.
void check_cpu_request(const LadderRequest& request, const Sizes& sizes);

}  // namespace tilewise::bench
