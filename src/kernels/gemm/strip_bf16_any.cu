// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/strip_any.cuh"

TILEWISE_STRIPS_ANY(gemm_strip_bf16, gemm::StripBF16)
