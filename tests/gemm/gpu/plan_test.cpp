// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans without a device: what is chosen, what is refused, what the workspace holds.
#include "gemm/gpu/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gemm/gpu/estimate.hpp"
#include "model/gpu.hpp"

namespace tilewise::gpu {
namespace {

struct Shape {
  std::int64_t m = 1, n = 1, k = 1, count = 1;
  Dtype operand = Dtype::kF32, result = Dtype::kF32;
  ComputeMode mode = ComputeMode::kIeee;
  std::uintptr_t address = 4096;
  Order order_a = Order::kRowMajor, order_b = Order::kRowMajor, order_c = Order::kRowMajor;
};

Problem problem(const Shape& shape) {
  const auto batch = [&](std::int64_t rows, std::int64_t columns, Order order, Dtype dtype) {
    const std::int64_t width = order == Order::kRowMajor ? columns : rows;
    const api::Matrix matrix{
        reinterpret_cast<const void*>(shape.address), rows, columns, width, order,
        static_cast<std::int64_t>(size_of(dtype))};
    return api::Batch{matrix, rows * columns, nullptr, true};
  };
  const Scalar one{1, nullptr, false}, zero{0, nullptr, false};
  return problem_of(shape.operand, shape.result, shape.mode, shape.count, one,
                    batch(shape.m, shape.k, shape.order_a, shape.operand),
                    batch(shape.k, shape.n, shape.order_b, shape.operand), zero,
                    batch(shape.m, shape.n, shape.order_c, shape.result));
}

const model::Gpu& h200() { return model::find_gpu("h200"); }

Plan choice(const Shape& shape, std::uint64_t limit = kNoLimit) {
  return choose(problem(shape), h200(), limit);
}

void expect_error(ErrorCode code, const std::string& words, const auto& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Problem, AColumnMajorResultIsTheTransposedProduct) {
  const Problem p = problem({.m = 3, .n = 5, .k = 7, .order_c = Order::kColumnMajor});
  EXPECT_EQ(p.m(), 5);
  EXPECT_EQ(p.n(), 3);
  EXPECT_EQ(p.k(), 7);
  EXPECT_FALSE(p.a_along_k);  // Bᵀ of a row-major B
  EXPECT_TRUE(p.b_along_k);
  EXPECT_EQ(p.arguments.a.leading_dimension, 5);
  EXPECT_EQ(p.arguments.b.leading_dimension, 7);
  EXPECT_EQ(p.arguments.c.leading_dimension, 3);
}

TEST(Problem, VectorsAreAlongKAndAlignedWhereTheyBegin) {
  const auto batch = [](std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension) {
    const api::Matrix matrix{reinterpret_cast<const void*>(4096),
                             rows,
                             columns,
                             leading_dimension,
                             Order::kRowMajor,
                             sizeof(std::uint16_t)};
    return api::Batch{matrix, 0, nullptr, true};
  };
  const auto problem = [&](const api::Batch& a, const api::Batch& b, const api::Batch& c) {
    const Scalar one{1, nullptr, false}, zero{0, nullptr, false};
    return problem_of(Dtype::kBF16, Dtype::kBF16, ComputeMode::kIeee, 1, one, a, b, zero, c);
  };
  const Problem column = problem(batch(8, 77, 80), batch(77, 1, 1), batch(8, 1, 1));
  EXPECT_TRUE(column.a_along_k);
  EXPECT_TRUE(column.b_along_k);
  EXPECT_EQ(alignment_of(column.arguments.b, 1, 2), 256);
  const Problem row = problem(batch(1, 77, 77), batch(77, 5, 5), batch(1, 5, 5));
  EXPECT_EQ(alignment_of(row.arguments.a, 1, 2), 256);
  EXPECT_EQ(alignment_of(row.arguments.b, 1, 2), 2);
  // Its elements are not neighbours.
  EXPECT_FALSE(problem(batch(8, 77, 80), batch(77, 1, 3), batch(8, 1, 1)).b_along_k);
}

TEST(Problem, AlignmentIsThatOfAddressLeadingDimensionAndStride) {
  const auto aligned = [](std::uintptr_t address, long long leading, long long stride,
                          std::int64_t count) {
    return alignment_of({reinterpret_cast<const void*>(address), leading, stride, nullptr}, count,
                        2);
  };
  EXPECT_EQ(aligned(4096, 128, 0, 1), 256);
  EXPECT_EQ(aligned(4096, 4, 0, 1), 8);
  EXPECT_EQ(aligned(4098, 128, 0, 1), 2);
  EXPECT_EQ(aligned(4096, 128, 8, 1), 256);  // the stride of one matrix leads nowhere
  EXPECT_EQ(aligned(4096, 128, 8, 2), 16);
  const void* const pointers[1] = {};
  EXPECT_EQ(alignment_of({nullptr, 128, 0, pointers}, 2, 2), 2);
}

TEST(Plans, LargeOnesTakeLargeTilesAndSmallOnesSmall) {
  EXPECT_EQ(choice({.m = 4096, .n = 4096, .k = 4096}).kernel->name, "simt_f32_128x128_aligned");
  // A pass that aligns A and B is worth its time where they are large.
  EXPECT_EQ(choice({.m = 4096, .n = 4095, .k = 4095}).kernel->name, "simt_f32_128x128_aligned");
  EXPECT_EQ(choice({.m = 1023, .n = 1021, .k = 64}).kernel->alignment, 0);
  EXPECT_EQ(choice({.m = 48, .n = 48, .k = 48}).kernel->name, "simt_f32_small_16x16_aligned");
  EXPECT_EQ(choice({.m = 127, .n = 129, .k = 131}).kernel->name, "simt_f32_small_16x16");
  EXPECT_EQ(choice({.m = 256, .n = 256, .k = 256, .mode = ComputeMode::kAccurate}).kernel->name,
            "simt_f32_small_16x32_aligned");
  EXPECT_EQ(choice({.m = 64, .n = 64, .k = 4096}).kernel->name, "simt_f32_32x32");
  const Shape f64{.m = 4096, .n = 4096, .k = 4096, .operand = Dtype::kF64, .result = Dtype::kF64};
  EXPECT_EQ(choice(f64).kernel->name, "hopper_f64_128x128");
  // Where they are small, factors of any alignment come without one.
  const Shape odd{.m = 1023, .n = 1021, .k = 1019, .operand = Dtype::kF64, .result = Dtype::kF64};
  EXPECT_EQ(choice(odd).kernel->name, "single_f64_128x64_any");
  EXPECT_EQ(choose(problem(f64), model::find_gpu("a100"), kNoLimit).kernel->name, "mma_f64_64x64");
}

// As measured on an H200 and an H100 (docs/lab/gpu_gemm.md).
// What a tile takes is to be stored, whatever its size is: twice as many of half the size took 1.5 times as long.
TEST(Plans, ShortKTakesLargeTiles) {
  for (const auto& [m, n, k] : {std::tuple(6616, 888, 64), std::tuple(4904, 1160, 48),
                                std::tuple(10104, 464, 64), std::tuple(3592, 1480, 96)}) {
    for (const Dtype result : {Dtype::kBF16, Dtype::kF32}) {
      const Plan plan = choice({.m = m, .n = n, .k = k, .operand = Dtype::kBF16, .result = result});
      EXPECT_GE(plan.kernel->bm * plan.kernel->bn, 128 * 128) << plan.kernel->name << " for " << m;
    }
  }
}

// Where k is shorter still, C is what takes the time. Nothing is copied, wherever factors begin.
TEST(Plans, FewOuterProductsOfAnyAlignmentHaveKernelsOfTheirOwn) {
  const auto expect_rounds = [](const Shape& shape) {
    const Plan plan = choice(shape);
    EXPECT_TRUE(plan.kernel->goes_by_rounds) << plan.kernel->name << " for " << shape.m;
    EXPECT_EQ(plan.workspace_bytes, 0u);
  };
  for (const auto& [m, n, k] : {std::tuple(6616, 888, 8), std::tuple(1809, 4062, 8),
                                std::tuple(1881, 3381, 14), std::tuple(3592, 1480, 16)}) {
    expect_rounds({.m = m, .n = n, .k = k});
    expect_rounds({.m = m, .n = n, .k = k, .mode = ComputeMode::kAccurate});
    for (const Dtype operand : {Dtype::kBF16, Dtype::kF16})
      for (const Dtype result : {operand, Dtype::kF32})
        expect_rounds({.m = m, .n = n, .k = k, .operand = operand, .result = result});
  }
  expect_rounds({.m = 24097, .n = 711, .k = 5, .operand = Dtype::kF64, .result = Dtype::kF64});
  const Shape longer{.m = 3592, .n = 1480, .k = 33};
  EXPECT_FALSE(choice(longer).kernel->goes_by_rounds);
}

TEST(Plans, TilesOf16BitFloatsFollowTheShape) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return name_of(
        choice({.m = m, .n = n, .k = k, .operand = Dtype::kBF16, .result = Dtype::kF32}));
  };
  // One tile a multiprocessor, and nothing else to do there.
  EXPECT_EQ(chosen(512, 512, 512), "single_bf16_64x32_swapped_to_f32");
  EXPECT_EQ(chosen(1024, 1024, 1024), "single_bf16_128x64_swapped_to_f32");
  EXPECT_EQ(chosen(512, 2112, 7168), "single_bf16_128x64_to_f32");
  EXPECT_EQ(chosen(128, 4096, 7168), "single_bf16_64x64_swapped_to_f32");
  EXPECT_EQ(chosen(64, 4096, 7168), "single_bf16_64x32_swapped_to_f32");
  EXPECT_EQ(chosen(64, 2112, 7168), "single_bf16_128x32_swapped_to_f32,split=3");
  EXPECT_EQ(chosen(4096, 64, 4096), "single_bf16_64x32_swapped_to_f32");
  // Storing hides behind multiplying where a block has several tiles: of the size that fills the last round best.
  EXPECT_EQ(chosen(4096, 24576, 1536), "warpgroup_bf16_128x192_turns_to_f32");
  EXPECT_EQ(chosen(2048, 2048, 2048), "warpgroup_bf16_128x128_turns_swapped_to_f32");
  EXPECT_EQ(chosen(4096, 4096, 4096), "warpgroup_bf16_128x128_turns_to_f32");
  EXPECT_EQ(chosen(3072, 3072, 3072), "warpgroup_bf16_128x192_turns_to_f32");
  EXPECT_EQ(chosen(3072, 3072, 512), "warpgroup_bf16_128x192_turns_to_f32");  // and TMA stores it
  EXPECT_EQ(chosen(8192, 8192, 1024), "warpgroup_bf16_128x192_turns_to_f32");
  EXPECT_EQ(chosen(8192, 8192, 8192), "warpgroup_bf16_128x192_turns_to_f32");
  const Shape narrow{
      .m = 4096, .n = 7168, .k = 2048, .operand = Dtype::kBF16, .result = Dtype::kBF16};
  EXPECT_EQ(name_of(choice(narrow)), "warpgroup_bf16_128x128_turns");
  EXPECT_EQ(chosen(3000, 1000, 2000), "warpgroup_bf16_192x128_to_f32");
  // Rows that begin within lines or sectors are more traffic: tiles that ask for less.
  EXPECT_EQ(chosen(2000, 2000, 2000), "warpgroup_bf16_128x256_to_f32");
  EXPECT_EQ(chosen(3024, 3024, 3024), "warpgroup_bf16_192x192_swapped_to_f32");
  EXPECT_EQ(chosen(3000, 3000, 3000), "warpgroup_bf16_192x192_swapped_to_f32,cluster=1x2");
  EXPECT_EQ(chosen(2000, 3000, 4000), "warpgroup_bf16_192x128_swapped_to_f32,cluster=1x2");
  // Where few rows are left, C's columns for rows, and as wide as divides the rows evenly.
  EXPECT_EQ(chosen(128, 7168, 2048), "single_bf16_128x64_swapped_to_f32");
  EXPECT_EQ(chosen(65, 4096, 4096), "single_bf16_64x40_swapped_to_f32");
  EXPECT_EQ(chosen(260, 4096, 4096), "single_bf16_128x72_swapped_to_f32");
  EXPECT_EQ(chosen(520, 4096, 4096), "warpgroup_bf16_128x144_turns_swapped_to_f32");
}

