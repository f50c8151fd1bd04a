// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async.bulk.tensor: the tensor memory accelerator copies a box of a matrix from global to shared memory, asked for by
// one thread, or back. What lies outside the matrix arrives as zeros, and is not stored. PTX ISA, "Data
// Movement and Conversion Instructions: cp.async.bulk.tensor". sm_90.
#pragma once

#include "kernels/ptx/mbarrier.cuh"

namespace ptx {

// The driver's description of a matrix in global memory and of the box that is copied (CUtensorMap): a
// kernel parameter declared __grid_constant__.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

// Copies the box whose first element is (row, column). `to` is aligned to 128 (to 1024 where the map
// swizzles by 128 bytes); `full` hears of the bytes as they arrive.
__device__ __forceinline__ void tma_load(void* to, const TensorMap& map, int row, int column,
                                         Barrier* full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(full))
      : "memory");
}

// The same into every block of the cluster whose bit is set in `blocks`, at the place of `to` in each;
// the barrier at the place of `full` in each hears of the bytes.
__device__ __forceinline__ void tma_load_multicast(void* to, const TensorMap& map, int row,
                                                   int column, Barrier* full,
                                                   unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(full)), "h"(blocks)
      : "memory");
}

// The same for a map of rank 3, by coordinates as the map counts its dimensions: x along the rows.
__device__ __forceinline__ void tma_load_3d(void* to, const TensorMap& map, int x, int y, int z,
                                            Barrier* full) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(full))
      : "memory");
}

__device__ __forceinline__ void tma_load_3d_multicast(void* to, const TensorMap& map, int x, int y,
                                                      int z, Barrier* full, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(full)), "h"(blocks)
      : "memory");
}

// Copies a box from shared memory to the matrix, of a map of rank 3, where `does`: what of the box is inside. What this
// thread has asked for since its last bulk_commit() is a group.
__device__ __forceinline__ void tma_store_3d_if(bool does, const TensorMap& map, int x, int y,
                                                int z, const void* from) {
  asm volatile(
      "{\n.reg .pred does;\nsetp.ne.u32 does, %0, 0;\n"
      "@does cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group "
      "[%1, {%2, %3, %4}], [%5];\n}" ::"r"(static_cast<unsigned>(does)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(from))
      : "memory");
}
__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until all but this thread's last kLast groups have read shared memory.
template <int kLast> __device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLast) : "memory");
}

// Fetches the description itself, so that the first copy does not wait for it.
__device__ __forceinline__ void tma_prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

}  // namespace ptx
