// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for 64 columns, and for results that larger tiles fill badly.
#include "kernels/gemm/hopper_f64.cuh"

// Blocks a multiprocessor; tile, a warp's share of it, k a stage, stages, registers.
TILEWISE_HOPPER_F64_ORDERS(TILEWISE_HOPPER_F64, gemm_hopper_f64_128x64, 2, 128, 64, 64, 32, 16, 4,
                           232)
