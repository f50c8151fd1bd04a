// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "blas/threads.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "gemm/context.hpp"

namespace tilewise::blas {

int threads_in(const char* of_tilewise, const char* of_openmp, int cores) {
  if ((of_tilewise != nullptr && *of_tilewise != '\0') || of_openmp == nullptr) return 0;
  std::string_view text(of_openmp);
  constexpr std::string_view kSpaces = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  int count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, count);
  if (failure != std::errc() || count < 1 || count > api::kMostThreads) return 0;
  const std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  const std::size_t next = rest.find_first_not_of(kSpaces);
  if (next != std::string_view::npos && rest[next] != ',') return 0;
  return std::min(count, std::max(1, cores));
}

}  // namespace tilewise::blas