// A weight's gradient, to which both factors lie across k: of Cᵀ by 192 rows two widths read these.
TEST(Plans, WeightGradientsTakeTilesThatBeginWithLines) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return name_of(choice({.m = m,
                           .n = n,
                           .k = k,
                           .operand = Dtype::kBF16,
                           .result = Dtype::kBF16,
                           .order_a = Order::kColumnMajor}));
  };
  EXPECT_EQ(chosen(896, 4864, 6000), "warpgroup_bf16_192x192_swapped");
  EXPECT_EQ(chosen(768, 3072, 4096), "warpgroup_bf16_192x96_swapped");
}

TEST(Plans, HaveEstimatesWithoutK) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16}) {
    const Shape shape{.m = 4096, .n = 4096, .k = 0, .operand = dtype, .result = dtype};
    for (const Candidate& candidate : candidates(problem(shape), h200(), kNoLimit))
      EXPECT_TRUE(std::isfinite(candidate.estimate.microseconds)) << candidate.kernel->name;
  }
}

// Blocks that are streamed are at different k, and share nothing of what the cache does not hold.
TEST(Plans, StreamNotMuchOfWhatComesFromMemory) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const Shape shape{.m = m, .n = n, .k = k, .operand = Dtype::kBF16, .result = Dtype::kF32};
    return choose(problem(shape), model::find_gpu("h100"), kNoLimit);
  };
  // 84 of 480 tiles of 128×256 would be streamed.
  EXPECT_EQ(chosen(6144, 2560, 8192).streamed, 0);
}

