// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for matrices that fill the GPU.
#include "kernels/gemm/hopper_f64.cuh"

// Blocks a multiprocessor; tile, a warp's share of it, k a stage, stages, registers.
TILEWISE_HOPPER_F64_ORDERS(TILEWISE_HOPPER_F64, gemm_hopper_f64_128x128, 1, 128, 128, 64, 32, 16, 6,
                           240)
