// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// prefetch: brings the cache line of an address in global memory to the second-level cache, and nothing else. Nobody waits
// for it. PTX ISA, "Data Movement and Conversion Instructions: prefetch".
#pragma once

namespace ptx {

__device__ __forceinline__ void prefetch_to_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

}  // namespace ptx
