// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The names. Each is a function of its own, so that what TILEWISE_VERBOSE says is what was called. A Fortran
// compiler passes the lengths of the two letters behind the last argument; they say nothing, and the
// x86-64 and AArch64 conventions let a callee ignore them.
#include <cstdint>

#include "blas/doors.hpp"

using tilewise::blas::Call;
using tilewise::blas::Culprit;
using tilewise::blas::enter_c;
using tilewise::blas::enter_fortran;
using tilewise::blas::Family;
using tilewise::blas::Layout;
using tilewise::blas::Trans;

#define TILEWISE_DOOR extern "C" __attribute__((visibility("default"))) void

// The standard's forms.
#define TILEWISE_FORTRAN(name, T, P, Int, family)                                                  \
  TILEWISE_DOOR name(const char* trans_a, const char* trans_b, const Int* m, const Int* n,         \
                     const Int* k, const T* alpha, const T* a, const Int* lda, const T* b,         \
                     const Int* ldb, const T* beta, T* c, const Int* ldc) {                        \
    enter_fortran<T>({family, false, P "GEMM ", "", __builtin_return_address(0)}, *trans_a,        \
                     *trans_b,                                                                     \
                     {#name, Layout::kColumnMajor, Trans::kNone, Trans::kNone, *m, *n, *k, *alpha, \
                      a, *lda, 0, b, *ldb, 0, *beta, c, *ldc});                                    \
  }
#define TILEWISE_C(name, T, P, p, Int, family)                                                     \
  TILEWISE_DOOR name(int layout, int trans_a, int trans_b, Int m, Int n, Int k, T alpha,           \
                     const T* a, Int lda, const T* b, Int ldb, T beta, T* c, Int ldc) {            \
    enter_c<T>({family, false, P "GEMM ", "cblas_" p "gemm", __builtin_return_address(0)}, layout, \
               trans_a, trans_b,                                                                   \
               {#name, Layout::kColumnMajor, Trans::kNone, Trans::kNone, m, n, k, alpha, a, lda,   \
                0, b, ldb, 0, beta, c, ldc});                                                      \
  }

// The strided batches, as MKL, OpenBLAS and NVPL declare them.
#define TILEWISE_FORTRAN_BATCH(name, T, P, Int, family)                                            \
  TILEWISE_DOOR name(const char* trans_a, const char* trans_b, const Int* m, const Int* n,         \
                     const Int* k, const T* alpha, const T* a, const Int* lda,                     \
                     const Int* stride_a, const T* b, const Int* ldb, const Int* stride_b,         \
                     const T* beta, T* c, const Int* ldc, const Int* stride_c, const Int* count) { \
    enter_fortran<T>({family, true, P "GEMM_BATCH_STRIDED", "", __builtin_return_address(0)},      \
                     *trans_a, *trans_b,                                                           \
                     {#name,                                                                       \
                      Layout::kColumnMajor,                                                        \
                      Trans::kNone,                                                                \
                      Trans::kNone,                                                                \
                      *m,                                                                          \
                      *n,                                                                          \
                      *k,                                                                          \
                      *alpha,                                                                      \
                      a,                                                                           \
                      *lda,                                                                        \
                      *stride_a,                                                                   \
                      b,                                                                           \
                      *ldb,                                                                        \
                      *stride_b,                                                                   \
                      *beta,                                                                       \
                      c,                                                                           \
                      *ldc,                                                                        \
                      *stride_c,                                                                   \
                      *count,                                                                      \
                      true});                                                                      \
  }
#define TILEWISE_C_BATCH(name, T, P, p, Int, family)                                               \
  TILEWISE_DOOR name(int layout, int trans_a, int trans_b, Int m, Int n, Int k, T alpha,           \
                     const T* a, Int lda, Int stride_a, const T* b, Int ldb, Int stride_b, T beta, \
                     T* c, Int ldc, Int stride_c, Int count) {                                     \
    enter_c<T>({family, true, P "GEMM_BATCH_STRIDED", "cblas_" p "gemm_batch_strided",             \
                __builtin_return_address(0)},                                                      \
               layout, trans_a, trans_b,                                                           \
               {#name,                                                                             \
                Layout::kColumnMajor,                                                              \
                Trans::kNone,                                                                      \
                Trans::kNone,                                                                      \
                m,                                                                                 \
                n,                                                                                 \
                k,                                                                                 \
                alpha,                                                                             \
                a,                                                                                 \
                lda,                                                                               \
                stride_a,                                                                          \
                b,                                                                                 \
                ldb,                                                                               \
                stride_b,                                                                          \
                beta,                                                                              \
                c,                                                                                 \
                ldc,                                                                               \
                stride_c,                                                                          \
                count,                                                                             \
                true});                                                                            \
  }

// Everything of one precision (T; P and p, its letter as text) and one family: f, fb the Fortran names,
// c, cb the C names.
#define TILEWISE_FORTRAN_FORMS(T, P, Int, family, f, fb) \
  TILEWISE_FORTRAN(f, T, P, Int, family)                 \
  TILEWISE_FORTRAN_BATCH(fb, T, P, Int, family)
#define TILEWISE_C_FORMS(T, P, p, Int, family, c, cb) \
  TILEWISE_C(c, T, P, p, Int, family)                 \
  TILEWISE_C_BATCH(cb, T, P, p, Int, family)

#define TILEWISE_PRECISION(T, P, p, f, c)                                                       \
  TILEWISE_FORTRAN_FORMS(T, P, std::int32_t, Family::kPlain, f##_, f##_batch_strided_)          \
  TILEWISE_FORTRAN_FORMS(T, P, std::int64_t, Family::k64, f##_64_, f##_batch_strided_64_)       \
  TILEWISE_FORTRAN_FORMS(T, P, std::int32_t, Family::kNumPy, scipy_##f##_,                      \
                         scipy_##f##_batch_strided_)                                            \
  TILEWISE_FORTRAN_FORMS(T, P, std::int64_t, Family::kNumPy64, scipy_##f##_64_,                 \
                         scipy_##f##_batch_strided_64_)                                         \
  TILEWISE_C_FORMS(T, P, p, std::int32_t, Family::kPlain, c, c##_batch_strided)                 \
  TILEWISE_C_FORMS(T, P, p, std::int64_t, Family::k64, c##_64, c##_batch_strided_64)            \
  TILEWISE_C_FORMS(T, P, p, std::int64_t, Family::kOpenBlas64, c##64_, c##_batch_strided64_)    \
  TILEWISE_C_FORMS(T, P, p, std::int32_t, Family::kNumPy, scipy_##c, scipy_##c##_batch_strided) \
  TILEWISE_C_FORMS(T, P, p, std::int64_t, Family::kNumPy64, scipy_##c##64_,                     \
                   scipy_##c##_batch_strided64_)

TILEWISE_PRECISION(float, "S", "s", sgemm, cblas_sgemm)
TILEWISE_PRECISION(double, "D", "d", dgemm, cblas_dgemm)
