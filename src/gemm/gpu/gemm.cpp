// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of tilewise/gpu.hpp: their types are left behind here.
#include "gemm/gpu/product.hpp"

namespace tilewise {
namespace {

template <class T> constexpr Dtype kDtype = Dtype::kF32;
template <> constexpr Dtype kDtype<double> = Dtype::kF64;
template <> constexpr Dtype kDtype<BFloat16> = Dtype::kBF16;
template <> constexpr Dtype kDtype<Float16> = Dtype::kF16;

template <class T> api::Batch on_device(const MatrixBatch<T>& batch) {
  api::Batch untyped = api::untyped(batch);
  untyped.pointers_on_device = true;
  return untyped;
}

template <class S, class T, class C>
void multiply(const GpuContext& context, std::int64_t count, const GpuScalar<S>& alpha,
              const MatrixBatch<const T>& a, const MatrixBatch<const T>& b,
              const GpuScalar<S>& beta, const MatrixBatch<C>& c, const GpuGemmOptions& options,
              const gpu::Names& names) {
  gpu::multiply(
      context,
      {kDtype<T>, kDtype<C>, count, alpha, on_device(a), on_device(b), beta, on_device(c), options},
      names);
}

template <class S, class T, class C>
void multiply(const GpuContext& context, const GpuScalar<S>& alpha, const MatrixView<const T>& a,
              const MatrixView<const T>& b, const GpuScalar<S>& beta, const MatrixView<C>& c,
              const GpuGemmOptions& options) {
  multiply(context, 1, alpha, strided(a, 0), strided(b, 0), beta, strided(c, 0), options,
           gpu::kViewNames);
}

}  // namespace

void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const float> a,
          MatrixView<const float> b, GpuScalar<float> beta, MatrixView<float> c,
          const GpuGemmOptions& options) {
  multiply(context, alpha, a, b, beta, c, options);
}
void gemm(GpuContext& context, GpuScalar<double> alpha, MatrixView<const double> a,
          MatrixView<const double> b, GpuScalar<double> beta, MatrixView<double> c,
          const GpuGemmOptions& options) {
  multiply(context, alpha, a, b, beta, c, options);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
          MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<float> c,
          const GpuGemmOptions& options) {
  multiply(context, alpha, a, b, beta, c, options);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
          MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<BFloat16> c,
          const GpuGemmOptions& options) {
  multiply(context, alpha, a, b, beta, c, options);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const Float16> a,
          MatrixView<const Float16> b, GpuScalar<float> beta, MatrixView<float> c,
          const GpuGemmOptions& options) {
  multiply(context, alpha, a, b, beta, c, options);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const Float16> a,
          MatrixView<const Float16> b, GpuScalar<float> beta, MatrixView<Float16> c,
          const GpuGemmOptions& options) {
  multiply(context, alpha, a, b, beta, c, options);
}

void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const float> a, MatrixBatch<const float> b, GpuScalar<float> beta,
                MatrixBatch<float> c, const GpuGemmOptions& options) {
  multiply(context, count, alpha, a, b, beta, c, options, gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<double> alpha,
                MatrixBatch<const double> a, MatrixBatch<const double> b, GpuScalar<double> beta,
                MatrixBatch<double> c, const GpuGemmOptions& options) {
  multiply(context, count, alpha, a, b, beta, c, options, gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
                MatrixBatch<float> c, const GpuGemmOptions& options) {
  multiply(context, count, alpha, a, b, beta, c, options, gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
                MatrixBatch<BFloat16> c, const GpuGemmOptions& options) {
  multiply(context, count, alpha, a, b, beta, c, options, gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, GpuScalar<float> beta,
                MatrixBatch<float> c, const GpuGemmOptions& options) {
  multiply(context, count, alpha, a, b, beta, c, options, gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, GpuScalar<float> beta,
                MatrixBatch<Float16> c, const GpuGemmOptions& options) {
  multiply(context, count, alpha, a, b, beta, c, options, gpu::kBatchNames);
}

}  // namespace tilewise
