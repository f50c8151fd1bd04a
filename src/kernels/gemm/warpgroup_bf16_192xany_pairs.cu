// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of any width: three warpgroups, pairs of blocks that share B.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_ANY_WIDTH_ORDERS(gemm_warpgroup_bf16_192xany_pairs, 2, ptx::BF16, 192, 192)
