// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tilewise/gemm.hpp"

#include "gemm/product.hpp"

namespace tilewise {

void gemm(Context& context, float alpha, const MatrixView<const float>& a,
          const MatrixView<const float>& b, float beta, const MatrixView<float>& c,
          const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}
void gemm(Context& context, double alpha, const MatrixView<const double>& a,
          const MatrixView<const double>& b, double beta, const MatrixView<double>& c,
          const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}

void gemm(Context& context, float alpha, const MatrixView<const BFloat16>& a,
          const MatrixView<const BFloat16>& b, float beta, const MatrixView<float>& c,
          const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}
void gemm(Context& context, float alpha, const MatrixView<const BFloat16>& a,
          const MatrixView<const BFloat16>& b, float beta, const MatrixView<BFloat16>& c,
          const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}
void gemm(Context& context, float alpha, const MatrixView<const Float16>& a,
          const MatrixView<const Float16>& b, float beta, const MatrixView<float>& c,
          const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}
void gemm(Context& context, float alpha, const MatrixView<const Float16>& a,
          const MatrixView<const Float16>& b, float beta, const MatrixView<Float16>& c,
          const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}

void gemm(Context& context, std::int32_t alpha, const MatrixView<const std::uint8_t>& a,
          const MatrixView<const std::int8_t>& b, std::int32_t beta,
          const MatrixView<std::int32_t>& c, const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}
void gemm(Context& context, std::int32_t alpha, const MatrixView<const std::int8_t>& a,
          const MatrixView<const std::uint8_t>& b, std::int32_t beta,
          const MatrixView<std::int32_t>& c, const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}
void gemm(Context& context, std::int32_t alpha, const MatrixView<const std::int8_t>& a,
          const MatrixView<const std::int8_t>& b, std::int32_t beta,
          const MatrixView<std::int32_t>& c, const GemmOptions& options) {
  api::multiply(context, alpha, a, b, beta, c, options, api::kViewNames);
}

void gemm_batch(Context& context, std::int64_t count, float alpha, MatrixBatch<const float> a,
                MatrixBatch<const float> b, float beta, MatrixBatch<float> c,
                const GemmOptions& options) {
  api::multiply_batch(context, count, alpha, a, b, beta, c, options, api::kBatchNames);
}
void gemm_batch(Context& context, std::int64_t count, double alpha, MatrixBatch<const double> a,
                MatrixBatch<const double> b, double beta, MatrixBatch<double> c,
                const GemmOptions& options) {
  api::multiply_batch(context, count, alpha, a, b, beta, c, options, api::kBatchNames);
}
void gemm_batch(Context& context, std::int64_t count, float alpha, MatrixBatch<const BFloat16> a,
                MatrixBatch<const BFloat16> b, float beta, MatrixBatch<float> c,
                const GemmOptions& options) {
  api::multiply_batch(context, count, alpha, a, b, beta, c, options, api::kBatchNames);
}
void gemm_batch(Context& context, std::int64_t count, float alpha, MatrixBatch<const Float16> a,
                MatrixBatch<const Float16> b, float beta, MatrixBatch<float> c,
                const GemmOptions& options) {
  api::multiply_batch(context, count, alpha, a, b, beta, c, options, api::kBatchNames);
}

}  // namespace tilewise
