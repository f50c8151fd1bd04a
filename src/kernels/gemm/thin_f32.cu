// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/thin.cuh"

TILEWISE_THIN_ORDERS(gemm_thin_f32_1, gemm::StripF32, 1)
TILEWISE_THIN_ORDERS(gemm_thin_f32_4, gemm::StripF32, 4)
TILEWISE_THIN_ORDERS(gemm_thin_f32_8, gemm::StripF32, 8)