// Single tiles of f64 are as wide as makes them come out even, in one round or several.
TEST(Plans, WideTilesFillTheGpu) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const Shape shape{.m = m, .n = n, .k = k, .operand = Dtype::kF64, .result = Dtype::kF64};
    return name_of(choose(problem(shape), h200(), kNoLimit));
  };
  EXPECT_EQ(chosen(1024, 1024, 1024), "single_f64_128x64");
  EXPECT_EQ(chosen(64, 7168, 2048), "single_f64_64x56");
  EXPECT_EQ(chosen(64, 7168, 16384), "single_f64_64x112,split=2");
  EXPECT_EQ(chosen(512, 7168, 2048), "single_f64_128x112");
  EXPECT_EQ(chosen(4096, 2112, 7168), "single_f64_64x256_swapped");
  EXPECT_EQ(chosen(2047, 2049, 2045), "single_f64_128x64_any");
}

// Blocks at different k ask memory for what those of a round share. An H200's is fast enough for that.
TEST(Plans, StreamWideTilesWhereMemoryAllowsIt) {
  const auto chosen = [](const char* gpu, std::int64_t m, std::int64_t n, std::int64_t k) {
    const Shape shape{.m = m, .n = n, .k = k, .operand = Dtype::kF64, .result = Dtype::kF64};
    return name_of(choose(problem(shape), model::find_gpu(gpu), kNoLimit));
  };
  EXPECT_EQ(chosen("h100", 3072, 4096, 16384), "hopper_f64_128x128");
  EXPECT_EQ(chosen("h200", 3072, 4096, 16384), "hopper_f64_128x128,stream");
  EXPECT_EQ(chosen("h100", 4096, 4096, 4096), "hopper_f64_128x128,stream");
  EXPECT_EQ(chosen("h100", 100000, 32, 64), "hopper_f64_64x16");  // 128×64 would be half empty
}

