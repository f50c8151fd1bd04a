// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What Op::mode and Op::count say to asynchronous copies and mbarrier operations.
#pragma once

#include <cstdint>

namespace tilewise::vgpu {

enum class MbarrierKind : std::uint8_t {
  kInitialize,
  kInvalidate,
  kArrive,
  kArriveDrop,
  kExpectBytes,
  kCompleteBytes,
  kArriveExpectBytes,
  kArriveDropExpectBytes,
  kCopiesArrive,             ///< cp.async.mbarrier.arrive
  kCopiesArriveNoIncrement,  ///< the same, .noinc
};

/// Op::count of mbarrier operations. r = {address, operand, state}.
enum MbarrierFlags : std::uint8_t {
  kMbarrierWideAddress = 1,
  kMbarrierHasOperand = 2,  ///< a count of arrivals, or of bytes
  kMbarrierHasState = 4,
  kMbarrierRelaxed = 8,  ///< hands no order over
};

/// One cp.async; Op::imm is its index in Program::async_copies. r = {destination, source, source bytes}.
struct AsyncCopyFacts {
  std::int64_t destination_offset = 0, source_offset = 0;
  int bytes = 16;
  bool wide_destination = false;
  bool bypasses_l1 = false;       ///< .cg
  bool has_source_bytes = false;  ///< the rest of `bytes` is filled with zeros
  int ignore_predicate = -1;      ///< lanes for which it holds read nothing
  bool ignore_negated = false;
};

enum class WaitKind : std::uint8_t { kGroups, kAll };

}  // namespace tilewise::vgpu
