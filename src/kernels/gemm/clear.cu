// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets the counters of divided sums to 0. A kernel, not a memset: the product may begin while it runs.
#include "kernels/ptx/grid.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gemm_clear(unsigned* __restrict__ words, long long count) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    words[i] = 0;
}
