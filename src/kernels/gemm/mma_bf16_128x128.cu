// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for products in the middle; two blocks share a multiprocessor.
#include "kernels/gemm/mma_16bit.cuh"

TILEWISE_MMA_16BIT_ORDERS(gemm_mma_bf16_128x128, gemm::StripBF16, 2, 128, 128, 32, 64, 64, 4)
