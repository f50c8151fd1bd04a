// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels use besides arithmetic. Each has one array of 32-bit words, and one warp runs it.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cassert>
#include <cstdio>

namespace cg = cooperative_groups;

__constant__ int offsets[4] = {100, 200, 300, 400};

// Neither of the host nor of the device: common in kernels, where sizes are worked out.
constexpr int log2_of(int n) { return n > 1 ? 1 + log2_of(n / 2) : 0; }

extern "C" {

__global__ void logs(int* x) { x[threadIdx.x] = log2_of(x[threadIdx.x]); }

__global__ void prints(const int* x) {
  if (threadIdx.x < 2) {
    printf("lane %d: %5.2f %s %lld|%-4u|%c %%\n", threadIdx.x, x[threadIdx.x] * 0.5, "text",
           -5000000000ll, x[0] + 7u, 'z');
  }
}

__global__ void asserts(int* x) {
  assert(x[threadIdx.x] != 5);
  x[threadIdx.x] = 1;
}

__global__ void sums(int* x) {
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  int value = x[warp.thread_rank()];
  for (int step = 16; step > 0; step /= 2) value += warp.shfl_down(value, step);
  if (warp.thread_rank() == 0) atomicAdd(&x[0], value);
  warp.sync();
  if (warp.thread_rank() == 1) x[1] = __dp4a(0x01020304, 0x01010101, offsets[x[2] & 3]);
}

// An array that an index of the data picks from lies in local memory; a switch becomes a table of jumps.
__global__ void picks(int* x) {
  int table[8];
  for (int i = 0; i < 8; ++i) table[i] = i * i;
  const int which = x[threadIdx.x];
  int value = table[which & 7];
  switch (which) {
    case 0: value += 11; break;
    case 1: value *= 3; break;
    case 2: value -= 7; break;
    case 3: value ^= 21; break;
    case 4: value = -value; break;
    case 5: value <<= 2; break;
    default: break;
  }
  x[threadIdx.x] = value;
}

__global__ void copies(int* x) {
  __shared__ alignas(16) int staged[32];
  extern __shared__ int scratch[];
  __pipeline_memcpy_async(&staged[threadIdx.x], &x[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  scratch[threadIdx.x] = staged[31 - threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = scratch[threadIdx.x] + 1;
}

__global__ void halves(int* x) {
  const __half2 pair = __halves2half2(__int2half_rn(x[threadIdx.x]), __float2half(0.5f));
  const __half2 twice = __hfma2(pair, pair, __float2half2_rn(1.0f));
  x[threadIdx.x] = __half2int_rn(__low2half(twice)) * 100 +
                   __half2int_rn(__hmul(__high2half(twice), __float2half(4.0f)));
}
}