// Pairs of f16 take three products and a pass before: worth it where tensor cores are much faster than the FMA pipes.
TEST(Plans, AccurateF32OnGpusOtherThanHopper) {
  const auto chosen = [](const char* gpu, std::int64_t size) {
    return std::string(
        choose(problem({.m = size, .n = size, .k = size, .mode = ComputeMode::kAccurate}),
               model::find_gpu(gpu), kNoLimit)
            .kernel->name);
  };
  EXPECT_EQ(chosen("a100", 4096).substr(0, 17), "mma_accurate_f32_");
  EXPECT_EQ(chosen("a100", 128).substr(0, 9), "simt_f32_");
  EXPECT_EQ(chosen("rtx4090", 4096).substr(0, 9), "simt_f32_");
  EXPECT_EQ(chosen("h200", 4096), "accurate_f32_128x128");
}

TEST(Plans, DivideKWhereTilesAreFew) {
  const Plan deep = choice({.m = 64, .n = 64, .k = 65536});
  EXPECT_GT(deep.parts, 8);
  EXPECT_GE(deep.k_each * deep.parts, 65536);
  EXPECT_LT(deep.k_each * (deep.parts - 1), 65536);  // none is without work
  EXPECT_EQ(deep.k_each % deep.kernel->bk, 0);
  EXPECT_EQ(choice({.m = 8192, .n = 8192, .k = 256}).parts, 1);
  EXPECT_EQ(choice({.m = 64, .n = 64, .k = 16}).parts, 1);
}

TEST(Plans, PiecesOfTheWorkspaceDoNotOverlap) {
  const Problem batch = problem({.m = 300, .n = 201, .k = 20000, .count = 3});
  const Plan left = choose(batch, h200(), kNoLimit, wish_in("simt_f32_64x64,split=9"));
  ASSERT_EQ(left.parts, 9);
  EXPECT_EQ(left.parts_entry, "gemm_parts_f32");
  EXPECT_EQ(left.arrivals.bytes, 0u);
  EXPECT_EQ(left.partials.bytes, 3u * 9 * 300 * 204 * 4);

  // Of rows of what is stored.
  const Plan turned =
      choose(problem({.m = 300, .n = 201, .k = 20000, .operand = Dtype::kBF16}), h200(), kNoLimit,
             wish_in("warpgroup_bf16_128x64_swapped_to_f32,split=9"));
  EXPECT_EQ(turned.partials.bytes, 9u * 300 * 204 * 4);

  const Plan streamed =
      choose(problem({.m = 300, .n = 201, .k = 20000, .count = 3, .mode = ComputeMode::kAccurate}),
             h200(), kNoLimit, wish_in("accurate_f32_128x64,stream"));
  ASSERT_GT(streamed.streamed, 0);
  EXPECT_EQ(streamed.parts_entry, "");
  EXPECT_EQ(streamed.arrivals.bytes, static_cast<std::uint64_t>(streamed.streamed) * 4);
  const Piece pieces[] = {streamed.arrivals, streamed.partials, streamed.a.place, streamed.b.place,
                          streamed.a.unscale};
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.offset % kWorkspaceAlignment, 0u);
    EXPECT_LE(piece.offset + piece.bytes, streamed.workspace_bytes);
    for (const Piece& other : pieces) {
      if (&other == &piece) continue;
      EXPECT_TRUE(piece.offset + piece.bytes <= other.offset ||
                  other.offset + other.bytes <= piece.offset);
    }
  }
}

