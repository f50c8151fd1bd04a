// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The questions of tilewise/gpu.hpp for the workspace of a product.
#include "gemm/gpu/typed_call.hpp"

namespace tilewise {

std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<float> alpha,
                            MatrixView<const float> a, MatrixView<const float> b,
                            GpuScalar<float> beta, MatrixView<float> c,
                            const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),
                              gpu::kViewNames);
}
std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<double> alpha,
                            MatrixView<const double> a, MatrixView<const double> b,
                            GpuScalar<double> beta, MatrixView<double> c,
                            const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),
                              gpu::kViewNames);
}
std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<float> alpha,
                            MatrixView<const BFloat16> a, MatrixView<const BFloat16> b,
                            GpuScalar<float> beta, MatrixView<float> c,
                            const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),
                              gpu::kViewNames);
}
std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<float> alpha,
                            MatrixView<const BFloat16> a, MatrixView<const BFloat16> b,
                            GpuScalar<float> beta, MatrixView<BFloat16> c,
                            const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),
                              gpu::kViewNames);
}
std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<float> alpha,
                            MatrixView<const Float16> a, MatrixView<const Float16> b,
                            GpuScalar<float> beta, MatrixView<float> c,
                            const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),
                              gpu::kViewNames);
}
std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<float> alpha,
                            MatrixView<const Float16> a, MatrixView<const Float16> b,
                            GpuScalar<float> beta, MatrixView<Float16> c,
                            const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),
                              gpu::kViewNames);
}

std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,
                                  GpuScalar<float> alpha, MatrixBatch<const float> a,
                                  MatrixBatch<const float> b, GpuScalar<float> beta,
                                  MatrixBatch<float> c, const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),
                              gpu::kBatchNames);
}
std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,
                                  GpuScalar<double> alpha, MatrixBatch<const double> a,
                                  MatrixBatch<const double> b, GpuScalar<double> beta,
                                  MatrixBatch<double> c, const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),
                              gpu::kBatchNames);
}
std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,
                                  GpuScalar<float> alpha, MatrixBatch<const BFloat16> a,
                                  MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
                                  MatrixBatch<float> c, const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),
                              gpu::kBatchNames);
}
std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,
                                  GpuScalar<float> alpha, MatrixBatch<const BFloat16> a,
                                  MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
                                  MatrixBatch<BFloat16> c, const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),
                              gpu::kBatchNames);
}
std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,
                                  GpuScalar<float> alpha, MatrixBatch<const Float16> a,
                                  MatrixBatch<const Float16> b, GpuScalar<float> beta,
                                  MatrixBatch<float> c, const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),
                              gpu::kBatchNames);
}
std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,
                                  GpuScalar<float> alpha, MatrixBatch<const Float16> a,
                                  MatrixBatch<const Float16> b, GpuScalar<float> beta,
                                  MatrixBatch<Float16> c, const GpuGemmOptions& options) {
  return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),
                              gpu::kBatchNames);
}

}  // namespace tilewise
