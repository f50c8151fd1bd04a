// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 of small products: a tile so small that 512×512 has one for nearly each multiprocessor.
#include "kernels/gemm/warpgroup_pairs.cuh"

TILEWISE_PAIRS_ORDERS(gemm_warpgroup_pairs_f32_64x32, 32, 4, 12, 1)
