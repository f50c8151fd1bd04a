// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/batch_16bit.cuh"

TILEWISE_BATCH_16BIT(bf16, gemm::StripBF16)
