// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads from shared memory by its own 32-bit addresses, in the order in which they are written down.
#pragma once

namespace ptx {

__device__ __forceinline__ double load_shared(unsigned address) {
  double value;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address));
  return value;
}

// The same value, which the compiler keeps in a register: it would else compute cheap ones again and again.
__device__ __forceinline__ unsigned kept(unsigned value) {
  asm volatile("" : "+r"(value));
  return value;
}

}  // namespace ptx
