// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of any width by warpgroups that take turns, of Cᵀ.
#include "kernels/gemm/warpgroup_16bit.cuh"

TILEWISE_WARPGROUP_TURNS_ANY_ORDERS(gemm_warpgroup_f16_128xany_turns_swapped, ptx::F16)
