// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/host_loop.hpp"

#include <algorithm>
#include <numeric>

namespace tilewise::bench {

std::vector<std::int64_t> host_rows(const Sizes& sizes, std::span<const std::int64_t> sampled,
                                    bool whole) {
  std::vector<std::int64_t> rows;
  if (whole || sizes.products() <= kFullCheckProducts) {
    rows.resize(static_cast<std::size_t>(sizes.m));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
  } else {
    const double row_products = static_cast<double>(sizes.n) * static_cast<double>(sizes.k);
    const double count =
        std::clamp(kFullCheckProducts / 2 / row_products, 1.0, static_cast<double>(sampled.size()));
    rows.assign(sampled.begin(), sampled.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return rows;
}

template <class T>
void host_loop(const Operands<T>& operands, std::span<const std::int64_t> rows, std::vector<T>& c) {
  const std::int64_t n = operands.sizes.n, k = operands.sizes.k;
  for (const std::int64_t i : rows) {
    for (std::int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += operands.a[i * k + p] * operands.b[p * n + j];
      T& result = c[i * n + j];
      result = operands.alpha * sum;
      if (operands.beta != 0) result += operands.beta * operands.c0[i * n + j];
    }
  }
}

template void host_loop(const Operands<float>&, std::span<const std::int64_t>, std::vector<float>&);
template void host_loop(const Operands<double>&, std::span<const std::int64_t>,
                        std::vector<double>&);

}  // namespace tilewise::bench
