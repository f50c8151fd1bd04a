// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/single.cuh"

TILEWISE_SINGLE_BOTH_WAYS(gemm_single_f16_64, ptx::F16, 64)
