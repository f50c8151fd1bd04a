// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What all probes share. A probe is launched as one warp and makes exactly one warp-wide access of
// its kind, so that what a profiler counts of that kind is the access's own cost. Nothing else may
// count as one: offsets arrive by value, in constant memory, and results of loads leave through
// stores to global memory, which no load counter sees.
#pragma once

namespace tilewise::probe {

// As src/model/golden_access.hpp has it: no offset plus width lies beyond.
constexpr unsigned kBytes = 16384;

// A byte offset a lane from a base aligned to 1024.
struct LaneOffsets {
  unsigned bytes[32];
};

// A copy that the compiler cannot see through.
__device__ inline unsigned opaque(unsigned value) {
  unsigned copy;
  asm("mov.b32 %0, %1;" : "=r"(copy) : "r"(value));
  return copy;
}

// The lane's own offset, chosen among all of them. Indexing the parameter by lane, which the compiler
// would make of the same choice without opaque(), copies it to local memory first.
__device__ inline unsigned own_offset(const LaneOffsets& offsets) {
  unsigned own = 0;
#pragma unroll
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned offset = opaque(offsets.bytes[lane]);
    own = threadIdx.x == lane ? offset : own;
  }
  return own;
}

__device__ inline bool is_active(unsigned mask) { return (mask >> threadIdx.x) & 1; }

// The shared-memory address of the lane's place in `pool`.
__device__ inline unsigned shared_address(const char* pool, const LaneOffsets& offsets) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pool)) + own_offset(offsets);
}

}  // namespace tilewise::probe
