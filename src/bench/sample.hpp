// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which lines of a matrix, or products of a batch, a check looks at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/random.hpp"

namespace tilewise::bench {

/// Of 0 .. count - 1, count >= 1: the first, the last, and random ones between, `wanted` in all (two at least) or as many
/// as there are. The same for the same seed.
inline std::set<std::int64_t> sample_of(std::int64_t count, std::int64_t wanted,
                                        std::uint64_t seed) {
  std::set<std::int64_t> chosen{0, count - 1};
  const auto size = static_cast<std::size_t>(std::min(wanted, count));
  for (std::uint64_t i = 0; chosen.size() < size; ++i)
    chosen.insert(static_cast<std::int64_t>(mix64(seed + i) % static_cast<std::uint64_t>(count)));
  return chosen;
}

}  // namespace tilewise::bench
