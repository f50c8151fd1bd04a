// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A handful of rows of f32 of any alignment: one or four at a time.
#include "kernels/gemm/thin.cuh"

TILEWISE_THIN_ORDERS(gemm_thin_f32_1, 1)
TILEWISE_THIN_ORDERS(gemm_thin_f32_4, 4)
