// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile for matrices whose last round it fills: by turns, and a sixth less from the second-level cache than 128×128 for the
// same multiplications.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TURNS(gemm_warpgroup_bf16_128x192_turns, 1, ptx::BF16, 128, 192, 4, 5)
