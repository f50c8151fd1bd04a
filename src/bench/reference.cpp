// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

// A block of C that one thread computes: its sums and magnitudes (16 KB) stay in the L1 cache while
// each row of B's panel passes once.
constexpr std::int64_t kBlockRows = 8, kBlockColumns = 128;
constexpr std::int64_t kSampledRows = 256;
constexpr std::int64_t kFullCheckElements = 1 << 26;  // 1 GiB of reference

struct Block {
  std::array<std::array<double, kBlockColumns>, kBlockRows> sums{}, magnitudes{};
};

// sums += a · row of B, magnitudes += |a| · |row of B|. The fixed length of the full case is what lets
// the compiler vectorise it.
template <class T>
void add_product(double a, const T* b, std::int64_t count, double* sums, double* magnitudes) {
  const double a_magnitude = std::abs(a);
  for (std::int64_t j = 0; j < count; ++j) {
    const double value = b[j];
    sums[j] += a * value;
    magnitudes[j] += a_magnitude * std::abs(value);
  }
}

template <class T>
void compute_block(const Operands<T>& operands, Reference& reference, std::int64_t first_row,
                   std::int64_t first_column) {
  const std::int64_t n = operands.sizes.n, k = operands.sizes.k;
  const auto row_count = static_cast<std::int64_t>(reference.rows.size());
  const std::int64_t rows = std::min(kBlockRows, row_count - first_row);
  const std::int64_t columns = std::min(kBlockColumns, n - first_column);
  Block block;
  for (std::int64_t p = 0; p < k; ++p) {
    const T* b = &operands.b[p * n + first_column];
    for (std::int64_t r = 0; r < rows; ++r) {
      const double a = operands.a[reference.rows[first_row + r] * k + p];
      add_product(a, b, columns, block.sums[r].data(), block.magnitudes[r].data());
    }
  }
  const double alpha = operands.alpha, beta = operands.beta;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double value = alpha * block.sums[r][j];
      double magnitude = std::abs(alpha) * block.magnitudes[r][j];
      if (beta != 0) {
        const double c0 = operands.c0[reference.rows[first_row + r] * n + first_column + j];
        value += beta * c0;
        magnitude += std::abs(beta) * std::abs(c0);
      }
      const std::int64_t index = (first_row + r) * n + first_column + j;
      reference.values[index] = value;
      reference.magnitudes[index] = magnitude;
    }
  }
}

}  // namespace

std::vector<std::int64_t> rows_to_check(const Sizes& sizes, std::uint64_t seed) {
  const auto& [m, n, k] = sizes;
  const bool all = sizes.products() <= kFullCheckProducts && m * n <= kFullCheckElements;
  if (all || m <= kSampledRows) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(m));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    return rows;
  }
  // One random row out of each of as many equal parts, so that the sample is spread over all of C.
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < kSampledRows; ++i) {
    const std::int64_t begin = m * i / kSampledRows, end = m * (i + 1) / kSampledRows;
    const double unit = (random_unit(seed, 99, static_cast<std::uint64_t>(i)) + 1) / 2;
    rows.push_back(begin + static_cast<std::int64_t>(unit * static_cast<double>(end - begin)));
  }
  rows.front() = 0;
  rows.back() = m - 1;
  return rows;
}

template <class T>
Reference make_reference(const Operands<T>& operands, std::vector<std::int64_t> rows) {
  Reference reference;
  reference.columns = operands.sizes.n;
  reference.rows = std::move(rows);
  const auto row_count = static_cast<std::int64_t>(reference.rows.size());
  reference.complete = row_count == operands.sizes.m;
  reference.values.resize(static_cast<std::size_t>(row_count * reference.columns));
  reference.magnitudes.resize(reference.values.size());
  const std::int64_t down = (row_count + kBlockRows - 1) / kBlockRows;
  const std::int64_t across = (reference.columns + kBlockColumns - 1) / kBlockColumns;
  // Down first: neighbouring tasks share a panel of B in the cache.
  parallel_for(static_cast<std::uint64_t>(down * across), 0, [&](int, std::uint64_t task) {
    const auto block = static_cast<std::int64_t>(task);
    compute_block(operands, reference, block % down * kBlockRows, block / down * kBlockColumns);
  });
  return reference;
}

template Reference make_reference(const Operands<float>&, std::vector<std::int64_t>);
template Reference make_reference(const Operands<double>&, std::vector<std::int64_t>);

}  // namespace tilewise::bench
