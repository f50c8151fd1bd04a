// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for matrices that the widest does not share out evenly.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TILE(gemm_warpgroup_bf16_128x128, 0, ptx::BF16, 128, 128, 6)
