// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines and columns of a warp, k of a step, stages, warps side by side and along k.
#include "kernels/gemm/strip_any.cuh"

TILEWISE_STRIP_ORDERS(gemm_strip_f32_32x16_any, gemm::RawFloatsWay, gemm::StripF32, 32, 16, 32, 2,
                      1, 12)
