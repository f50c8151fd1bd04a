// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/tall_any.cuh"

TILEWISE_TALL_ANY_OF(gemm_tall_bf16, gemm::StripBF16)
