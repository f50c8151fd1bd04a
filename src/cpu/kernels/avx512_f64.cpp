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

constexpr Kernels<double> kKernels = make_kernels<F64>();

}  // namespace
}  // namespace avx512

const Kernels<double>* avx512_kernels_f64() { return &avx512::kKernels; }

}  // namespace tilewise::cpu

#endif
