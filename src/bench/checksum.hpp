// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tilewise::bench {

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): the same on every machine.
constexpr std::uint64_t fnv1a(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const std::byte byte : bytes) {
    hash ^= static_cast<std::uint64_t>(byte);
    hash *= 0x100000001B3u;
  }
  return hash;
}

}  // namespace tilewise::bench
