// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of tilewise/gpu.hpp, and the questions for their workspace, for all types.
#include "gemm/gpu/typed_call.hpp"

namespace tilewise {

// `Scalar`: of alpha and beta; `In`: elements of A and B; `Out`: of C.
#define TILEWISE_PRODUCTS(Scalar, In, Out)                                                        \
  void gemm(GpuContext& context, GpuScalar<Scalar> alpha, MatrixView<const In> a,                 \
            MatrixView<const In> b, GpuScalar<Scalar> beta, MatrixView<Out> c,                    \
            const GpuGemmOptions& options) {                                                      \
    gpu::multiply(context, gpu::call_of(alpha, a, b, beta, c, options), gpu::kViewNames);         \
  }                                                                                               \
  void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<Scalar> alpha,               \
                  MatrixBatch<const In> a, MatrixBatch<const In> b, GpuScalar<Scalar> beta,       \
                  MatrixBatch<Out> c, const GpuGemmOptions& options) {                            \
    gpu::multiply(context, gpu::call_of(count, alpha, a, b, beta, c, options), gpu::kBatchNames); \
  }                                                                                               \
  std::int64_t gemm_workspace(const GpuContext& context, GpuScalar<Scalar> alpha,                 \
                              MatrixView<const In> a, MatrixView<const In> b,                     \
                              GpuScalar<Scalar> beta, MatrixView<Out> c,                          \
                              const GpuGemmOptions& options) {                                    \
    return gpu::workspace_bytes(context, gpu::call_of(alpha, a, b, beta, c, options),             \
                                gpu::kViewNames);                                                 \
  }                                                                                               \
  std::int64_t gemm_batch_workspace(const GpuContext& context, std::int64_t count,                \
                                    GpuScalar<Scalar> alpha, MatrixBatch<const In> a,             \
                                    MatrixBatch<const In> b, GpuScalar<Scalar> beta,              \
                                    MatrixBatch<Out> c, const GpuGemmOptions& options) {          \
    return gpu::workspace_bytes(context, gpu::call_of(count, alpha, a, b, beta, c, options),      \
                                gpu::kBatchNames);                                                \
  }

TILEWISE_PRODUCTS(float, float, float)
TILEWISE_PRODUCTS(double, double, double)
TILEWISE_PRODUCTS(float, BFloat16, float)
TILEWISE_PRODUCTS(float, BFloat16, BFloat16)
TILEWISE_PRODUCTS(float, Float16, float)
TILEWISE_PRODUCTS(float, Float16, Float16)

#undef TILEWISE_PRODUCTS

}  // namespace tilewise
