// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/hopper_f64_small.cuh"

TILEWISE_HOPPER_F64_SMALL_ORDERS(gemm_hopper_f64_small_16x16, 2, 16, 16)
