// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for sizes that leave the GPU empty else.
#include "kernels/gemm/mma_f64.cuh"

using Shape = gemm::MmaShape<64, 64, 16, 32, 32, 3>;
constexpr int kBlocks = 3;  // that share a multiprocessor, at least
static_assert(Shape::kStages * sizeof(gemm::MmaStage<Shape>) == 49152);  // as the catalogue says

TILEWISE_MMA_F64_ORDERS(gemm_mma_f64_64x64)