TEST(Plans, ThinOnesTakeStripsOfEitherFactorOrSingleTiles) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k, Dtype dtype) {
    return choice({.m = m, .n = n, .k = k, .operand = dtype, .result = dtype}).kernel->name;
  };
  EXPECT_EQ(chosen(1, 4096, 4096, Dtype::kF32), "strip_f32_32x8_transposed");
  EXPECT_EQ(chosen(4096, 8, 4096, Dtype::kF32), "strip_f32_32x8");
  EXPECT_EQ(chosen(16, 4096, 4096, Dtype::kF32), "strip_f32_32x16_transposed");
  EXPECT_EQ(chosen(4, 4096, 4096, Dtype::kBF16), "single_bf16_64x16_swapped");  // on Hopper
  EXPECT_EQ(chosen(4096, 8, 4096, Dtype::kF16), "strip_f16_32x8");
  EXPECT_EQ(chosen(8, 16384, 4096, Dtype::kBF16), "single_bf16_128x16_swapped");
  EXPECT_EQ(chosen(100000, 32, 64, Dtype::kBF16), "tall_bf16_boxes");
  EXPECT_EQ(chosen(1000000, 16, 16, Dtype::kBF16), "tall_bf16_32_rows");
  EXPECT_EQ(chosen(4096, 4096, 4096, Dtype::kBF16).substr(0, 9), "warpgroup");
}

// Few rows leave a choice of tiles that read the same once.
TEST(Plans, WideTilesReadMemoryThatIsFast) {
  const auto chosen = [](const char* gpu, std::int64_t n) {
    const Shape shape{.m = 128, .n = n, .k = 1536, .operand = Dtype::kBF16, .result = Dtype::kBF16};
    return name_of(choose(problem(shape), model::find_gpu(gpu), kNoLimit));
  };
  EXPECT_EQ(chosen("h200", 24576), "warpgroup_bf16_192x128_swapped");
  EXPECT_EQ(chosen("h100", 24576), "warpgroup_bf16_128x128_turns_swapped");
}

TEST(Plans, FewRowsAndALongKStayInOnePart) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const Shape shape{.m = m,
                      .n = n,
                      .k = k,
                      .operand = Dtype::kBF16,
                      .result = Dtype::kBF16,
                      .order_b = Order::kColumnMajor};
    return name_of(choose(problem(shape), model::find_gpu("h200"), kNoLimit));
  };
  EXPECT_EQ(chosen(8, 768, 3072), "strip_bf16_32x8_transposed");
  EXPECT_EQ(chosen(40, 4096, 14336), "single_bf16_64x24_swapped");
}

// Behind copies single tiles take longer, and again where rows of C have ends.
TEST(Plans, SmallOnesOfAnyAlignmentTakeTilesByWarpgroups) {
  EXPECT_EQ(
      choice({.m = 1000, .n = 1001, .k = 1002, .operand = Dtype::kBF16, .result = Dtype::kBF16})
          .kernel->name,
      "warpgroup_bf16_128x64");
}

// To copy the long factor takes longer than the product.
TEST(Plans, ThinOnesOfAnyAlignmentCopyNothing) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k, Dtype dtype) {
    const Plan plan = choice({.m = m, .n = n, .k = k, .operand = dtype, .result = dtype});
    EXPECT_EQ(plan.a.preparation, kernels::Preparation::kNone);
    EXPECT_EQ(plan.b.preparation, kernels::Preparation::kNone);
    return plan.kernel->name;
  };
  EXPECT_EQ(chosen(1, 4095, 4095, Dtype::kF32), "thin_f32_1");
  EXPECT_EQ(chosen(4, 4095, 4095, Dtype::kF32), "thin_f32_4");
  EXPECT_EQ(chosen(4095, 7, 4095, Dtype::kF32), "thin_f32_8_transposed");
  EXPECT_EQ(chosen(16, 4095, 4095, Dtype::kF32), "strip_f32_32x16_any_transposed");
  EXPECT_EQ(chosen(1, 4095, 4095, Dtype::kBF16), "thin_bf16_1");
  EXPECT_EQ(chosen(4095, 3, 4095, Dtype::kF16), "thin_f16_4_transposed");
  EXPECT_EQ(chosen(16, 4095, 4095, Dtype::kBF16), "strip_bf16_32x16_any_transposed");
  EXPECT_EQ(chosen(4095, 32, 4095, Dtype::kBF16), "strip_bf16_32x32_any");
}

