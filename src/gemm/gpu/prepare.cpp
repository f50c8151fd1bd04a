// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/prepare.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/divide.hpp"
#include "kernels/gemm/restride.hpp"
#include "kernels/gemm/split_f32.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmArguments;
using kernels::GemmFactor;
using kernels::GemmPairs;
using kernels::Preparation;

std::uint32_t unsign(std::int64_t x) { return static_cast<std::uint32_t>(x); }

GemmFactor from_matrix(GemmFactor factor, std::int64_t first, std::size_t element) {
  if (factor.pointers != nullptr) factor.pointers += first;
  else
    factor.address = static_cast<const std::byte*>(factor.address) +
                     first * factor.stride * static_cast<std::int64_t>(element);
  return factor;
}

kernels::SplitFactor split_factor(const PreparedFactor& prepared, const GemmFactor& source,
                                  bool along_k, std::int64_t lines, std::int64_t k,
                                  std::int64_t first, device::Address workspace) {
  kernels::SplitFactor factor{};
  factor.source = from_matrix(source, first, sizeof(float));
  factor.along_k = along_k;
  factor.lines = static_cast<int>(lines);
  factor.matrices =
      static_cast<int>(std::clamp<std::int64_t>(prepared.matrices - first, 0, kMostMatrices));
  factor.unscale = reinterpret_cast<float*>(workspace + prepared.unscale.offset) + first * lines;
  factor.blocks = static_cast<int>(divide_up(lines, kernels::kSplitX));
  factor.by_across = kernels::divide_by(static_cast<unsigned>(factor.blocks));
  factor.sample_step =
      static_cast<int>(along_k ? std::max<std::int64_t>(k - 8, 0) / 3 : (k - 1) / 31);
  if (prepared.preparation != Preparation::kPairs) return factor;
  factor.halves = reinterpret_cast<unsigned short*>(workspace + prepared.place.offset) +
                  first * 2 * lines * prepared.leading_dimension;
  factor.blocks *= static_cast<int>(divide_up(k, kernels::kSplitK));
  factor.suspect = reinterpret_cast<unsigned short*>(workspace + prepared.suspect.offset) +
                   first * divide_up(lines, kernels::kSplitX) * divide_up(k, kernels::kSuspectK);
  return factor;
}

GemmPairs pairs_of(const PreparedFactor& prepared, bool along_k, device::Address workspace) {
  return {reinterpret_cast<const float*>(workspace + prepared.unscale.offset),
          reinterpret_cast<const unsigned short*>(workspace + prepared.suspect.offset),
          prepared.matrices == 1 ? 1 : 0,
          along_k ? 1 : 0,
          reinterpret_cast<const unsigned short*>(workspace + prepared.place.offset),
          prepared.leading_dimension};
}

void split(const Plan& plan, const Problem& oriented, GemmArguments& arguments,
           device::Device& device, Kernels& kernels, device::Stream& stream,
           device::Address workspace) {
  device::Kernel& kernel = kernels.find("split_f32", "gemm_split_f32");
  const std::int64_t m = oriented.m(), n = oriented.n(), k = oriented.k();
  const std::int64_t matrices = std::max(plan.a.matrices, plan.b.matrices);
  for (std::int64_t first = 0; first < matrices; first += kMostMatrices) {
    kernels::SplitArguments split{};
    split.factors[0] =
        split_factor(plan.a, arguments.a, oriented.a_along_k, m, k, first, workspace);
    split.factors[1] =
        split_factor(plan.b, arguments.b, oriented.b_along_k, n, k, first, workspace);
    split.k = static_cast<int>(k);
    split.pitch = static_cast<int>(plan.b.leading_dimension);
    split.arrivals = reinterpret_cast<unsigned*>(workspace + plan.arrivals.offset);
    split.arrivals_count = static_cast<int>(plan.arrivals.bytes / sizeof(unsigned));
    const std::array<const void*, 1> values{&split};
    device::Launch launch;
    launch.grid = {unsign(split.factors[0].blocks + split.factors[1].blocks), 1,
                   unsign(std::min(kMostMatrices, matrices - first))};
    launch.block = {kernels::kSplitThreads, 1, 1};
    launch.arguments = values;
    launch.overlaps_previous = first > 0 && device.gpu().compute_major >= 9;  // it waits by itself
    device.launch(kernel, launch, stream);
  }
  arguments.pairs_a = pairs_of(plan.a, oriented.a_along_k, workspace);
  arguments.pairs_b = pairs_of(plan.b, oriented.b_along_k, workspace);
}

