// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async: copies from global to shared memory that bypass the registers and are waited for in groups.
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy, non-bulk". sm_80.
#pragma once

#include "kernels/ptx/address.cuh"

namespace ptx {

// Copies 16 bytes, or writes 16 zero bytes where `inside` is false; then `from` is not read. Both
// addresses are aligned to 16. Bypasses the L1 cache.
__device__ __forceinline__ void cp_async_16(void* to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(inside ? 16 : 0)
               : "memory");
}

// The same, and the second-level cache is to bring all of the 256 bytes that these are of.
__device__ __forceinline__ void cp_async_16_of_256(void* to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(inside ? 16 : 0)
               : "memory");
}

// Copies the first `bytes` of 16 (0 to 16) and writes zeros behind them; what lies beyond is not read.
__device__ __forceinline__ void cp_async_up_to_16(void* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes)
               : "memory");
}

// cp_async_16() for 8 and for 4 bytes, by way of the L1 cache.
__device__ __forceinline__ void cp_async_8(void* to, const void* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(inside ? 8 : 0)
               : "memory");
}
__device__ __forceinline__ void cp_async_4(void* to, const void* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(inside ? 4 : 0)
               : "memory");
}

// Closes the group of all copies that this thread issued since the last group; it may be empty.
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most kPending of this thread's youngest groups are still on their way. Other threads'
// copies need a barrier behind their own waits.
template <int kPending> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace ptx
