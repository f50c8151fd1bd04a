// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a cluster: they run at the same time and reach each other's shared memory. PTX ISA,
// "Special Registers: %cluster_ctarank", "barrier.cluster". sm_90.
#pragma once

#include "kernels/ptx/address.cuh"

namespace ptx {

// The number of this block in its cluster.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// How many blocks it has: 1 where the launch asked for no cluster.
__device__ __forceinline__ unsigned cluster_blocks() {
  unsigned count;
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(count));
  return count;
}

// The number of the cluster in the grid, and of how many.
__device__ __forceinline__ unsigned cluster_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
  return number;
}
__device__ __forceinline__ unsigned clusters() {
  unsigned count;
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
  return count;
}

// A barrier of all threads of all blocks of the cluster.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// The two halves of it.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// The first half, but of what came before only what a fence stands behind is known to the others afterwards:
// cluster_arrive() waits until all that the threads wrote is seen by the whole GPU.
__device__ __forceinline__ void cluster_arrive_behind_fence() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync_behind_fence() {
  cluster_arrive_behind_fence();
  cluster_wait();
}

// What lies in shared memory of block `rank` where `at` lies in this block's.
__device__ __forceinline__ float4 load_beside(const float4* at, unsigned rank) {
  float4 four;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
               : "r"(address_beside(at, rank))
               : "memory");
  return four;
}
__device__ __forceinline__ double2 load_beside(const double2* at, unsigned rank) {
  double2 two;
  asm volatile("ld.shared::cluster.v2.f64 {%0, %1}, [%2];"
               : "=d"(two.x), "=d"(two.y)
               : "r"(address_beside(at, rank))
               : "memory");
  return two;
}

}  // namespace ptx
