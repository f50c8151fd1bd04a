// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of tilewise/gpu.hpp.
#include "gemm/gpu/typed_call.hpp"

namespace tilewise {

void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const float> a,
          MatrixView<const float> b, GpuScalar<float> beta, MatrixView<float> c,
          const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);
}
void gemm(GpuContext& context, GpuScalar<double> alpha, MatrixView<const double> a,
          MatrixView<const double> b, GpuScalar<double> beta, MatrixView<double> c,
          const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
          MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<float> c,
          const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
          MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<BFloat16> c,
          const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const Float16> a,
          MatrixView<const Float16> b, GpuScalar<float> beta, MatrixView<float> c,
          const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);
}
void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const Float16> a,
          MatrixView<const Float16> b, GpuScalar<float> beta, MatrixView<Float16> c,
          const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);
}

void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const float> a, MatrixBatch<const float> b, GpuScalar<float> beta,
                MatrixBatch<float> c, const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<double> alpha,
                MatrixBatch<const double> a, MatrixBatch<const double> b, GpuScalar<double> beta,
                MatrixBatch<double> c, const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
                MatrixBatch<float> c, const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
                MatrixBatch<BFloat16> c, const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, GpuScalar<float> beta,
                MatrixBatch<float> c, const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames);
}
void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, GpuScalar<float> beta,
                MatrixBatch<Float16> c, const GpuGemmOptions& options) {
  gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames);
}

}  // namespace tilewise
