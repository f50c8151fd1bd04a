// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels ask the second-level cache for ahead: where both factors begin, each line once, and nothing beyond them.
#include "gemm/gpu/ahead.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "core/divide.hpp"
#include "model/gpu.hpp"

namespace tilewise::gpu {
namespace {

struct Shape {
  std::int64_t m = 1, n = 1, k = 1;
  bool a_along_k = true, b_along_k = false;
  std::int64_t gap = 0;
  Dtype dtype = Dtype::kBF16;
};

std::int64_t size_of_element(const Shape& shape) {
  return static_cast<std::int64_t>(size_of(shape.dtype));
}

constexpr std::uintptr_t kA = 1 << 20, kB = std::uintptr_t{1} << 40;

Problem problem(const Shape& shape) {
  Problem p;
  p.operand = shape.dtype, p.result = shape.dtype;
  p.a_along_k = shape.a_along_k, p.b_along_k = shape.b_along_k;
  kernels::GemmArguments& x = p.arguments;
  x.m = shape.m, x.n = shape.n, x.k = shape.k;
  x.a = {reinterpret_cast<const void*>(kA), (shape.a_along_k ? shape.k : shape.m) + shape.gap, 0,
         nullptr};
  x.b = {reinterpret_cast<const void*>(kB), (shape.b_along_k ? shape.k : shape.n) + shape.gap, 0,
         nullptr};
  return p;
}

// A plan that reads both as they are, by tensor maps.
Plan whole() {
  Plan plan;
  plan.kernel = kernels::find_gemm_kernel("warpgroup_bf16_64x64");
  return plan;
}

// The addresses that threads work out (kernels/gemm/ahead.cuh).
std::set<std::uintptr_t> lines_of(const kernels::GemmAhead& ahead) {
  std::set<std::uintptr_t> all;
  for (std::uint64_t i = 0; i < ahead.lines; ++i) {
    const std::uint64_t row = i * ahead.by_row.multiplier >> ahead.by_row.shift;
    const std::uint64_t in_row = i - row * ahead.by_row.divisor;
    all.insert(reinterpret_cast<std::uintptr_t>(ahead.from) +
               row * static_cast<std::uint64_t>(ahead.pitch) + in_row * kernels::kAheadLine);
  }
  EXPECT_EQ(all.size(), ahead.lines) << "a line twice";
  return all;
}

// Every line of `rows` rows of `bytes` bytes, and no other.
std::set<std::uintptr_t> lines_of(std::uintptr_t from, std::int64_t rows, std::int64_t bytes,
                                  std::int64_t pitch) {
  std::set<std::uintptr_t> all;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t at = 0; at < bytes; at += kernels::kAheadLine)
      all.insert(from + static_cast<std::uintptr_t>(row * pitch + at));
  return all;
}

// `k`: how deep both are expected to be asked for.
void expect_beginnings(const Shape& shape, std::int64_t k) {
  const std::int64_t element = size_of_element(shape);
  const Ahead ahead = ahead_of(whole(), problem(shape));
  const auto of = [&](std::uintptr_t from, bool along_k, std::int64_t lines) {
    return along_k ? lines_of(from, lines, k * element, (shape.k + shape.gap) * element)
                   : lines_of(from, k, lines * element, (lines + shape.gap) * element);
  };
  EXPECT_EQ(lines_of(ahead.a), of(kA, shape.a_along_k, shape.m));
  EXPECT_EQ(lines_of(ahead.b), of(kB, shape.b_along_k, shape.n));
}

TEST(Ahead, IsTheFirstKOfBothInAnyOrder) {
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      SCOPED_TRACE(testing::Message() << "A along k: " << a << ", B along k: " << b);
      expect_beginnings({.m = 512, .n = 768, .k = 512, .a_along_k = a, .b_along_k = b}, 256);
      // Rows that are no whole lines, with gaps between them, are asked for to their ends and no further.
      expect_beginnings({.m = 840, .n = 648, .k = 328, .a_along_k = a, .b_along_k = b, .gap = 8},
                        128);
      expect_beginnings(
          {.m = 256, .n = 256, .k = 256, .a_along_k = a, .b_along_k = b, .dtype = Dtype::kF64},
          128);
    }
}

TEST(Ahead, IsAMegabyteOrTheFirstStepsOfWhatIsLarge) {
  const auto lines = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const Ahead ahead = ahead_of(whole(), problem({.m = m, .n = n, .k = k, .b_along_k = true}));
    EXPECT_EQ(ahead.a.lines % m + ahead.b.lines % n, 0);
    return ahead.a.lines + ahead.b.lines;
  };
  EXPECT_EQ(lines(1024, 1024, 1024), 8192);     // 4 of 16 lines of each row
  EXPECT_EQ(lines(512, 2112, 7168), 4 * 2624);  // steps of 64 k
  EXPECT_EQ(lines(2048, 2048, 2048), 4 * 4096);
  EXPECT_EQ(lines(4096, 4096, 4096), 2 * 8192);
  EXPECT_EQ(lines(16384, 16384, 4096), 0);
  EXPECT_EQ(lines(std::int64_t{1} << 30, 8, 4096), 0);
  EXPECT_EQ(lines(256, 256, 256), 0);
  EXPECT_EQ(lines(8192, 8192, 64), 0);  // a single stage
  EXPECT_EQ(lines(128, 128, 0), 0);
}

TEST(Ahead, IsNothingWhereBlocksBeginElsewhereOrThereIsAPassBefore) {
  const Problem p = problem({.m = 512, .n = 512, .k = 512});
  const auto has_none = [](const Plan& plan, const Problem& of) {
    const Ahead ahead = ahead_of(plan, of);
    return ahead.a.lines == 0 && ahead.b.lines == 0;
  };
  EXPECT_FALSE(has_none(whole(), p));
  Plan plan = whole();
  plan.parts = 2;
  EXPECT_TRUE(has_none(plan, p));
  plan = whole();
  plan.streamed = 3;
  EXPECT_TRUE(has_none(plan, p));
  plan = whole();
  plan.b.preparation = kernels::Preparation::kRestride;
  EXPECT_TRUE(has_none(plan, p));
  plan = whole();
  plan.kernel = kernels::find_gemm_kernel("simt_f32_64x64");
  EXPECT_TRUE(has_none(plan, p));
  Problem batch = p;
  batch.count = 2;
  EXPECT_TRUE(has_none(whole(), batch));
}

}  // namespace
}  // namespace tilewise::gpu
