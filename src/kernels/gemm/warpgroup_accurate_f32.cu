// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32: a tile for matrices that fill the GPU, and half of it for those that do not. No wider ones:
// suspects.cuh counts in 128 columns.
#include "kernels/gemm/warpgroup_accurate.cuh"

TILEWISE_ACCURATE(gemm_accurate_f32_128x128, 2, 32, 128, 128, 64, 3)
TILEWISE_ACCURATE(gemm_accurate_f32_128x64, 1, 16, 128, 64, 64, 4)
TILEWISE_ACCURATE(gemm_accurate_f32_64x80, 1, 16, 64, 80, 64, 5)
