// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/outer_fma.cuh"

TILEWISE_OUTER_BY_FMA(gemm_outer_f32, float, 3)
