// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for sizes that leave the GPU empty else.
#include "kernels/gemm/mma_16bit.cuh"

TILEWISE_MMA_16BIT_ORDERS(gemm_mma_bf16_64x64, gemm::StripBF16, 4, 64, 64, 64, 32, 32, 3)
