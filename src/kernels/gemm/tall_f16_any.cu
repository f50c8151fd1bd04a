// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/tall_any.cuh"

TILEWISE_TALL_ANY(gemm_tall_f16_any, gemm::StripF16, true)
TILEWISE_TALL_ANY(gemm_tall_f16_any_swapped, gemm::StripF16, false)