TEST(Plans, PartsOfStripsNeedNoCounters) {
  const Plan plan =
      choice({.m = 64, .n = 64, .k = 65536, .operand = Dtype::kBF16, .result = Dtype::kBF16});
  ASSERT_FALSE(plan.parts_entry.empty()) << plan.kernel->name;
  EXPECT_GT(plan.parts, 16);
  EXPECT_EQ(plan.arrivals.bytes, 0u);
  const auto sums = static_cast<std::uint64_t>(plan.parts) * 64 * 64 * sizeof(float);
  EXPECT_EQ(plan.partials.bytes, sums);
}

// --- batches -----------------------------------------------------------------------------------------------

Shape batch_of(Dtype dtype, std::int64_t count, std::int64_t size) {
  return {.m = size, .n = size, .k = size, .count = count, .operand = dtype, .result = dtype};
}

TEST(PlansOfBatches, TinyProductsTakeTeams) {
  for (const Dtype dtype : {Dtype::kBF16, Dtype::kF16, Dtype::kF32, Dtype::kF64})
    for (const char* const model : {"h100", "h200", "a100"})
      for (const std::int64_t size : {5, 7, 8, 12, 16}) {
        const Plan plan =
            choose(problem(batch_of(dtype, 20000, size)), model::find_gpu(model), kNoLimit);
        EXPECT_GT(plan.kernel->tiles_of_block, 0)
            << plan.kernel->name << " for " << size << " on " << model;
        EXPECT_LE(plan.kernel->bm, 16) << plan.kernel->name << " for " << size << " on " << model;
        EXPECT_EQ(plan.workspace_bytes, 0u);
      }
}

TEST(PlansOfBatches, UnalignedFactorsAreNotCopied) {
  for (const std::int64_t size : {33, 100, 127})
    EXPECT_EQ(choice(batch_of(Dtype::kBF16, 1000, size)).workspace_bytes, 0u) << size;
}

TEST(PlansOfBatches, LargeProductsTakeTheTilesOfSingleOnes) {
  for (const Dtype dtype : {Dtype::kBF16, Dtype::kF32, Dtype::kF64}) {
    const Plan plan = choice(batch_of(dtype, 16, 1024));
    EXPECT_EQ(plan.kernel->tiles_of_block, 0) << plan.kernel->name;
    EXPECT_GE(plan.kernel->bm * plan.kernel->bn, 128 * 128) << plan.kernel->name;
  }
}

TEST(PlansOfBatches, OneProductTakesNoTeams) {
  for (const Dtype dtype : {Dtype::kBF16, Dtype::kF32, Dtype::kF64})
    EXPECT_EQ(choice(batch_of(dtype, 1, 7)).kernel->tiles_of_block, 0);
}

TEST(PlansOfBatches, EstimatesGrowWithTheBatch) {
  for (const Dtype dtype : {Dtype::kBF16, Dtype::kF32, Dtype::kF64})
    for (const std::int64_t size : {7, 32, 100, 256}) {
      double before = 0;
      for (const std::int64_t count : {200, 1000, 5000, 25000}) {
        const Problem many = problem(batch_of(dtype, count, size));
        const Plan plan = choose(many, h200(), kNoLimit);
        const double now = estimate_of(plan, oriented_for(*plan.kernel, many), h200()).microseconds;
        EXPECT_GT(now, before) << count << " of " << size;
        before = now;
      }
    }
}

// Every name that the estimates of batches know is a kernel's.
TEST(PlansOfBatches, WhatIsKnownOfTilesIsOfKernels) {
  int known = 0;
  for (const kernels::GemmKernel& kernel : kernels::gemm_kernels())
    known += is_known_of_many_tiles(kernel);
  EXPECT_EQ(known, known_of_many_tiles());
}

