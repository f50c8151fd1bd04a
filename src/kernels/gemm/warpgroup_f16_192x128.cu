// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for matrices that others of its size do not share out evenly: three warpgroups, 64 sums a thread.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TILE(gemm_warpgroup_f16_192x128, 2, ptx::F16, 192, 128, 4)
