// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_room.hpp"

#include <algorithm>
#include <span>

#include "core/elements.hpp"
#include "core/random.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every float
// Of what is free: for operands as for results; the rest is for the libraries' workspaces.
constexpr double kShareOfMemory = 0.4;
constexpr std::size_t kPeriodOfC = 1'048'573;  // elements; a prime: no row length divides it
constexpr std::uint64_t kStreamOfC = 5;

}  // namespace

std::uint64_t GpuRoom::memory() const {
  return static_cast<std::uint64_t>(kShareOfMemory * static_cast<double>(device_.free_memory()));
}

void GpuRoom::enter(const GpuProblem& problem, const std::vector<GpuProblem>& problems) {
  if (filled_ != problem.dtype) make_room(problem.dtype, problems);
  arrangement_ = arrange(problem, cache(), room_);
  problem_ = problem;
  pool_->lay_out(problem, arrangement_);
  if (problem.scaling.beta != 0) begin_results(arrangement_.sets);
}

std::uint64_t GpuRoom::result_bytes() const {
  return static_cast<std::uint64_t>(problem_.shape.batch * problem_.shape.m * problem_.ldc) *
         size_of(problem_.result);
}

// What is read of C before the first of so many sets is random as A and B are, so that the work is as hard.
void GpuRoom::begin_results(int sets) {
  if (problem_.scaling.beta == 0) {
    device_.fill(matrices(0).c, kPoison, result_bytes(), stream_);
    return;
  }
  const std::size_t element = size_of(problem_.result);
  std::vector<std::byte> period(kPeriodOfC * element);
  first_c_.resize(kPeriodOfC);
  for (std::size_t i = 0; i < first_c_.size(); ++i) first_c_[i] = random_unit(seed_, kStreamOfC, i);
  write_elements(problem_.result, first_c_.data(), kPeriodOfC, period.data());
  read_elements(problem_.result, period.data(), 1, kPeriodOfC, first_c_.data());
  for (int set = 0; set < sets; ++set) {
    for (std::uint64_t at = 0; at < result_bytes(); at += period.size()) {
      device_.copy_to_device(matrices(set).c + at, period.data(),
                             std::min<std::uint64_t>(period.size(), result_bytes() - at), stream_);
    }
  }
  stream_.synchronize();  // copies read `period`
}

// Room for the largest problem of the dtype that the device holds.
void GpuRoom::make_room(Dtype dtype, const std::vector<GpuProblem>& problems) {
  pool_.reset(), results_.reset();
  room_ = memory();
  std::int64_t operands = 1;
  std::uint64_t results = 1;
  for (const GpuProblem& problem : problems) {
    if (problem.dtype != dtype) continue;
    try {
      const Arrangement arrangement = arrange(problem, cache(), room_);
      operands = std::max(operands, pool_elements(arrangement));
      results = std::max(results, static_cast<std::uint64_t>(result_elements(arrangement)) *
                                      size_of(problem.result));
    } catch (const Error&) {  // enter() says it of the problem
    }
  }
  pool_.emplace(device_, stream_, dtype, kind_, seed_, operands);
  results_.emplace(device_, results);
  filled_ = dtype;
}

GpuMatrices GpuRoom::matrices(int set) const {
  const std::int64_t first = set * arrangement_.ab_stride;
  return {pool_->address(first), pool_->address(first + arrangement_.b_offset),
          results_->address() +
              static_cast<std::uint64_t>(set * arrangement_.c_stride) * size_of(problem_.result)};
}

BatchReference GpuRoom::reference() const {
  const auto from = [this](std::int64_t offset) {
    return [this, offset](std::int64_t first, std::int64_t stride, std::int64_t count, double* to) {
      pool_->read(offset + first, stride, count, to);
    };
  };
  const auto c = [this](std::int64_t first, std::int64_t stride, std::int64_t count, double* to) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = first_c_[static_cast<std::size_t>(first + i * stride) % kPeriodOfC];
  };
  return BatchReference(problem_, from(0), from(arrangement_.b_offset), c, seed_,
                        [this](std::int64_t j) { return pool_->column_exponent(j); });
}

SampledVerdict GpuRoom::check(GpuProduct& product, const BatchReference& reference) {
  const GpuMatrices first = matrices(0);
  const std::uint64_t bytes = result_bytes();
  begin_results(1);
  product.enqueue(first, stream_);
  if (c_.size() < bytes) c_.resize(bytes);
  device_.copy_to_host(c_.data(), first.c, bytes, stream_);
  stream_.synchronize();
  return reference.check(std::span(c_).first(bytes));
}

}  // namespace tilewise::bench
