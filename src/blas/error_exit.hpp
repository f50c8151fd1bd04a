// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a wrong argument is reported: the BLAS standard has no status codes, it calls xerbla_ (Fortran) or
// cblas_xerbla (C), which a program may replace by its own.
#pragma once

#include "blas/call.hpp"

namespace tilewise::blas {

/// Which library's names a call came through. Names with 64-bit integers have error exits of their own.
enum class Family {
  kPlain,       ///< sgemm_, cblas_sgemm: xerbla_, cblas_xerbla
  k64,          ///< sgemm_64_, cblas_sgemm_64 (the reference, MKL): xerbla_64_, cblas_xerbla_64
  kOpenBlas64,  ///< cblas_sgemm64_ (OpenBLAS): xerbla_64_, cblas_xerbla64_
  kNumPy,  ///< scipy_sgemm_ (the OpenBLAS in wheels of NumPy and SciPy): the same with that prefix
  kNumPy64,  ///< scipy_sgemm_64_, scipy_cblas_sgemm64_: the same with that prefix
};

/// The call whose arguments are wrong.
struct Culprit {
  Family family;
  bool is_batch;
  const char* fortran_name;  ///< as the standard spells it: "SGEMM ", "SGEMM_BATCH_STRIDED"
  const char* c_name;        ///< "cblas_sgemm", "cblas_sgemm_batch_strided"
  const void* caller;        ///< an address in the program or library that called
};

/// A Fortran form has a wrong argument `number`. Returns when the handler does.
void report_fortran(const Culprit& culprit, int number);

/// A C form has a wrong layout, TransA or TransB: argument `number`, called `what`, is `value`.
void report_setting(const Culprit& culprit, Layout layout, int number, const char* what, int value);

/// A C form has a wrong size: `number` in the Fortran form that it is turned into.
void report_size(const Culprit& culprit, Layout layout, int number);

}  // namespace tilewise::blas
