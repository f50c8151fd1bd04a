// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/outer_16bit.cuh"

TILEWISE_OUTER_OF_HALVES(gemm_outer_f16, ptx::F16, gemm::Half)
TILEWISE_OUTER_OF_HALVES(gemm_outer_f16_to_f32, ptx::F16, float)
