// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 24 mma_bf16: the same with bf16
// Why: bf16 has f32's range (to 3e38 instead of 65504) for three bits less of precision: what training
// uses, since nothing overflows and nothing needs scaling. It costs the same everywhere: the same bytes,
// the same places, the same rate; of the kernel only the name of the instruction changes. Products are
// exact in both (22 and 16 bits of 24), so what is lost is lost in the rounding of A and B.
// Shared reads per multiply-add: 0.03. Bank conflicts: none.
// Limit now: as in 23. Next: 19 bits in f32's place (25 mma_tf32).
// Measured: 390 TFLOP/s at 4096³ on an H200, 56% of cuBLAS in bf16:
// bench/results/h200/2026-11-21-ladder-tensor-cores-4096.json
#include "kernels/ladder/mma_half.cuh"
#include "kernels/ptx/mma.cuh"

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 2)
    ladder_mma_bf16(int m, int n, int k, float alpha, const Half* __restrict__ A,
                    const Half* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true, ptx::mma_bf16>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 2)
    ladder_mma_bf16_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                        const Half* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false, ptx::mma_bf16>(m, n, k, alpha, A, B, beta, C);
}
