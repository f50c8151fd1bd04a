// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/single_f64.cuh"

TILEWISE_SINGLE_F64_ORDERS(TILEWISE_SINGLE_F64_ANY, gemm_single_f64_any, false)
