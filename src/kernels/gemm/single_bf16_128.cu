// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/single.cuh"

TILEWISE_SINGLE_BOTH_WAYS(gemm_single_bf16_128, ptx::BF16, 128)
