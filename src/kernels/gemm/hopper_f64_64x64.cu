// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for sizes that leave the GPU empty else.
#include "kernels/gemm/hopper_f64.cuh"

// Blocks a multiprocessor; tile, a warp's share of it, k a stage, stages, registers.
TILEWISE_HOPPER_F64_ORDERS(TILEWISE_HOPPER_F64, gemm_hopper_f64_64x64, 2, 64, 64, 32, 32, 32, 3,
                           232)
