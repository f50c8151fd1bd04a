// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/simt_f32_small.cuh"

TILEWISE_SMALL_ORDERS(gemm_simt_f32_small_16x32_aligned, 2, Floats, 4, 16, 32)
TILEWISE_SMALL_ORDERS(gemm_simt_f32_small_16x16_aligned, 2, Floats, 4, 16, 16)
TILEWISE_SMALL_ORDERS(gemm_simt_f32_small_16x16, 2, Floats, 1, 16, 16)
