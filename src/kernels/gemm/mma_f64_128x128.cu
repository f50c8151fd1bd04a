// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for matrices that fill the GPU: 96 values read for 2048 multiplications, a k and warp.
#include "kernels/gemm/mma_f64.cuh"

using Shape = gemm::MmaShape<128, 128, 16, 64, 32, 4>;
constexpr int kBlocks = 1;  // that share a multiprocessor, at least
static_assert(Shape::kStages * sizeof(gemm::MmaStage<Shape>) == 131072);  // as the catalogue says

TILEWISE_MMA_F64_ORDERS(gemm_mma_f64_128x128)
