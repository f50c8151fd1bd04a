// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <utility>

#include "cpu/kernels/avx2.hpp"
#include "cpu/kernels/kernels.hpp"

namespace tilewise::cpu {
namespace avx2 {
namespace {

#include "cpu/kernels/table.inl"

constexpr Kernels<float> kKernels = make_kernels<F32>();

}  // namespace
}  // namespace avx2

const Kernels<float>* avx2_kernels_f32() { return &avx2::kKernels; }

}  // namespace tilewise::cpu

#endif
