// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What Op::mode says to handlers that have more than one way of doing their work.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewise::vgpu {

/// Floating-point arithmetic. Zero: round to nearest even, subnormals kept.
enum FloatMode : std::uint8_t {
  kRoundNearest = 0,
  kRoundZero = 1,
  kRoundDown = 2,
  kRoundUp = 3,
  kRoundMask = 3,
  kFlush = 4,     ///< .ftz: subnormal f32 operands and results are zeros
  kSaturate = 8,  ///< .sat: clamp to [0, 1], NaN to 0; of integers: clamp to the type
  kKeepNan = 16,  ///< .NaN of min and max: NaN wins
  kRelu = 32,
  kRoundToInteger = 64,  ///< .rni and its like
  kRoundAway = 128,      ///< .rna: ties go away from zero
};

/// setp and set.
enum SetpMode : std::uint8_t {
  kCombineAnd = 1,
  kCombineOr = 2,
  kCombineXor = 3,
  kCombineMask = 3,
  kSetpNegated = 4,  ///< the predicate it is combined with
  kSetpSecond = 8,   ///< writes the complement too
  kSetpFlush = 16,
};

// clang-format off
enum class Special : std::uint8_t {
  kTidX, kTidY, kTidZ, kNtidX, kNtidY, kNtidZ, kCtaidX, kCtaidY, kCtaidZ, kNctaidX, kNctaidY, kNctaidZ,
  kLaneid, kWarpid, kNwarpid, kSmid, kNsmid, kGridid, kLanemaskEq, kLanemaskLe, kLanemaskLt,
  kLanemaskGe, kLanemaskGt, kClock, kClockHi, kClock64, kGlobaltimer, kGlobaltimerLo, kGlobaltimerHi,
  kDynamicSharedSize, kTotalSharedSize, kZero,
  kClusteridX, kClusteridY, kClusteridZ, kNclusteridX, kNclusteridY, kNclusteridZ,
  kClusterCtaidX, kClusterCtaidY, kClusterCtaidZ, kClusterNctaidX, kClusterNctaidY, kClusterNctaidZ,
  kClusterCtarank, kClusterNctarank,
};
// clang-format on
/// The special register of that name, without the %.
std::optional<Special> find_special(std::string_view name);

}  // namespace tilewise::vgpu
