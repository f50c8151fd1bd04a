// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of any width, of Cᵀ: three warpgroups.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_ANY_WIDTH(gemm_warpgroup_f16_192xany_swapped, ptx::F16, 192, 192, true)
