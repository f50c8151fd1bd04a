// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of an exported name to a call: checked as the standard says, then computed.
#pragma once

#include "blas/arguments.hpp"
#include "blas/call.hpp"
#include "blas/error_exit.hpp"
#include "blas/product.hpp"

namespace tilewise::blas {

/// Enters as the Fortran form: transposes are letters. `call` has everything else.
template <class T>
void enter_fortran(const Culprit& culprit, char trans_a, char trans_b, Call<T> call) {
  const auto a = trans_of(trans_a), b = trans_of(trans_b);
  if (!a) return report_fortran(culprit, 1);
  if (!b) return report_fortran(culprit, 2);
  call.trans_a = *a;
  call.trans_b = *b;
  const Sizes sizes = sizes_of(call);
  const int wrong = call.is_batch ? wrong_batch_size(sizes, call.count) : wrong_size(sizes);
  if (wrong != 0) return report_fortran(culprit, wrong);
  compute(call);
}

/// Enters as the C form: layout and transposes are the numbers of cblas.h.
template <class T>
void enter_c(const Culprit& culprit, int layout, int trans_a, int trans_b, Call<T> call) {
  const auto order = layout_of(layout);
  const auto a = trans_of(trans_a), b = trans_of(trans_b);
  if (!order) return report_setting(culprit, Layout::kColumnMajor, 1, "layout", layout);
  if (!a) return report_setting(culprit, *order, 2, "TransA", trans_a);
  if (!b) return report_setting(culprit, *order, 3, "TransB", trans_b);
  call.layout = *order;
  call.trans_a = *a;
  call.trans_b = *b;
  const Sizes sizes = sizes_of(call);
  const int wrong = call.is_batch ? wrong_batch_size(sizes, call.count) : wrong_size(sizes);
  if (wrong != 0) return report_size(culprit, *order, wrong);
  compute(call);
}

}  // namespace tilewise::blas
