// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_room.hpp"

#include <algorithm>
#include <span>

#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every float
// Of what is free: for operands as for results; the rest is for the libraries' workspaces.
constexpr double kShareOfMemory = 0.4;

}  // namespace

std::uint64_t GpuRoom::memory() const {
  return static_cast<std::uint64_t>(kShareOfMemory * static_cast<double>(device_.free_memory()));
}

void GpuRoom::enter(const GpuProblem& problem, const std::vector<GpuProblem>& problems) {
  if (filled_ != problem.dtype) make_room(problem.dtype, problems);
  arrangement_ = arrange(problem, cache(), room_);
  problem_ = problem;
  pool_->lay_out(problem, arrangement_);
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
  return BatchReference(problem_, from(0), from(arrangement_.b_offset), seed_,
                        [this](std::int64_t j) { return pool_->column_exponent(j); });
}

SampledVerdict GpuRoom::check(GpuProduct& product, const BatchReference& reference) {
  const GpuMatrices first = matrices(0);
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(problem_.shape.batch * problem_.shape.m * problem_.ldc) *
      size_of(problem_.result);
  device_.fill(first.c, kPoison, bytes, stream_);
  product.enqueue(first, stream_);
  if (c_.size() < bytes) c_.resize(bytes);
  device_.copy_to_host(c_.data(), first.c, bytes, stream_);
  stream_.synchronize();
  return reference.check(std::span(c_).first(bytes));
}

}  // namespace tilewise::bench
