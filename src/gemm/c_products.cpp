// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of tilewise/tilewise.h: arguments become views, and op() the order they are read in.
#include "gemm/c_layout.hpp"
#include "gemm/c_status.hpp"
#include "gemm/product.hpp"

namespace tilewise::api {
namespace {

template <class A, class B, class C, class S>
tw_status product(const tw_context* context, const Layout& layout, S alpha, const A* a,
                  std::int64_t lda, const B* b, std::int64_t ldb, S beta, C* c,
                  std::int64_t ldc) noexcept {
  return status_after([&] {
    const Views views(layout);
    multiply(context_of(context), alpha, views.a(a, lda), views.b(b, ldb), beta, views.c(c, ldc),
             {}, kCNames);
  });
}

template <class A, class C, class S>
tw_status pointer_batch(const tw_context* context, const Layout& layout, S alpha, const A* const* a,
                        std::int64_t lda, const A* const* b, std::int64_t ldb, S beta, C* const* c,
                        std::int64_t ldc, std::int64_t count) noexcept {
  return status_after([&] {
    const Views views(layout);
    const A* const none = nullptr;
    multiply_batch(context_of(context), count, alpha, from_pointers(views.a(none, lda), a),
                   from_pointers(views.b(none, ldb), b), beta,
                   from_pointers(views.c(static_cast<C*>(nullptr), ldc), c), {}, kCNames);
  });
}

template <class A, class C, class S>
tw_status strided_batch(const tw_context* context, const Layout& layout, S alpha, const A* a,
                        std::int64_t lda, std::int64_t stride_a, const A* b, std::int64_t ldb,
                        std::int64_t stride_b, S beta, C* c, std::int64_t ldc,
                        std::int64_t stride_c, std::int64_t count) noexcept {
  return status_after([&] {
    const Views views(layout);
    multiply_batch(context_of(context), count, alpha, strided(views.a(a, lda), stride_a),
                   strided(views.b(b, ldb), stride_b), beta, strided(views.c(c, ldc), stride_c), {},
                   kCNames);
  });
}

// The 16 bits of a float, as the C++ interface calls them.
const BFloat16* bf16(const tw_bf16* bits) { return reinterpret_cast<const BFloat16*>(bits); }
BFloat16* bf16(tw_bf16* bits) { return reinterpret_cast<BFloat16*>(bits); }
const BFloat16* const* bf16(const tw_bf16* const* bits) {
  return reinterpret_cast<const BFloat16* const*>(bits);
}
const Float16* f16(const tw_f16* bits) { return reinterpret_cast<const Float16*>(bits); }
Float16* f16(tw_f16* bits) { return reinterpret_cast<Float16*>(bits); }
const Float16* const* f16(const tw_f16* const* bits) {
  return reinterpret_cast<const Float16* const*>(bits);
}

}  // namespace
}  // namespace tilewise::api

using namespace tilewise::api;

tw_status tw_gemm_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                      tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                      const float* a, int64_t lda, const float* b, int64_t ldb, float beta,
                      float* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

tw_status tw_gemm_f64(tw_context* context, tw_order order, tw_transpose trans_a,
                      tw_transpose trans_b, int64_t m, int64_t n, int64_t k, double alpha,
                      const double* a, int64_t lda, const double* b, int64_t ldb, double beta,
                      double* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

tw_status tw_gemm_bf16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                           tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                           const tw_bf16* a, int64_t lda, const tw_bf16* b, int64_t ldb, float beta,
                           float* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, bf16(a), lda, bf16(b), ldb,
                 beta, c, ldc);
}

tw_status tw_gemm_bf16(tw_context* context, tw_order order, tw_transpose trans_a,
                       tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                       const tw_bf16* a, int64_t lda, const tw_bf16* b, int64_t ldb, float beta,
                       tw_bf16* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, bf16(a), lda, bf16(b), ldb,
                 beta, bf16(c), ldc);
}

tw_status tw_gemm_f16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                          tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                          const tw_f16* a, int64_t lda, const tw_f16* b, int64_t ldb, float beta,
                          float* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, f16(a), lda, f16(b), ldb, beta,
                 c, ldc);
}

tw_status tw_gemm_f16(tw_context* context, tw_order order, tw_transpose trans_a,
                      tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                      const tw_f16* a, int64_t lda, const tw_f16* b, int64_t ldb, float beta,
                      tw_f16* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, f16(a), lda, f16(b), ldb, beta,
                 f16(c), ldc);
}

