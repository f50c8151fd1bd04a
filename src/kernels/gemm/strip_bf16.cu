// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/strip_halves.cuh"

TILEWISE_STRIPS_OF(gemm_strip_bf16, gemm::StripBF16)
