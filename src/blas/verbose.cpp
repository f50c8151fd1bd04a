// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "blas/verbose.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>

#include "gemm/verbose.hpp"

namespace tilewise::blas {
namespace {

// `printed`: what snprintf returned for `line`. Leaves errno as it was: a product is not a system call.
template <std::size_t size> void write_line(char (&line)[size], int printed) noexcept {
  if (printed < 0) return;
  const std::size_t length = std::min<std::size_t>(static_cast<std::size_t>(printed), size - 1);
  line[length - 1] = '\n';
  const int before = errno;
  while (::write(STDERR_FILENO, line, length) < 0 && errno == EINTR) {
  }
  errno = before;
}

template <class T> double operations(const Call<T>& call) noexcept {
  if (call.alpha == 0) return 0;
  return 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) *
         static_cast<double>(call.k) * static_cast<double>(call.count);
}

// The shortest text that reads as the same number: what the caller wrote.
struct Text {
  char text[32] = "";
};
template <class T> Text text_of(T value) noexcept {
  Text result;
  std::to_chars(result.text, result.text + sizeof result.text - 1, value);
  return result;
}

template <class T> void tell_any(const Call<T>& call, const char* how, double seconds) noexcept {
  char line[512], batch[128] = "";
  if (call.is_batch) {
    std::snprintf(batch, sizeof batch,
                  " strides=%" PRId64 ",%" PRId64 ",%" PRId64 " count=%" PRId64, call.stride_a,
                  call.stride_b, call.stride_c, call.count);
  }
  const int printed = std::snprintf(
      line, sizeof line,
      "tilewise: %s %s %c%c m=%" PRId64 " n=%" PRId64 " k=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64
      " ldc=%" PRId64 " alpha=%s beta=%s%s: %s, %.3f ms, %.1f GFLOP/s\n",
      call.name, call.layout == Layout::kRowMajor ? "row-major" : "column-major",
      static_cast<char>(call.trans_a), static_cast<char>(call.trans_b), call.m, call.n, call.k,
      call.lda, call.ldb, call.ldc, text_of(call.alpha).text, text_of(call.beta).text, batch, how,
      seconds * 1e3, seconds > 0 ? operations(call) / seconds * 1e-9 : 0.0);
  write_line(line, printed);
}

}  // namespace

bool verbose() noexcept { return api::verbose(); }

void tell(const Call<float>& call, const char* how, double seconds) noexcept {
  tell_any(call, how, seconds);
}
void tell(const Call<double>& call, const char* how, double seconds) noexcept {
  tell_any(call, how, seconds);
}

void say_once(const char* name, const char* why) noexcept {
  static std::atomic_flag said;
  if (said.test_and_set()) return;
  char line[512];
  write_line(line, std::snprintf(line, sizeof line,
                                 "tilewise: %s: %s; computing in a plain loop, which is slow\n",
                                 name, why));
}

}  // namespace tilewise::blas
