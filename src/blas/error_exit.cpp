// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The protocol of the reference BLAS and CBLAS. A C form checks the layout and the two transpositions
// itself and calls cblas_xerbla for them. The sizes are checked by the Fortran form, which calls xerbla_;
// the xerbla_ of CBLAS knows by the variable CBLAS_CallFromC whom it serves, and by RowMajorStrg that m
// and n, and lda and ldb, have changed places. Both are set here, while a handler runs, wherever a library
// or program has them. Without an xerbla_ anywhere, what it would have done is done here.
#include "blas/error_exit.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "blas/arguments.hpp"
#include "blas/symbols.hpp"

namespace tilewise::blas {
namespace {

using FortranHandler = void(const char* name, const void* number, std::size_t length);
using CHandler = void(int number, const char* name, const char* format, ...);
using CHandler64 = void(std::int64_t number, const char* name, const char* format, ...);

// A handler, and whether it takes numbers of 64 bits.
struct Handler {
  void* address = nullptr;
  bool is_64 = false;
  explicit operator bool() const noexcept { return address != nullptr; }
};

struct Candidate {
  const char* name;
  bool is_64;
};

// In front of a library of one family, its handlers come first; then a program's own plain ones.
template <std::size_t count>
Handler first_of(const Candidate (&candidates)[count], const void* caller) noexcept {
  for (const Candidate& each : candidates) {
    if (void* address = find_symbol(each.name, caller)) return {address, each.is_64};
  }
  return {};
}

Handler fortran_handler(const Culprit& culprit) noexcept {
  static constexpr Candidate kPlain[] = {{"xerbla_", false}};
  static constexpr Candidate k64[] = {{"xerbla_64_", true}, {"xerbla_", false}};
  static constexpr Candidate kNumPy[] = {{"scipy_xerbla_", false}, {"xerbla_", false}};
  static constexpr Candidate kNumPy64[] = {{"scipy_xerbla_64_", true}, {"xerbla_", false}};
  switch (culprit.family) {
    case Family::kPlain: return first_of(kPlain, culprit.caller);
    case Family::k64:
    case Family::kOpenBlas64: return first_of(k64, culprit.caller);
    case Family::kNumPy: return first_of(kNumPy, culprit.caller);
    case Family::kNumPy64: return first_of(kNumPy64, culprit.caller);
  }
  return {};
}

Handler c_handler(const Culprit& culprit) noexcept {
  static constexpr Candidate kPlain[] = {{"cblas_xerbla", false}};
  static constexpr Candidate k64[] = {{"cblas_xerbla_64", true}, {"cblas_xerbla", false}};
  static constexpr Candidate kOpen[] = {{"cblas_xerbla64_", true}, {"cblas_xerbla", false}};
  static constexpr Candidate kNumPy[] = {{"scipy_cblas_xerbla", false}, {"cblas_xerbla", false}};
  static constexpr Candidate kNumPy64[] = {{"scipy_cblas_xerbla64_", true},
                                           {"cblas_xerbla", false}};
  switch (culprit.family) {
    case Family::kPlain: return first_of(kPlain, culprit.caller);
    case Family::k64: return first_of(k64, culprit.caller);
    case Family::kOpenBlas64: return first_of(kOpen, culprit.caller);
    case Family::kNumPy: return first_of(kNumPy, culprit.caller);
    case Family::kNumPy64: return first_of(kNumPy64, culprit.caller);
  }
  return {};
}

// The variables of the reference CBLAS, for as long as this lives. Also when a handler throws.
class CallFromC {
 public:
  // The reference has no batches, and would take their numbers for those of SGEMM: the layout is not shown
  // to it, and the numbers are the caller's from the start.
  CallFromC(const Culprit& culprit, Layout layout) noexcept
      : from_c_(static_cast<int*>(find_symbol("CBLAS_CallFromC", culprit.caller))),
        row_major_(static_cast<int*>(find_symbol("RowMajorStrg", culprit.caller))) {
    set(1, layout == Layout::kRowMajor && !culprit.is_batch ? 1 : 0);
  }
  ~CallFromC() { set(0, 0); }
  CallFromC(const CallFromC&) = delete;
  CallFromC& operator=(const CallFromC&) = delete;

  /// Whether handlers can see that m and n, and lda and ldb, have changed places.
  bool tells_order() const noexcept { return row_major_ != nullptr; }

 private:
  // Callers on several threads may all be wrong at once.
  void set(int from_c, int row_major) const noexcept {
    if (from_c_ != nullptr) __atomic_store_n(from_c_, from_c, __ATOMIC_RELAXED);
    if (row_major_ != nullptr) __atomic_store_n(row_major_, row_major, __ATOMIC_RELAXED);
  }
  int *from_c_, *row_major_;
};

void call_fortran(const Handler& handler, const char* name, int number) {
  const std::int64_t wide = number;
  const void* argument = handler.is_64 ? static_cast<const void*>(&wide) : &number;
  reinterpret_cast<FortranHandler*>(handler.address)(name, argument, std::strlen(name));
}

void call_c(const Handler& handler, int number, const char* name, const char* format, int value) {
  if (handler.is_64) {
    reinterpret_cast<CHandler64*>(handler.address)(number, name, format, value);
  } else {
    reinterpret_cast<CHandler*>(handler.address)(number, name, format, value);
  }
}

// As the standard: an error that nobody handles ends the program, and says why.
[[noreturn]] void stop_fortran(const char* name, int number) {
  std::fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", name,
               number);
  std::exit(-1);
}

[[noreturn]] void stop_c(int number, const char* name, const char* format, int value) {
  std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", number, name);
  // The formats are those below, and take one int.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  std::fprintf(stderr, format, value);
#pragma GCC diagnostic pop
  std::exit(-1);
}

}  // namespace

void report_fortran(const Culprit& culprit, int number) {
  const Handler handler = fortran_handler(culprit);
  if (!handler) stop_fortran(culprit.fortran_name, number);
  call_fortran(handler, culprit.fortran_name, number);
}

void report_setting(const Culprit& culprit, Layout layout, int number, const char* what,
                    int value) {
  char format[64];
  std::snprintf(format, sizeof format, "Illegal %s setting, %%d\n", what);
  const CallFromC during(culprit, layout);
  if (const Handler handler = c_handler(culprit)) {
    call_c(handler, number, culprit.c_name, format, value);
  } else if (const Handler fortran = fortran_handler(culprit)) {
    call_fortran(fortran, culprit.fortran_name, number - 1);
  } else {
    stop_c(number, culprit.c_name, format, value);
  }
}

void report_size(const Culprit& culprit, Layout layout, int number) {
  const int named = cblas_number(number, layout, culprit.is_batch);
  const CallFromC during(culprit, layout);
  const Handler fortran = fortran_handler(culprit), c = c_handler(culprit);
  if (culprit.is_batch && c) {
    call_c(c, named, culprit.c_name, "", 0);
  } else if (fortran) {
    call_fortran(fortran, culprit.fortran_name, culprit.is_batch ? named - 1 : number);
  } else if (c) {
    call_c(c, during.tells_order() ? number + 1 : named, culprit.c_name, "", 0);
  } else {
    stop_c(named, culprit.c_name, "", 0);
  }
}

}  // namespace tilewise::blas
