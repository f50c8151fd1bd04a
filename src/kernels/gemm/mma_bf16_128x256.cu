// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for large products: the fewest bytes of shared memory for a multiplication.
#include "kernels/gemm/mma_16bit.cuh"

TILEWISE_MMA_16BIT_ORDERS(gemm_mma_bf16_128x256, gemm::StripBF16, 1, 128, 256, 64, 64, 64, 3)