TEST(Plans, SayThatAProductIsTooThickForAStrip) {
  const auto all = candidates(problem({.m = 9, .n = 17, .k = 100}), h200(), kNoLimit);
  const auto refusal_of = [&](std::string_view name) {
    const auto found = std::ranges::find(
        all, name, [](const Candidate& candidate) { return candidate.kernel->name; });
    return found == all.end() ? "no such kernel" : found->refusal;
  };
  EXPECT_EQ(refusal_of("strip_f32_32x16"), "is for at most 16 columns");
  EXPECT_EQ(refusal_of("strip_f32_32x8_transposed"), "is for at most 8 rows");
  EXPECT_EQ(refusal_of("strip_f32_32x16_transposed"), "");
}

TEST(Plans, KeepWithinTheLimit) {
  const Shape deep{.m = 64, .n = 64, .k = 65536};
  const Plan without = choice(deep, 0);
  EXPECT_EQ(without.parts, 1);
  EXPECT_EQ(without.workspace_bytes, 0u);
  const Plan some = choice(deep, 200000);
  EXPECT_GT(some.parts, 1);
  EXPECT_LE(some.workspace_bytes, 200000u);
}

TEST(Plans, EveryCandidateHasAPlanOrAReason) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16}) {
    const auto all = candidates(
        problem({.m = 100, .n = 100, .k = 100, .operand = dtype, .result = dtype, .address = 4098}),
        model::find_gpu("a100"), kNoLimit);
    EXPECT_FALSE(all.empty());
    for (const Candidate& candidate : all) {
      EXPECT_NE(candidate.plan.has_value(), !candidate.refusal.empty()) << candidate.kernel->name;
      if (candidate.plan) {
        EXPECT_GT(candidate.estimate.microseconds, 0);
        EXPECT_EQ(candidate.kernel->compute_major, 8);
      }
    }
  }
}

// Other kernels compute whatever those do that memcheck misreads, on every GPU.
TEST(Plans, LeaveOutWhatMemcheckMisreadsWhereTheUserAsks) {
  const std::vector<Shape> shapes{{.m = 16, .n = 4096, .k = 4096},
                                  {.m = 16, .n = 4095, .k = 4095},
                                  {.m = 100000, .n = 32, .k = 64},
                                  {.m = 7, .n = 7, .k = 7, .count = 1000}};
  const auto plans = [&] {
    int misread = 0;
    for (Shape shape : shapes)
      for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16})
        for (const char* const model : {"h200", "a100"}) {
          shape.operand = shape.result = dtype;
          misread += choose(problem(shape), model::find_gpu(model), kNoLimit).kernel->copies_partly;
        }
    return misread;
  };
  EXPECT_GT(plans(), 10);
  setenv("TILEWISE_MEMCHECK", "1", 1);
  EXPECT_EQ(plans(), 0);
  setenv("TILEWISE_MEMCHECK", "0", 1);
  EXPECT_GT(plans(), 10);
  unsetenv("TILEWISE_MEMCHECK");
}

TEST(Plans, SayWhatThereIsNoKernelFor) {
  const Shape tf32{.m = 9,
                   .n = 9,
                   .k = 9,
                   .operand = Dtype::kF64,
                   .result = Dtype::kF64,
                   .mode = ComputeMode::kTf32};
  expect_error(ErrorCode::kUnsupported,
               "f64 products (C f64) in mode tf32: the library has no GPU kernel for them",
               [&] { choice(tf32); });
  const Shape halves{.m = 9, .n = 9, .k = 9, .operand = Dtype::kBF16, .result = Dtype::kBF16};
  model::Gpu turing = model::find_gpu("a100");
  turing.compute_major = 7, turing.compute_minor = 5;
  expect_error(ErrorCode::kUnsupported, "needs compute capability 8.0 or later",
               [&] { choose(problem(halves), turing, kNoLimit); });
  // Hopper's own kernels say what they are.
  expect_error(ErrorCode::kUnsupported, "needs compute capability 9.0", [&] {
    choose(problem(halves), model::find_gpu("a100"), kNoLimit, wish_in("warpgroup_bf16_64x64"));
  });
}

