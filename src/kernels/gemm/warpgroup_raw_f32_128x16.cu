// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 of a large factor and of 16 columns of a small one.
#include "kernels/gemm/warpgroup_raw.cuh"

TILEWISE_RAW_ORDERS(gemm_warpgroup_raw_f32_128x16, 16, 5)
