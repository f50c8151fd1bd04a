// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The exported names behind one signature, so that one test runs them all.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "names.h"

namespace tilewise::test {

/// What one call is asked to do. Sizes fit in 32 bits. Transposes are letters: N, T, C, n, t, c.
template <class T> struct Ask {
  bool row_major = false;  ///< C forms only
  char trans_a = 'N', trans_b = 'N';
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = 1;
  const T* a = nullptr;
  std::int64_t lda = 1, stride_a = 0;
  const T* b = nullptr;
  std::int64_t ldb = 1, stride_b = 0;
  T beta = 0;
  T* c = nullptr;
  std::int64_t ldc = 1, stride_c = 0, count = 1;
};

template <class T> struct Name {
  std::string name;
  bool is_c, is_batch;
  void (*call)(const Ask<T>&);
};

inline int cblas_trans(char letter) {
  switch (letter) {
    case 'T':
    case 't': return 112;
    case 'C':
    case 'c': return 113;
    default: return 111;
  }
}
inline int cblas_layout(bool row_major) { return row_major ? 101 : 102; }

/// All names of one precision.
template <class T> std::vector<Name<T>> names() {
  std::vector<Name<T>> all;
  const auto add = [&all](auto sample, const char* name, bool is_c, bool is_batch, auto call) {
    if constexpr (std::is_same_v<decltype(sample), T>) all.push_back({name, is_c, is_batch, call});
  };
#define ADD_FORTRAN(P, Int, p, name, exit)                                                        \
  add(P{}, #name, false, false, [](const Ask<P>& x) {                                             \
    const Int m = Int(x.m), n = Int(x.n), k = Int(x.k), lda = Int(x.lda), ldb = Int(x.ldb),       \
              ldc = Int(x.ldc);                                                                   \
    name(&x.trans_a, &x.trans_b, &m, &n, &k, &x.alpha, x.a, &lda, x.b, &ldb, &x.beta, x.c, &ldc); \
  });
#define ADD_FORTRAN_BATCH(P, Int, p, name, exit)                                                   \
  add(P{}, #name, false, true, [](const Ask<P>& x) {                                               \
    const Int m = Int(x.m), n = Int(x.n), k = Int(x.k), lda = Int(x.lda), ldb = Int(x.ldb),        \
              ldc = Int(x.ldc), stride_a = Int(x.stride_a), stride_b = Int(x.stride_b),            \
              stride_c = Int(x.stride_c), count = Int(x.count);                                    \
    name(&x.trans_a, &x.trans_b, &m, &n, &k, &x.alpha, x.a, &lda, &stride_a, x.b, &ldb, &stride_b, \
         &x.beta, x.c, &ldc, &stride_c, &count);                                                   \
  });
#define ADD_C(P, Int, p, name, exit, c_exit)                                                      \
  add(P{}, #name, true, false, [](const Ask<P>& x) {                                              \
    name(cblas_layout(x.row_major), cblas_trans(x.trans_a), cblas_trans(x.trans_b), Int(x.m),     \
         Int(x.n), Int(x.k), x.alpha, x.a, Int(x.lda), x.b, Int(x.ldb), x.beta, x.c, Int(x.ldc)); \
  });
#define ADD_C_BATCH(P, Int, p, name, exit, c_exit)                                            \
  add(P{}, #name, true, true, [](const Ask<P>& x) {                                           \
    name(cblas_layout(x.row_major), cblas_trans(x.trans_a), cblas_trans(x.trans_b), Int(x.m), \
         Int(x.n), Int(x.k), x.alpha, x.a, Int(x.lda), Int(x.stride_a), x.b, Int(x.ldb),      \
         Int(x.stride_b), x.beta, x.c, Int(x.ldc), Int(x.stride_c), Int(x.count));            \
  });
  FORTRAN_NAMES(ADD_FORTRAN)
  FORTRAN_BATCH_NAMES(ADD_FORTRAN_BATCH)
  C_NAMES(ADD_C)
  C_BATCH_NAMES(ADD_C_BATCH)
#undef ADD_FORTRAN
#undef ADD_FORTRAN_BATCH
#undef ADD_C
#undef ADD_C_BATCH
  return all;
}

}  // namespace tilewise::test
