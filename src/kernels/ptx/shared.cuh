// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads from shared memory by its own 32-bit addresses, in the order in which they are written down.
#pragma once

namespace ptx {

__device__ __forceinline__ void load_shared(double (&value)[1], unsigned address) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value[0]) : "r"(address));
}
__device__ __forceinline__ void load_shared(double (&pair)[2], unsigned address) {
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(pair[0]), "=d"(pair[1]) : "r"(address));
}

// The same value, which the compiler keeps in a register: it would else compute cheap ones again and again.
__device__ __forceinline__ unsigned kept(unsigned value) {
  asm volatile("" : "+r"(value));
  return value;
}

// The same where ptxas would compute it again, which sees through that: what a shuffle gives it has to keep.
__device__ __forceinline__ unsigned pinned(unsigned value) {
  return __shfl_sync(0xFFFFFFFF, value, threadIdx.x % 32);
}

}  // namespace ptx
