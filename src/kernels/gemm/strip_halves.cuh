// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The strips that there are of f16 and bf16: lines and columns of a warp, k of a step, stages, warps side by side and
// along k. The narrowest have the most loads on their way, as these do nothing else; the last is for a k of a step or
// two, where warps that shared lines would have nothing to do. GPUs other than Hopper have the one that finds shared
// memory on all of them.
#pragma once

#include "kernels/gemm/strip_16bit.cuh"

#if __CUDA_ARCH__ >= 900
#define TILEWISE_STRIPS_OF(name, T)                                                               \
  TILEWISE_STRIP_ORDERS(name##_32x8, gemm::StripWay<gemm::MultiplyHalves>, T, 32, 8, 64, 5, 1, 8) \
  TILEWISE_STRIP_ORDERS(name##_32x16, gemm::StripWay<gemm::MultiplyHalves>, T, 32, 16, 64, 4, 1,  \
                        4)                                                                        \
  TILEWISE_STRIP_ORDERS(name##_64x16, gemm::StripWay<gemm::MultiplyHalves>, T, 64, 16, 64, 2, 1,  \
                        4)                                                                        \
  TILEWISE_STRIP_ORDERS(name##_64x32, gemm::StripWay<gemm::MultiplyHalves>, T, 64, 32, 64, 4, 1,  \
                        4)                                                                        \
  TILEWISE_STRIP_ORDERS(name##_32x64, gemm::StripWay<gemm::MultiplyHalves>, T, 32, 64, 64, 4, 1,  \
                        4)                                                                        \
  TILEWISE_STRIP_ORDERS(name##_64x64, gemm::StripWay<gemm::MultiplyHalves>, T, 64, 64, 64, 3, 1,  \
                        4)                                                                        \
  TILEWISE_STRIP_ORDERS(name##_64x32_short, gemm::StripWay<gemm::MultiplyHalves>, T, 32, 32, 64,  \
                        2, 2, 1)
#else
#define TILEWISE_STRIPS_OF(name, T) \
  TILEWISE_STRIP_ORDERS(name##_32x16, gemm::StripWay<gemm::MultiplyHalves>, T, 32, 16, 64, 4, 1, 4)
#endif
