// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the last block to finish adds up what the others left in global memory, but no fence stands
// between their stores and the counter.
#include "ptx.cuh"

template <bool kFixed>
__global__ void global_last_block(const int* in, int* partial, unsigned* counter, int* out) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = 10 * in[blockIdx.x];  // BUG: races
  if (kFixed) __threadfence();
  if (atomicAdd(counter, 1) + 1 != gridDim.x) return;
  if (kFixed) __threadfence();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < gridDim.x; ++i) {
    sum += *static_cast<volatile int*>(partial + i);  // BUG: races
  }
  *out = sum;
}

TILEWISE_TWINS(global_last_block, const int* in, int* partial, unsigned* counter, int* out);
