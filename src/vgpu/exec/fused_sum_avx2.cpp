// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#define TILEWISE_FUSED_SUMS fused_sums_avx2
#include "vgpu/exec/fused_sum.inl"
