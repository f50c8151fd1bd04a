// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random matrices that are the same on every machine: a counter-based generator, so element i of a
// matrix does not depend on how many threads filled it. The 64-bit mixer is SplitMix64's
// (Steele, Lea and Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace tilewise {

constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Uniform in [-1, 1), a multiple of 2^-23: exact in f32. `stream` tells matrices apart.
constexpr double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const std::uint64_t bits = mix64(mix64(seed * 0x100000001B3u + stream) + index);
  return static_cast<double>(bits >> 40) * 0x1p-23 - 1.0;
}

}  // namespace tilewise
