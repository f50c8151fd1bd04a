// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest tile, for thin matrices, with k in parts.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TILE(gemm_warpgroup_f16_64x64, 0, ptx::F16, 64, 64, 12)
