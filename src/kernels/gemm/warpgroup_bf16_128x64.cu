// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where 128×128 tiles are fewer than multiprocessors.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TILE(gemm_warpgroup_bf16_128x64, 0, ptx::BF16, 128, 64, 8)
