// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 128×128 results of f32 a block, by two teams of four warps.
#include "kernels/gemm/simt_f32.cuh"

using Shape = gemm::SimtShape<128, 128, 8, 64, 64, 16, 8, 2, 2, false>;
constexpr int kBlocks = 1;  // that share a multiprocessor

TILEWISE_SIMT_F32_ORDERS(gemm_simt_f32_128x128)
