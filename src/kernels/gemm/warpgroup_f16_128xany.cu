// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of any width: two warpgroups.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_ANY_WIDTH(gemm_warpgroup_f16_128xany, ptx::F16, 128, 256, false)
