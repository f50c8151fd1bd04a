// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every name that libtilewise_blas.so exports, as the headers of BLAS libraries declare it. For C and C++.
#pragma once

#include <stdint.h>

// for_each(T, Int, precision letter, name, error exit of the Fortran forms), and the C forms likewise.
#define FORTRAN_NAMES_OF(each, T, p)                                                      \
  each(T, int32_t, p, p##gemm_, "xerbla_") each(T, int64_t, p, p##gemm_64_, "xerbla_64_") \
      each(T, int32_t, p, scipy_##p##gemm_, "scipy_xerbla_")                              \
          each(T, int64_t, p, scipy_##p##gemm_64_, "scipy_xerbla_64_")
#define FORTRAN_BATCH_NAMES_OF(each, T, p)                                     \
  each(T, int32_t, p, p##gemm_batch_strided_, "xerbla_")                       \
      each(T, int64_t, p, p##gemm_batch_strided_64_, "xerbla_64_")             \
          each(T, int32_t, p, scipy_##p##gemm_batch_strided_, "scipy_xerbla_") \
              each(T, int64_t, p, scipy_##p##gemm_batch_strided_64_, "scipy_xerbla_64_")
#define C_NAMES_OF(each, T, p)                                                                  \
  each(T, int32_t, p, cblas_##p##gemm, "xerbla_", "cblas_xerbla")                               \
      each(T, int64_t, p, cblas_##p##gemm_64, "xerbla_64_", "cblas_xerbla_64")                  \
          each(T, int64_t, p, cblas_##p##gemm64_, "xerbla_64_", "cblas_xerbla64_")              \
              each(T, int32_t, p, scipy_cblas_##p##gemm, "scipy_xerbla_", "scipy_cblas_xerbla") \
                  each(T, int64_t, p, scipy_cblas_##p##gemm64_, "scipy_xerbla_64_",             \
                       "scipy_cblas_xerbla64_")
#define C_BATCH_NAMES_OF(each, T, p)                                                              \
  each(T, int32_t, p, cblas_##p##gemm_batch_strided, "xerbla_", "cblas_xerbla")                   \
      each(T, int64_t, p, cblas_##p##gemm_batch_strided_64, "xerbla_64_", "cblas_xerbla_64")      \
          each(T, int64_t, p, cblas_##p##gemm_batch_strided64_, "xerbla_64_", "cblas_xerbla64_")  \
              each(T, int32_t, p, scipy_cblas_##p##gemm_batch_strided, "scipy_xerbla_",           \
                   "scipy_cblas_xerbla")                                                          \
                  each(T, int64_t, p, scipy_cblas_##p##gemm_batch_strided64_, "scipy_xerbla_64_", \
                       "scipy_cblas_xerbla64_")

#define FORTRAN_NAMES(each) FORTRAN_NAMES_OF(each, float, s) FORTRAN_NAMES_OF(each, double, d)
#define FORTRAN_BATCH_NAMES(each) \
  FORTRAN_BATCH_NAMES_OF(each, float, s) FORTRAN_BATCH_NAMES_OF(each, double, d)
#define C_NAMES(each) C_NAMES_OF(each, float, s) C_NAMES_OF(each, double, d)
#define C_BATCH_NAMES(each) C_BATCH_NAMES_OF(each, float, s) C_BATCH_NAMES_OF(each, double, d)

#ifdef __cplusplus
extern "C" {
#endif
#define DECLARE_FORTRAN(T, Int, p, name, exit)                                                     \
  void name(const char* trans_a, const char* trans_b, const Int* m, const Int* n, const Int* k,    \
            const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta, \
            T* c, const Int* ldc);
#define DECLARE_FORTRAN_BATCH(T, Int, p, name, exit)                                            \
  void name(const char* trans_a, const char* trans_b, const Int* m, const Int* n, const Int* k, \
            const T* alpha, const T* a, const Int* lda, const Int* stride_a, const T* b,        \
            const Int* ldb, const Int* stride_b, const T* beta, T* c, const Int* ldc,           \
            const Int* stride_c, const Int* count);
#define DECLARE_C(T, Int, p, name, exit, c_exit)                                            \
  void name(int layout, int trans_a, int trans_b, Int m, Int n, Int k, T alpha, const T* a, \
            Int lda, const T* b, Int ldb, T beta, T* c, Int ldc);
#define DECLARE_C_BATCH(T, Int, p, name, exit, c_exit)                                       \
  void name(int layout, int trans_a, int trans_b, Int m, Int n, Int k, T alpha, const T* a,  \
            Int lda, Int stride_a, const T* b, Int ldb, Int stride_b, T beta, T* c, Int ldc, \
            Int stride_c, Int count);
FORTRAN_NAMES(DECLARE_FORTRAN)
FORTRAN_BATCH_NAMES(DECLARE_FORTRAN_BATCH)
C_NAMES(DECLARE_C)
C_BATCH_NAMES(DECLARE_C_BATCH)
#ifdef __cplusplus
}
#endif