tw_status tw_gemm_u8s8_s32(tw_context* context, tw_order order, tw_transpose trans_a,
                           tw_transpose trans_b, int64_t m, int64_t n, int64_t k, int32_t alpha,
                           const uint8_t* a, int64_t lda, const int8_t* b, int64_t ldb,
                           int32_t beta, int32_t* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

tw_status tw_gemm_s8u8_s32(tw_context* context, tw_order order, tw_transpose trans_a,
                           tw_transpose trans_b, int64_t m, int64_t n, int64_t k, int32_t alpha,
                           const int8_t* a, int64_t lda, const uint8_t* b, int64_t ldb,
                           int32_t beta, int32_t* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

tw_status tw_gemm_s8s8_s32(tw_context* context, tw_order order, tw_transpose trans_a,
                           tw_transpose trans_b, int64_t m, int64_t n, int64_t k, int32_t alpha,
                           const int8_t* a, int64_t lda, const int8_t* b, int64_t ldb, int32_t beta,
                           int32_t* c, int64_t ldc) {
  return product(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

tw_status tw_gemm_batch_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                            tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                            const float* const* a, int64_t lda, const float* const* b, int64_t ldb,
                            float beta, float* const* c, int64_t ldc, int64_t count) {
  return pointer_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c,
                       ldc, count);
}

tw_status tw_gemm_batch_f64(tw_context* context, tw_order order, tw_transpose trans_a,
                            tw_transpose trans_b, int64_t m, int64_t n, int64_t k, double alpha,
                            const double* const* a, int64_t lda, const double* const* b,
                            int64_t ldb, double beta, double* const* c, int64_t ldc,
                            int64_t count) {
  return pointer_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, b, ldb, beta, c,
                       ldc, count);
}

tw_status tw_gemm_batch_bf16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                 tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                                 const tw_bf16* const* a, int64_t lda, const tw_bf16* const* b,
                                 int64_t ldb, float beta, float* const* c, int64_t ldc,
                                 int64_t count) {
  return pointer_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, bf16(a), lda, bf16(b),
                       ldb, beta, c, ldc, count);
}

tw_status tw_gemm_batch_f16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                tw_transpose trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                                const tw_f16* const* a, int64_t lda, const tw_f16* const* b,
                                int64_t ldb, float beta, float* const* c, int64_t ldc,
                                int64_t count) {
  return pointer_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, f16(a), lda, f16(b), ldb,
                       beta, c, ldc, count);
}

tw_status tw_gemm_batch_strided_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                    tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                    float alpha, const float* a, int64_t lda, int64_t stride_a,
                                    const float* b, int64_t ldb, int64_t stride_b, float beta,
                                    float* c, int64_t ldc, int64_t stride_c, int64_t count) {
  return strided_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, stride_a, b, ldb,
                       stride_b, beta, c, ldc, stride_c, count);
}

tw_status tw_gemm_batch_strided_f64(tw_context* context, tw_order order, tw_transpose trans_a,
                                    tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                    double alpha, const double* a, int64_t lda, int64_t stride_a,
                                    const double* b, int64_t ldb, int64_t stride_b, double beta,
                                    double* c, int64_t ldc, int64_t stride_c, int64_t count) {
  return strided_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, a, lda, stride_a, b, ldb,
                       stride_b, beta, c, ldc, stride_c, count);
}

tw_status tw_gemm_batch_strided_bf16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                         tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                         float alpha, const tw_bf16* a, int64_t lda,
                                         int64_t stride_a, const tw_bf16* b, int64_t ldb,
                                         int64_t stride_b, float beta, float* c, int64_t ldc,
                                         int64_t stride_c, int64_t count) {
  return strided_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, bf16(a), lda, stride_a,
                       bf16(b), ldb, stride_b, beta, c, ldc, stride_c, count);
}

tw_status tw_gemm_batch_strided_f16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                        tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                        float alpha, const tw_f16* a, int64_t lda, int64_t stride_a,
                                        const tw_f16* b, int64_t ldb, int64_t stride_b, float beta,
                                        float* c, int64_t ldc, int64_t stride_c, int64_t count) {
  return strided_batch(context, {order, trans_a, trans_b, m, n, k}, alpha, f16(a), lda, stride_a,
                       f16(b), ldb, stride_b, beta, c, ldc, stride_c, count);
}
