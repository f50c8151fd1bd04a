// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of simt_f32_64x128, for A and B at multiples of 16 bytes.
#include "kernels/gemm/simt_f32.cuh"

using Shape = gemm::SimtShape<64, 128, 8, 64, 64, 16, 8, 2, 4, true>;
constexpr int kBlocks = 1;  // that share a multiprocessor

TILEWISE_SIMT_F32_ORDERS(gemm_simt_f32_64x128_aligned)
