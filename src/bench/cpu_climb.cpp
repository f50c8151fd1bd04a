// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu_climb.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "bench/check.hpp"
#include "bench/checksum.hpp"
#include "bench/timing.hpp"

namespace tilewise::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Runs worth a median: a second's worth, but two at least (with the first, three) and a hundred at
// most.
int runs_for(double seconds, int requested) {
  if (requested > 0) return requested;
  return static_cast<int>(std::clamp(1 / std::max(seconds, 1e-9), 2.0, 100.0));
}

}  // namespace

CpuClimb::CpuClimb(const LadderRequest& request, const Sizes& sizes, const CpuMultiply& multiply)
    : request_(request),
      sizes_(sizes),
      multiply_(multiply),
      operands_(make_operands<float>(request, sizes)),
      reference_(make_reference(operands_, rows_to_check(sizes, request.seed))) {}

RungResult CpuClimb::run(const kernels::Rung& rung, int threads, bool whole_result) {
  const Clock::time_point start = Clock::now();
  RungResult row;
  row.rung = &rung;
  row.m = sizes_.m;
  row.n = sizes_.n;
  row.k = sizes_.k;
  row.threads = threads;
  const std::int64_t rows = whole_result ? sizes_.m : rows_to_run(rung, threads);
  row.entry = rung.unit;
  if (rows < sizes_.m) row.entry += fmt::format(", {} of {} rows", rows, sizes_.m);

  const double seconds = multiply(rung, threads, operands_, rows, c_);
  row.checksum = fnv1a(std::as_bytes(std::span(c_)));
  check(row, rows);
  if (row.verified && request_.time && sizes_.m > 0 && sizes_.n > 0) time(row, rows, seconds);
  row.host_seconds = seconds_since(start);
  return row;
}

double CpuClimb::multiply(const kernels::Rung& rung, int threads, const Operands<float>& operands,
                          std::int64_t rows, std::vector<float>& c) const {
  const auto& [m, n, k] = operands.sizes;
  // An element that is not written shows; where beta is not 0, C0 is what is added to.
  if (operands.beta == 0) {
    c.assign(static_cast<std::size_t>(m * n), std::numeric_limits<float>::quiet_NaN());
  } else {
    c = operands.c0;
  }
  const cpu::ladder::Product product{.m = rows,
                                     .n = n,
                                     .k = k,
                                     .alpha = operands.alpha,
                                     .a = operands.a.data(),
                                     .a_row = k,
                                     .b = operands.b.data(),
                                     .b_row = n,
                                     .beta = operands.beta,
                                     .c = c.data(),
                                     .c_row = n,
                                     .threads = threads};
  const Clock::time_point start = Clock::now();
  multiply_(rung, product);
  return seconds_since(start);
}

// All of them, unless that would take too long by the time that the first few take.
std::int64_t CpuClimb::rows_to_run(const kernels::Rung& rung, int threads) {
  constexpr double kTooLong = 20, kSome = 2;  // seconds
  constexpr std::int64_t kFew = 48;
  if (sizes_.products() <= kFullCheckProducts || sizes_.m <= kFew) return sizes_.m;
  const double few = multiply(rung, threads, operands_, kFew, c_);
  const double all = few * static_cast<double>(sizes_.m) / kFew;
  if (all <= kTooLong) return sizes_.m;
  return std::clamp(static_cast<std::int64_t>(kSome / few * kFew), kFew, sizes_.m);
}

void CpuClimb::check(RungResult& row, std::int64_t rows) {
  row.verified = true;
  if (sizes_.m == 0 || sizes_.n == 0) return;  // nothing was to be computed
  const std::span<const float> c(c_);
  const auto checked = std::ranges::lower_bound(reference_.rows, rows) - reference_.rows.begin();
  Verdict verdict = rows == sizes_.m
                        ? check_result(operands_, reference_, c, request_.seed)
                        : check_rows(operands_, reference_, c, static_cast<std::size_t>(checked));
  row.verified = verdict.verified;
  row.error = verdict.error;
  row.largest_error = verdict.largest_error;
  row.wrong = std::move(verdict.wrong);
  if (!row.verified || rows < sizes_.m || !needs_exact_run(operands_, reference_)) return;
  if (integers_.sizes.m == 0) integers_ = make_integer_operands(operands_, request_.seed);
  if (integers_.sizes.m == 0) return;  // k is too long for exact sums
  std::vector<float> exact;
  multiply(*row.rung, *row.threads, integers_, rows, exact);
  row.wrong = check_exact(integers_, std::span<const float>(exact), request_.seed);
  row.verified = row.wrong.empty();
}

// Every run computes the same: other bits mean threads that get in each other's way.
void CpuClimb::time(RungResult& row, std::int64_t rows, double first_seconds) {
  std::vector<float> c;
  // Where a run takes long, the first one warmed up for itself.
  if (request_.repeat == 0 && first_seconds > 0.5) row.samples_ms.push_back(1e3 * first_seconds);
  for (int left = runs_for(first_seconds, request_.repeat); left > 0; --left) {
    row.samples_ms.push_back(1e3 * multiply(*row.rung, *row.threads, operands_, rows, c));
    if (std::memcmp(c.data(), c_.data(), c.size() * sizeof(float)) == 0) continue;
    row.verified = false;
    row.wrong = "a second run gave other bits: the threads have a race";
    row.samples_ms.clear();
    return;
  }
  const double milliseconds = median(row.samples_ms);
  if (rows == sizes_.m) row.time_ms = milliseconds;
  const double products =
      operands_.sizes.products() * static_cast<double>(rows) / static_cast<double>(sizes_.m);
  if (products > 0 && milliseconds > 0) row.gflops = 2 * products / (milliseconds * 1e6);
}

npy::Array CpuClimb::last_result() const {
  const auto bytes = std::as_bytes(std::span(c_));
  return {.dtype = Dtype::kF32,
          .order = Order::kRowMajor,
          .rows = sizes_.m,
          .columns = sizes_.n,
          .bytes = {bytes.begin(), bytes.end()}};
}

}  // namespace tilewise::bench
