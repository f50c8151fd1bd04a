// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of simt_f32_128x128_aligned by one team, two blocks a multiprocessor: for so many tiles that both places are
// taken, and a k so short that a tile's beginning and end count.
#include "kernels/gemm/simt_f32.cuh"

using Shape = gemm::SimtShape<128, 128, 8, 64, 64, 16, 8, 2, 1, true>;
constexpr int kBlocks = 2;  // that share a multiprocessor

TILEWISE_SIMT_F32_ORDERS(gemm_simt_f32_128x128_team_aligned)
