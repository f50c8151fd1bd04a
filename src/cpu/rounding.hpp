// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products whose result has 16 bits.
#pragma once

#include <algorithm>

#include "cpu/convert/convert.hpp"
#include "cpu/prepared.hpp"
#include "cpu/workspace.hpp"

namespace tilewise::cpu {

// C in 16 bits: some rows at a time are computed in f32 and then rounded, each element once.
template <class In> class Rounding {
 public:
  using Sums = Problem<In, In, float, float>;

  Rounding(Engine& engine, const Problem<In, In, In, float>& problem, int threads)
      : engine_(engine), problem_(problem), threads_(threads), rows_(rows_at_a_time()) {}

  void run() {
    if (problem_.m == 0 || problem_.n == 0) return;
    const std::size_t sums = static_cast<std::size_t>(
        round_up((rows_ + 1) * problem_.n * static_cast<std::int64_t>(sizeof(float)), 4096));
    // The last rows may be fewer, and their plan another.
    const std::size_t bytes = std::max(bytes_for(rows_), bytes_for((problem_.m - 1) % rows_ + 1));
    if (sums <= kStackBytes && bytes == 0) {
      alignas(64) std::byte buffer[kStackBytes];
      return run_in(buffer, nullptr);
    }
    const WorkspacePool::Lease lease(engine_.workspaces(), sums + bytes);
    run_in(lease.data(), lease.data() + sums);
  }

 private:
  std::int64_t rows_at_a_time() const {
    constexpr std::int64_t kElements = 1 << 20;
    const std::int64_t rows = kElements / std::max<std::int64_t>(1, problem_.n);
    return std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(1, problem_.m));
  }

  Sums part(std::int64_t first, std::int64_t count, float* sums) const {
    Sums part{count,      problem_.n, problem_.k, problem_.alpha, problem_.a,
              problem_.b, 0,          sums,       problem_.n};
    if (part.a.data) part.a.data += first * problem_.a.row_stride;
    return part;
  }

  std::size_t bytes_for(std::int64_t count) const {
    return Prepared<Sums>(engine_, part(0, count, nullptr), threads_).bytes();
  }

  void run_in(std::byte* sums_buffer, std::byte* buffer) {
    float* const sums = reinterpret_cast<float*>(sums_buffer);
    for (std::int64_t first = 0; first < problem_.m; first += rows_) {
      const Sums rows = part(first, std::min(rows_, problem_.m - first), sums);
      Prepared<Sums>(engine_, rows, threads_).go(rows, buffer);
      for (std::int64_t i = 0; i < rows.m; ++i) {
        round_row(sums + i * problem_.n, first + i, sums + rows_ * problem_.n);
      }
    }
  }

  void round_row(float* sum, std::int64_t i, float* before) const {
    In* const c = problem_.c + i * problem_.c_stride;
    if (problem_.beta != 0) {
      to_f32(c, before, problem_.n);
      for (std::int64_t j = 0; j < problem_.n; ++j) sum[j] += problem_.beta * before[j];
    }
    from_f32(sum, c, problem_.n);
  }

  Engine& engine_;
  const Problem<In, In, In, float>& problem_;
  const int threads_;
  const std::int64_t rows_;
};

}  // namespace tilewise::cpu
