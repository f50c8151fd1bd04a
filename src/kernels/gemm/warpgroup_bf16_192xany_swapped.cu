// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of any width, of Cᵀ: three warpgroups.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_ANY_WIDTH(gemm_warpgroup_bf16_192xany_swapped, ptx::BF16, 192, 192, true)
