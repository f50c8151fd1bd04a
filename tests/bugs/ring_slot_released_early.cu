// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the consumer hands a slot back before it has read it: the producer's next bulk copy may overwrite
// what is still needed.
#include "ptx.cuh"

template <bool kFixed> __global__ void ring_slot_released_early(const int* in, int* out) {
  __shared__ alignas(128) int ring[2][32];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 2; ++slot)
      barrier_init(&full[slot], 1), barrier_init(&empty[slot], 32);
    fence_async();
  }
  __syncthreads();
  if (threadIdx.x == 0) {  // the producer
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      barrier_wait(&empty[k % 2], k / 2 % 2 ^ 1);
      barrier_arrive_expect(&full[k % 2], 128);
      bulk_load(ring[k % 2], in + 32 * k, 128, &full[k % 2]);  // BUG: races
    }
  } else if (threadIdx.x >= 32) {  // the consumers
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      barrier_wait(&full[k % 2], k / 2 % 2);
      if (!kFixed) barrier_arrive(&empty[k % 2]);
      out[32 * k + threadIdx.x - 32] = ring[k % 2][threadIdx.x - 32];  // BUG: races
      if (kFixed) barrier_arrive(&empty[k % 2]);
    }
  }
}

TILEWISE_TWINS(ring_slot_released_early, const int* in, int* out);
