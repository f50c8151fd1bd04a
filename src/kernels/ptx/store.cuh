// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Stores of 8 and 16 bytes to global memory, aligned to as many, where the compiler would take them apart.
// PTX ISA, "st", .v2 and .v4.
#pragma once

namespace ptx {

__device__ __forceinline__ void store_8(void* to, unsigned a, unsigned b) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(a),
               "r"(b)
               : "memory");
}

__device__ __forceinline__ void store_16(void* to, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

}  // namespace ptx
