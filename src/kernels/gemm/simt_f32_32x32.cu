// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for small sizes, where blocks are few: 8 values read for 16 FMAs.
#include "kernels/gemm/simt_f32.cuh"

using Shape = gemm::SimtShape<32, 32, 16, 32, 16, 4, 4, 4>;
constexpr int kBlocks = 8;  // that share a multiprocessor, at least

TILEWISE_SIMT_F32_ORDERS(gemm_simt_f32_32x32)
