// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 23 mma_f16: ldmatrix and mma.sync instead of wmma
// Why: mma.sync says which lane holds which element. So the sums go straight from registers to C, the
// fragments of the next 16 k are read while the tensor cores multiply these, and ldmatrix turns B as it
// reads it. Copies go past the registers, two steps ahead (21 cp_async), and the swizzle (mma_half.cuh)
// takes the place of padding. What that frees, the warp's tile takes: 64×64.
// Shared reads per multiply-add: 128 elements a k for 4096: 0.03, in halves. Bank conflicts: none.
// Limit now: mma.sync itself, which feeds tensor cores from registers, a warp at a time: Hopper's want
// more. Next: other types (24 to 26), then what Hopper made for it (27 wgmma).
// Measured: 372 TFLOP/s at 4096³ on an H200, 56% of cuBLAS in f16, 1.5 times rung 22:
// bench/results/h200/2026-11-21-ladder-tensor-cores-4096.json
#include "kernels/ladder/mma_half.cuh"
#include "kernels/ptx/mma.cuh"

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 2)
    ladder_mma_f16(int m, int n, int k, float alpha, const Half* __restrict__ A,
                   const Half* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true, ptx::mma_f16>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 2)
    ladder_mma_f16_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                       const Half* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false, ptx::mma_f16>(m, n, k, alpha, A, B, beta, C);
}
