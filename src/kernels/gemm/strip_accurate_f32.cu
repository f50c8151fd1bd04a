// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 for small products: the shape of strip_f32_64x32, on tensor cores.
#include "kernels/gemm/strip_pairs.cuh"

TILEWISE_STRIP_ORDERS(gemm_strip_accurate_f32_64x32, gemm::StripWay<gemm::MultiplyPairs>,
                      gemm::StripF32, 64, 32, 32, 2, 1, 8)
