// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile that brings least from the second-level cache, a quarter less than 128×128 for the same multiplications: for
// matrices whose rows begin within lines of 128 bytes, which are more to bring.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TILE(gemm_warpgroup_f16_128x256, 2, ptx::F16, 128, 256, 4)
