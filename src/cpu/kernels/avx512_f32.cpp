// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <utility>

#include "cpu/kernels/avx512.hpp"
#include "cpu/kernels/kernels.hpp"

namespace tilewise::cpu {
namespace avx512 {
namespace {

#include "cpu/kernels/table.inl"

constexpr Kernels<float> kKernels = make_kernels<F32>();

}  // namespace
}  // namespace avx512

const Kernels<float>* avx512_kernels_f32() { return &avx512::kKernels; }

}  // namespace tilewise::cpu

#endif
