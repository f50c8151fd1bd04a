// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/tall_boxes.cuh"

TILEWISE_TALL_BOXES(gemm_tall_f16_boxes, ptx::F16, false)
TILEWISE_TALL_BOXES(gemm_tall_f16_boxes_swapped, ptx::F16, true)
