// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/ahead.hpp"

#include <algorithm>

#include "core/divide.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmAhead;
using kernels::GemmFactor;

// Of all of A and B: of less, TMA has asked by the time that other threads are ready to.
constexpr std::int64_t kLeastBytes = 512 * 1024;
// As measured on an H200 (docs/lab/gpu_gemm.md): a megabyte; of large factors, of which that is next to nothing, two, but
// no more of k than stages hold. More keeps memory from what is needed first.
constexpr std::int64_t kMostLines = 8192, kMostLinesOfLarge = 16384, kMostDepthOfLarge = 4;

// Rows of a factor as it lies in memory, and how many lines of each.
struct Beginning {
  std::int64_t rows, lines;

  [[nodiscard]] std::int64_t all() const { return rows * lines; }
};

// `depth`: of k, in as many elements as a line holds.
Beginning beginning_of(bool along_k, std::int64_t lines, const Problem& oriented,
                       std::int64_t depth) {
  const auto element = static_cast<std::int64_t>(size_of(oriented.operand));
  const std::int64_t deep = std::min(oriented.k(), depth * kernels::kAheadLine / element);
  const std::int64_t width = along_k ? deep : lines;
  return {along_k ? lines : deep, divide_up(width * element, std::int64_t{kernels::kAheadLine})};
}

GemmAhead lines_of(const Beginning& beginning, const GemmFactor& factor, const Problem& oriented) {
  const auto element = static_cast<std::int64_t>(size_of(oriented.operand));
  return {factor.address, factor.leading_dimension * element,
          static_cast<unsigned>(beginning.all()),
          kernels::divide_by(static_cast<unsigned>(beginning.lines))};
}

}  // namespace

Ahead ahead_of(const Plan& plan, const Problem& oriented) {
  using kernels::Preparation;
  const bool is_whole = oriented.count == 1 && plan.parts == 1 && plan.streamed == 0;
  const bool is_as_given =
      plan.a.preparation == Preparation::kNone && plan.b.preparation == Preparation::kNone;
  if (!is_whole || !is_as_given || plan.kernel->box_a.lines == 0) return {};
  const auto bytes = [&](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(size_of(oriented.operand));
  };
  if (bytes(oriented.k()) < divide_up(kLeastBytes, oriented.m() + oriented.n())) return {};
  Ahead deepest;
  // The second half of k TMA asks for in good time.
  for (std::int64_t depth = 1; depth * 2 * kernels::kAheadLine <= bytes(oriented.k()); depth *= 2) {
    const Beginning a = beginning_of(oriented.a_along_k, oriented.m(), oriented, depth);
    const Beginning b = beginning_of(oriented.b_along_k, oriented.n(), oriented, depth);
    if (a.all() + b.all() > (depth <= kMostDepthOfLarge ? kMostLinesOfLarge : kMostLines)) break;
    deepest = {lines_of(a, oriented.arguments.a, oriented),
               lines_of(b, oriented.arguments.b, oriented)};
  }
  return deepest;
}

}  // namespace tilewise::gpu
