// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for sizes that leave the GPU empty else; three blocks share a multiprocessor.
#include "kernels/gemm/mma_accurate.cuh"

TILEWISE_MMA_ACCURATE(gemm_mma_accurate_f32_64x64, 3, 64, 64, 32, 32, 32, 3)