TEST(Plans, StreamAsManyTilesAsDoNotFillTheGpu) {
  const auto streamed = [](std::int64_t m, std::int64_t n, std::int64_t k, const char* kernel) {
    const Shape shape{.m = m, .n = n, .k = k, .operand = Dtype::kBF16, .result = Dtype::kBF16};
    return choose(problem(shape), h200(), kNoLimit, wish_in(kernel));
  };
  // 132 multiprocessors: 24 tiles, all streamed; 132 + 8, 2·132 + 8: all but the last round's worth.
  const Plan few = streamed(128, 24 * 192, 4096, "warpgroup_bf16_128x192,stream");
  EXPECT_EQ(few.streamed, 24);
  EXPECT_EQ(few.parts, 1);
  EXPECT_EQ(few.partials.bytes, 132u * 2 * 128 * 192 * 4);
  EXPECT_EQ(few.arrivals.bytes, 24u * 4);
  EXPECT_EQ(streamed(128, 140 * 192, 64 * 4, "warpgroup_bf16_128x192,stream").streamed, 140);
  EXPECT_EQ(streamed(128, 272 * 192, 64 * 4, "warpgroup_bf16_128x192,stream").streamed, 140);
  // Clusters of two tiles, one below the other, on 66 pairs of multiprocessors.
  const Plan pairs = streamed(384, 70 * 128, 4096, "warpgroup_bf16_192x128,stream");
  EXPECT_EQ(pairs.streamed, 70);
  EXPECT_EQ(pairs.arrivals.bytes, 2 * 70u * 4);
  EXPECT_EQ(name_of(pairs), "warpgroup_bf16_192x128,stream");
}

TEST(Plans, DoNotStreamWhatFillsTheGpu) {
  const Shape shape{
      .m = 128, .n = 132 * 192, .k = 4096, .operand = Dtype::kBF16, .result = Dtype::kBF16};
  expect_error(ErrorCode::kUnsupported, "does not stream this", [&] {
    choose(problem(shape), h200(), kNoLimit, wish_in("warpgroup_bf16_128x192,stream"));
  });
}

TEST(Plans, WithoutADepthReadNothing) {
  const Plan plan = choice({.m = 100, .n = 100, .k = 0, .address = 4});
  EXPECT_EQ(plan.parts, 1);
  EXPECT_EQ(plan.workspace_bytes, 0u);
}

TEST(Wishes, AreReadBackFromTheNameOfAPlan) {
  const Plan plan = choice({.m = 64, .n = 64, .k = 65536});
  const auto wish = wish_in(name_of(plan).c_str());
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->kernel, plan.kernel);
  EXPECT_EQ(wish->parts, plan.parts);
  EXPECT_FALSE(wish_in(nullptr));
  EXPECT_FALSE(wish_in(""));
}

TEST(Wishes, DecideAndAreRefusedWhereTheyCannotBe) {
  const Problem p = problem({.m = 100, .n = 100, .k = 1000});
  const Plan plan = choose(p, h200(), kNoLimit, wish_in("simt_f32_128x128,split=3"));
  EXPECT_EQ(name_of(plan), "simt_f32_128x128,split=3");
  // A wish for another type's kernel says nothing about this one.
  EXPECT_EQ(name_of(choose(p, h200(), kNoLimit, wish_in("mma_f64_64x64"))),
            name_of(choose(p, h200(), kNoLimit)));
  expect_error(ErrorCode::kOutOfMemory, "bytes of workspace, 10 are allowed",
               [&] { choose(p, h200(), 10, wish_in("simt_f32_128x128,split=3")); });
}

TEST(Candidates, StripsOfPairsAreForDeepSums) {
  const auto refusal = [](std::int64_t k) {
    const Problem p = problem({.m = 128, .n = 128, .k = k, .mode = ComputeMode::kAccurate});
    const auto all = candidates(p, h200(), kNoLimit, {});
    const auto found = std::ranges::find_if(
        all, [](const Candidate& c) { return c.kernel->name == "strip_accurate_f32_64x32"; });
    return found == all.end() ? "not there" : found->refusal;
  };
  EXPECT_EQ(refusal(1023), "is for a k of at least 1024");
  EXPECT_EQ(refusal(1024), "");
  // Who asks for it gets it.
  const Problem p = problem({.m = 64, .n = 64, .k = 64, .mode = ComputeMode::kAccurate});
  EXPECT_EQ(name_of(choose(p, h200(), kNoLimit, wish_in("strip_accurate_f32_64x32"))),
            "strip_accurate_f32_64x32");
}

TEST(Catalogue, NamesAreUniqueAndEntriesBelongToTheirUnits) {
  const auto all = kernels::gemm_kernels();
  for (const auto& kernel : all) {
    EXPECT_EQ(std::ranges::count(all, kernel.name, &kernels::GemmKernel::name), 1) << kernel.name;
    EXPECT_EQ(kernels::find_gemm_kernel(kernel.name), &kernel);
    for (const auto& row : kernel.entries)
      for (const std::string_view entry : row)
        EXPECT_TRUE(entry.empty() || entry.starts_with("gemm_")) << entry;
    EXPECT_GT(kernel.efficiency, 0);
    EXPECT_LE(kernel.efficiency, 1);
    EXPECT_LE(kernel.efficiency_alone, kernel.efficiency);
  }
}

}  // namespace
}  // namespace tilewise::gpu
