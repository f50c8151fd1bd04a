// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for middle sizes: four times the blocks, 12 values read for 32 FMAs.
#include "kernels/gemm/simt_f32.cuh"

using Shape = gemm::SimtShape<64, 64, 16, 32, 32, 8, 4, 3>;
constexpr int kBlocks = 3;  // that share a multiprocessor, at least

TILEWISE_SIMT_F32_ORDERS(gemm_simt_f32_64x64)
