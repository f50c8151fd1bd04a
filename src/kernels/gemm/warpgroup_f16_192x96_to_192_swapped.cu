// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of Cᵀ by three warpgroups: 192×192 asks the cache for the least beside what it multiplies.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_OWN_WIDTHS(f16, ptx::F16)
