// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/prepare.hpp"

#include <algorithm>
#include <array>

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
  if (prepared.preparation != Preparation::kPairs) return factor;
  factor.halves = reinterpret_cast<unsigned short*>(workspace + prepared.place.offset) +
                  first * 2 * lines * prepared.leading_dimension;
  const std::int64_t depth = divide_up(k, kernels::kSplitK);
  factor.blocks *= static_cast<int>(depth);
  factor.suspect = reinterpret_cast<unsigned*>(workspace + prepared.suspect.offset) +
                   first * divide_up(lines, kernels::kSplitX) * depth;
  return factor;
}

GemmPairs pairs_of(const PreparedFactor& prepared, bool along_k, device::Address workspace) {
  return {reinterpret_cast<const float*>(workspace + prepared.unscale.offset),
          reinterpret_cast<const unsigned*>(workspace + prepared.suspect.offset),
          prepared.matrices == 1 ? 1 : 0, along_k ? 1 : 0};
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

void restride(const PreparedFactor& prepared, GemmFactor& factor, bool along_k, std::int64_t lines,
              std::int64_t k, std::size_t element, device::Device& device, Kernels& kernels,
              device::Stream& stream, device::Address workspace) {
  device::Kernel& kernel = kernels.find("restride", element == 2   ? "gemm_restride_2"
                                                    : element == 4 ? "gemm_restride_4"
                                                                   : "gemm_restride_8");
  const std::int64_t width = along_k ? k : lines, rows = along_k ? lines : k;
  const device::Address place = workspace + prepared.place.offset;
  for (std::int64_t first = 0; first < prepared.matrices; first += kMostMatrices) {
    kernels::RestrideArguments arguments{};
    arguments.source = from_matrix(factor, first, element);
    arguments.to = reinterpret_cast<void*>(
        place + static_cast<std::uint64_t>(first * prepared.stride) * element);
    arguments.rows = rows;
    arguments.width = width;
    arguments.pitch = prepared.leading_dimension;
    arguments.stride = prepared.stride;
    const std::array<const void*, 1> values{&arguments};
    const std::int64_t bytes = static_cast<std::int64_t>(element);
    device::Launch launch;
    launch.grid = {
        unsign(divide_up(width * bytes, kernels::kRestrideBytes)),
        unsign(std::min<std::int64_t>(divide_up(rows, kernels::kRestrideRows), kMostMatrices)),
        unsign(std::min(kMostMatrices, prepared.matrices - first))};
    launch.block = {kernels::kRestrideThreads, 1, 1};
    launch.arguments = values;
    launch.overlaps_previous = first > 0 && device.gpu().compute_major >= 9;  // it waits by itself
    device.launch(kernel, launch, stream);
  }
  factor = {reinterpret_cast<const void*>(place), prepared.leading_dimension, prepared.stride,
            nullptr};
}

}  // namespace

GemmArguments prepare(const Plan& plan, const Problem& oriented, device::Device& device,
                      Kernels& kernels, device::Stream& stream, device::Address workspace) {
  GemmArguments arguments = oriented.arguments;
  if (plan.b.preparation == Preparation::kPairs)
    split(plan, oriented, arguments, device, kernels, stream, workspace);
  const std::size_t element = size_of(oriented.operand);
  if (plan.a.preparation == Preparation::kRestride)
    restride(plan.a, arguments.a, oriented.a_along_k, oriented.m(), oriented.k(), element, device,
             kernels, stream, workspace);
  if (plan.b.preparation == Preparation::kRestride)
    restride(plan.b, arguments.b, oriented.b_along_k, oriented.n(), oriented.k(), element, device,
             kernels, stream, workspace);
  return arguments;
}

}  // namespace tilewise::gpu
