// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/mma_16bit_small.cuh"

TILEWISE_SMALL_ORDERS(gemm_mma_bf16_small_16x32_aligned, 2, Halves, gemm::StripBF16, 8, 16, 32)
