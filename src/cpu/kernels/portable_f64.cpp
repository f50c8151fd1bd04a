// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/portable.hpp"

namespace tilewise::cpu {
namespace portable {
namespace {

#include "cpu/kernels/table.inl"

constexpr Kernels<double> kKernels = make_kernels<F64>();

}  // namespace
}  // namespace portable

const Kernels<double>* portable_kernels_f64() { return &portable::kKernels; }

}  // namespace tilewise::cpu
