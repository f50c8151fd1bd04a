// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/thin.cuh"

TILEWISE_THIN_ORDERS(gemm_thin_bf16_1, gemm::StripBF16, 1)
TILEWISE_THIN_ORDERS(gemm_thin_bf16_4, gemm::StripBF16, 4)
