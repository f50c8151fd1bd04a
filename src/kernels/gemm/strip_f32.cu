// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines and columns of a warp, k of a step, stages, warps side by side and along k. More warps than halves have: they
// multiply longer.
#include "kernels/gemm/strip_f32.cuh"

TILEWISE_STRIP_ORDERS(gemm_strip_f32_32x8, gemm::StripWay<gemm::MultiplyFloats>, gemm::StripF32, 32,
                      8, 32, 3, 1, 12)
TILEWISE_STRIP_ORDERS(gemm_strip_f32_32x16, gemm::StripWay<gemm::MultiplyFloats>, gemm::StripF32,
                      32, 16, 32, 2, 1, 16)
TILEWISE_STRIP_ORDERS(gemm_strip_f32_64x32, gemm::StripWay<gemm::MultiplyFloats>, gemm::StripF32,
                      64, 32, 32, 2, 1, 8)
