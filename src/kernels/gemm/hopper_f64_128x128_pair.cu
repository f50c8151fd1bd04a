// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The same by clusters of two blocks, which fetch what both read of B once.
#include "kernels/gemm/hopper_f64.cuh"

// Blocks a multiprocessor, cluster; tile, a warp's share of it, k a stage, stages, registers.
TILEWISE_HOPPER_F64_ORDERS(gemm_hopper_f64_128x128_pair, 1, 2, 128, 128, 64, 32, 16, 6, 240)
