// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for matrices that fill the GPU several times: 80 bytes of shared memory for 128 cycles of wgmma.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_ORDERS(gemm_warpgroup_bf16_128x256, 2, ptx::BF16, 128, 256, 4)
