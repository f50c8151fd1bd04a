// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for products that fill the GPU.
#include "kernels/gemm/mma_accurate.cuh"

TILEWISE_MMA_ACCURATE(gemm_mma_accurate_f32_128x128, 1, 128, 128, 32, 64, 32, 3)
