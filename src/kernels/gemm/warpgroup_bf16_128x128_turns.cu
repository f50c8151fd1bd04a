// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for most matrices that fill the GPU: warpgroups take turns, so that storing one hides behind multiplying
// the next.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TURNS(gemm_warpgroup_bf16_128x128_turns, 1, ptx::BF16, 128, 128, 6, 6)
