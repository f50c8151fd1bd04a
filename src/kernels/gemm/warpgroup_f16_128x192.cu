// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for matrices that 256 columns do not share out evenly.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TILE(gemm_warpgroup_f16_128x192, 1, ptx::F16, 128, 192, 4)
