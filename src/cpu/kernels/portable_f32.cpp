// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/portable.hpp"

namespace tilewise::cpu {
namespace portable {
namespace {

#include "cpu/kernels/table.inl"

constexpr Kernels<float> kKernels = make_kernels<F32>();

}  // namespace
}  // namespace portable

const Kernels<float>* portable_kernels_f32() { return &portable::kKernels; }

}  // namespace tilewise::cpu
