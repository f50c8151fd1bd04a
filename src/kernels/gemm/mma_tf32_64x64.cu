// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for sizes that leave the GPU empty else.
#include "kernels/gemm/mma_tf32.cuh"

TILEWISE_MMA_TF32_ORDERS(gemm_mma_tf32_64x64, 4, 64, 64, 32, 32, 32, 3)
