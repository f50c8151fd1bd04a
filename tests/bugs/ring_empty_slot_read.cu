// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the consumer's first phase is the producer's: waiting for parity 1 of a new mbarrier returns at
// once, and the slot it reads is still empty. If it is full already, the wait never ends.
#include "ptx.cuh"

template <bool kFixed> __global__ void ring_empty_slot_read(const int* in, int* out) {
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
      barrier_wait(&empty[k % 2], k / 2 % 2 ^ 1);  // also: sync
      barrier_arrive_expect(&full[k % 2], 128);
      bulk_load(ring[k % 2], in + 32 * k, 128, &full[k % 2]);  // BUG: races
    }
  } else if (threadIdx.x >= 32) {  // the consumers
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      barrier_wait(&full[k % 2], kFixed ? k / 2 % 2 : k / 2 % 2 ^ 1);  // or: sync
      out[32 * k + threadIdx.x - 32] = ring[k % 2][threadIdx.x - 32];  // BUG: races, uninitialized
      barrier_arrive(&empty[k % 2]);
    }
  }
}

TILEWISE_TWINS(ring_empty_slot_read, const int* in, int* out);
