// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles by warpgroups that take turns, of Cᵀ.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TURNS_SWAPPED(f16, ptx::F16, 144)
TILEWISE_WARPGROUP_TURNS_SWAPPED(f16, ptx::F16, 160)
TILEWISE_WARPGROUP_TURNS_SWAPPED(f16, ptx::F16, 176)
TILEWISE_WARPGROUP_TURNS_SWAPPED(f16, ptx::F16, 192)