// What is to be copied of a factor, in halves; nothing where its rows are aligned.
kernels::RestrideFactor restride_factor(const PreparedFactor& prepared, const GemmFactor& source,
                                        bool along_k, std::int64_t lines, std::int64_t k,
                                        std::size_t element, std::int64_t first,
                                        device::Address workspace) {
  kernels::RestrideFactor factor{};
  if (prepared.preparation != Preparation::kRestride) return factor;
  const auto halves = static_cast<std::int64_t>(element / 2);
  factor.source = from_matrix(source, first, element);
  factor.source.leading_dimension *= halves;
  factor.source.stride *= halves;
  factor.rows = along_k ? lines : k;
  factor.width = (along_k ? k : lines) * halves;
  factor.pitch = prepared.leading_dimension * halves;
  factor.stride = prepared.stride * halves;
  factor.to =
      reinterpret_cast<unsigned short*>(workspace + prepared.place.offset) + first * factor.stride;
  factor.matrices =
      static_cast<int>(std::clamp<std::int64_t>(prepared.matrices - first, 0, kMostMatrices));
  const std::int64_t all = divide_up(factor.width, std::int64_t{kernels::kRestridePiece});
  factor.end_blocks = unsign(
      divide_up(factor.rows * kernels::kRestrideEnds, std::int64_t{kernels::kRestrideThreads}));
  const std::int64_t pieces = all - kernels::kRestrideEnds;
  if (pieces <= 0) return factor;
  constexpr unsigned kMostLanes = 128;
  const unsigned lanes = std::min(
      kMostLanes, std::bit_ceil(static_cast<unsigned>(std::min<std::int64_t>(pieces, kMostLanes))));
  factor.lanes_log2 = std::countr_zero(lanes);
  factor.across = unsign(divide_up(pieces, std::int64_t{lanes}));
  const std::int64_t rows =
      std::int64_t{kernels::kRestrideThreads / lanes} * kernels::kRestridePieces;
  factor.blocks = factor.across * unsign(divide_up(factor.rows, rows));
  return factor;
}

void restride(const Plan& plan, const Problem& oriented, GemmArguments& arguments,
              device::Device& device, Kernels& kernels, device::Stream& stream,
              device::Address workspace) {
  device::Kernel& kernel = kernels.find("restride", "gemm_restride");
  const std::size_t element = size_of(oriented.operand);
  const auto matrices_of = [](const PreparedFactor& factor) {
    return factor.preparation == Preparation::kRestride ? factor.matrices : 0;
  };
  const std::int64_t matrices = std::max(matrices_of(plan.a), matrices_of(plan.b));
  for (std::int64_t first = 0; first < matrices; first += kMostMatrices) {
    kernels::RestrideArguments restride{};
    restride.factors[0] = restride_factor(plan.a, arguments.a, oriented.a_along_k, oriented.m(),
                                          oriented.k(), element, first, workspace);
    restride.factors[1] = restride_factor(plan.b, arguments.b, oriented.b_along_k, oriented.n(),
                                          oriented.k(), element, first, workspace);
    restride.arrivals = reinterpret_cast<unsigned*>(workspace + plan.arrivals.offset);
    restride.arrivals_count = static_cast<int>(plan.arrivals.bytes / sizeof(unsigned));
    const std::array<const void*, 1> values{&restride};
    device::Launch launch;
    std::uint32_t blocks = 0;
    for (const kernels::RestrideFactor& factor : restride.factors)
      blocks += factor.blocks + factor.end_blocks;
    launch.grid = {blocks, 1, unsign(std::min(kMostMatrices, matrices - first))};
    launch.block = {kernels::kRestrideThreads, 1, 1};
    launch.arguments = values;
    launch.overlaps_previous = first > 0 && device.gpu().compute_major >= 9;  // it waits by itself
    device.launch(kernel, launch, stream);
  }
  const auto replace = [&](GemmFactor& factor, const PreparedFactor& prepared) {
    if (prepared.preparation != Preparation::kRestride) return;
    factor = {reinterpret_cast<const void*>(workspace + prepared.place.offset),
              prepared.leading_dimension, prepared.stride, nullptr};
  };
  replace(arguments.a, plan.a);
  replace(arguments.b, plan.b);
}

}  // namespace

GemmArguments prepare(const Plan& plan, const Problem& oriented, device::Device& device,
                      Kernels& kernels, device::Stream& stream, device::Address workspace) {
  GemmArguments arguments = oriented.arguments;
  if (plan.b.preparation == Preparation::kPairs)
    split(plan, oriented, arguments, device, kernels, stream, workspace);
  if (plan.a.preparation == Preparation::kRestride || plan.b.preparation == Preparation::kRestride)
    restride(plan, oriented, arguments, device, kernels, stream, workspace);
  return arguments;
}

}  // namespace tilewise::gpu
