// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 of small products whose tiles of half the width still find a multiprocessor each.
#include "kernels/gemm/warpgroup_pairs.cuh"

TILEWISE_PAIRS_ALONG_K(gemm_warpgroup_pairs_f32_64x16, 16, 4, 12, 1)
