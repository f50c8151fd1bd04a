// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Words of global memory by which the blocks of a grid tell each other how far they are, and nothing else: what a block wrote
// before is not there because such a word is. PTX ISA, "ld", "st" and "red", .relaxed.
#pragma once

namespace ptx {

__device__ __forceinline__ unsigned load_relaxed(const unsigned* from) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(from)));
  return value;
}

__device__ __forceinline__ void store_relaxed(unsigned* to, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
               "r"(value));
}

__device__ __forceinline__ void add_relaxed(unsigned* to, unsigned value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
               "r"(value));
}

}  // namespace ptx
