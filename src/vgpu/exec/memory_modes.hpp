// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What Op::mode and Op::count say to the lane-by-lane loads, stores and atomics.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tilewise::vgpu {

enum LaneAccessMode : std::uint8_t {
  kSigned = 1,
  kWideRegister = 2,
  kWideAddress = 4,
  kNarrowAddress = 8,   ///< of generic accesses: 32 bits
  kSharedAddress = 16,  ///< of generic accesses: in the shared window
};

enum class AtomicKind : std::uint8_t {
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kCas,
  kExchange,
  kAnd,
  kOr,
  kXor,
};

inline constexpr std::array<std::pair<std::string_view, AtomicKind>, 10> kAtomicNames{{
    {"add", AtomicKind::kAdd},
    {"min", AtomicKind::kMin},
    {"max", AtomicKind::kMax},
    {"inc", AtomicKind::kInc},
    {"dec", AtomicKind::kDec},
    {"cas", AtomicKind::kCas},
    {"exch", AtomicKind::kExchange},
    {"and", AtomicKind::kAnd},
    {"or", AtomicKind::kOr},
    {"xor", AtomicKind::kXor},
}};

/// Op::count of atomics.
enum AtomicFlags : std::uint8_t { kAtomicShared = 1, kAtomicWideAddress = 2, kAtomicResult = 4 };

}  // namespace tilewise::vgpu
