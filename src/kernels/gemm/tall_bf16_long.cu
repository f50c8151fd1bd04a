// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/tall_long.cuh"

TILEWISE_TALL_LONG_OF(gemm_tall_bf16, gemm::StripBF16)
