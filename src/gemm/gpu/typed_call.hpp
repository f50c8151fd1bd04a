// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From the typed arguments of tilewise/gpu.hpp to a Call: the types are left behind here.
#pragma once

#include "gemm/gpu/product.hpp"

namespace tilewise::gpu {

template <class T> constexpr Dtype kDtype = Dtype::kF32;
template <> inline constexpr Dtype kDtype<double> = Dtype::kF64;
template <> inline constexpr Dtype kDtype<BFloat16> = Dtype::kBF16;
template <> inline constexpr Dtype kDtype<Float16> = Dtype::kF16;

template <class T> api::Batch on_device(const MatrixBatch<T>& batch) {
  api::Batch untyped = api::untyped(batch);
  untyped.pointers_on_device = true;
  return untyped;
}

template <class S, class T, class C>
Call call_of(std::int64_t count, const GpuScalar<S>& alpha, const MatrixBatch<const T>& a,
             const MatrixBatch<const T>& b, const GpuScalar<S>& beta, const MatrixBatch<C>& c,
             const GpuGemmOptions& options) {
  return {kDtype<T>,    kDtype<C>, count,        alpha,  on_device(a),
          on_device(b), beta,      on_device(c), options};
}

template <class S, class T, class C>
Call call_of(const GpuScalar<S>& alpha, const MatrixView<const T>& a, const MatrixView<const T>& b,
             const GpuScalar<S>& beta, const MatrixView<C>& c, const GpuGemmOptions& options) {
  return call_of(1, alpha, strided(a, 0), strided(b, 0), beta, strided(c, 0), options);
}

}  // namespace tilewise::gpu
