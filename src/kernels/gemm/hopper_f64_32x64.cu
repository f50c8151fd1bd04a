// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// x
#include "kernels/gemm/hopper_f64.cuh"

// Blocks a multiprocessor, cluster; tile, a warp's share of it, k a stage, stages, registers.
TILEWISE_HOPPER_F64_ORDERS(gemm_hopper_f64_32x64, 2, 1, 32, 64, 16, 32, 16, 6, 0)
