// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile for large products, in the shared memory that every GPU has.
#include "kernels/gemm/mma_tf32.cuh"

TILEWISE_MMA_TF32_ORDERS(gemm_mma_tf32_128x256, 1, 128, 256, 32, 64, 64, 2)
