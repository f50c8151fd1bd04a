// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of the catalogue: all orders, edges, leading dimensions, alignments, parts of k.
#include <algorithm>
#include <array>
#include <random>

#include "core/divide.hpp"
#include "gemm/gpu/estimate.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

class EveryKernel : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  virtual const GemmKernel& kernel() const { return *GetParam(); }
  bool reads(const Layout& layout) const;
  Stand across() const;
  Layout with(Stand a) const;
  std::int64_t held(std::int64_t k) const { return std::min(k, kernel().most_held_k); }

  void expect(const Sizes& sizes, const Layout& layout = {}, double alpha = 1, double beta = 0,
              const std::string& how = "split=1") {
    if (!reads(layout)) return;
    SCOPED_TRACE(std::string(kernel().name) + " " + std::to_string(sizes.m) + "×" +
                 std::to_string(sizes.n) + "×" + std::to_string(sizes.k) + " " + how);
    const PlanWish wish(std::string(kernel().name) + "," + how);
    const GpuGemmOptions options{.mode = kernel().mode};
    const auto f = static_cast<float>(alpha), g = static_cast<float>(beta);
    memcheck_says().clear();
    const bool wide = kernel().result == Dtype::kF32;
    switch (kernel().operand) {
      case Dtype::kF64: expect_right<F64>(sizes, layout, alpha, beta, options); break;
      case Dtype::kF32:
        if (kernel().mode == ComputeMode::kTf32) expect_right<TF32>(sizes, layout, f, g, options);
        else expect_right<F32>(sizes, layout, f, g, options);
        break;
      case Dtype::kBF16:
        if (wide) expect_right<BF16ToF32>(sizes, layout, f, g, options);
        else expect_right<BF16>(sizes, layout, f, g, options);
        break;
      default:
        if (wide) expect_right<F16ToF32>(sizes, layout, f, g, options);
        else expect_right<F16>(sizes, layout, f, g, options);
    }
    says_something_ = says_something_ || !memcheck_says().empty();
    EXPECT_TRUE(kernel().copies_partly || memcheck_says().empty()) << memcheck_says();
  }

  /// Of what has been computed.
  void expect_that_memcheck_says_what_the_catalogue_says() const {
    EXPECT_TRUE(wants_real_gpu() || says_something_ == kernel().copies_partly);
  }

 private:
  bool says_something_ = false;
};

// Whether the kernel reads factors that stand like this. (A column-major C is the row-major Cᵀ = Bᵀ·Aᵀ.)
bool EveryKernel::reads(const Layout& layout) const {
  const bool by_columns = layout.c.order == Order::kColumnMajor;
  bool a_along_k =
      by_columns ? layout.b.order == Order::kColumnMajor : layout.a.order == Order::kRowMajor;
  bool b_along_k =
      by_columns ? layout.a.order == Order::kRowMajor : layout.b.order == Order::kColumnMajor;
  if (kernel().transposes_result) std::swap(a_along_k, b_along_k);
  return !kernel().entries[a_along_k][b_along_k].empty();
}

constexpr Stand kRows{}, kColumns{.order = Order::kColumnMajor};
// B in rows where the kernel reads it so beside A.
Layout EveryKernel::with(Stand a) const {
  return reads({a, kRows, kRows}) ? Layout{a, kRows, kRows} : Layout{a, kColumns, kRows};
}
// A across k, where the kernel reads it so.
Stand EveryKernel::across() const { return reads(with(kColumns)) ? kColumns : kRows; }

constexpr Stand kRowsWithGap{.gap = 5}, kColumnsWithGap{.order = Order::kColumnMajor, .gap = 3};

TEST_P(EveryKernel, OneTileInAllOrders) {
  const Sizes tile{kernel().bm, kernel().bn, 2 * kernel().bk};
  for (const Stand a : {kRows, kColumns})
    for (const Stand b : {kRows, kColumns}) expect(tile, {a, b, kRows}, 1.25, 0);
}

TEST_P(EveryKernel, EdgesInAllOrdersUnaligned) {
  const Sizes sizes{kernel().bm + 3, kernel().bn + 5, held(3 * kernel().bk - 1)};
  for (const Stand a : {kRowsWithGap, kColumnsWithGap})
    for (const Stand b : {kRowsWithGap, kColumnsWithGap})
      expect(sizes, {a, b, kRowsWithGap, 0, 0, 0}, -0.5, 2);
}

TEST_P(EveryKernel, EdgesInAllOrdersAligned) {
  if (kernel().alignment == 0) GTEST_SKIP() << "takes every alignment the same way";
  const Sizes sizes{kernel().bm + 3, kernel().bn + 5, held(3 * kernel().bk - 1)};
  // 16 bytes are at most 8 elements.
  const auto stand = [](Order order, std::int64_t width) {
    return Stand{.order = order, .gap = round_up(width, std::int64_t{8}) - width};
  };
  for (const Stand a : {stand(Order::kRowMajor, sizes.k), stand(Order::kColumnMajor, sizes.m)})
    for (const Stand b : {stand(Order::kRowMajor, sizes.n), stand(Order::kColumnMajor, sizes.k)})
      expect(sizes, {a, b, stand(Order::kRowMajor, sizes.n)}, -0.5, 2);
  expect_that_memcheck_says_what_the_catalogue_says();
}

// Where rows of C are multiples of 16 bytes what it holds is read in pieces, some of them beyond its edges.
TEST_P(EveryKernel, AddsToAnAlignedResult) {
  const Sizes sizes{kernel().bm + 8, kernel().bn + 24, kernel().bk};
  expect(sizes, with(kRows), -0.5, 2);
}

TEST_P(EveryKernel, AColumnMajorResult) {
  const Sizes sizes{kernel().bm / 2 + 1, kernel().bn + 1, kernel().bk + 1};
  for (const Stand a : {kRows, kColumns})
    for (const Stand b : {kRows, kColumns}) expect(sizes, {a, b, kColumnsWithGap}, 1, 1);
}

TEST_P(EveryKernel, DepthsAroundItsStages) {
  for (int steps = 0; steps <= kernel().stages + 1; ++steps) {
    const std::int64_t k = held(std::int64_t{steps} * kernel().bk + steps % 2);
    expect({kernel().bm - 1, 9, k}, with(kRows), 1, 0.5);
  }
  if (kernel().alignment == 0) expect_that_memcheck_says_what_the_catalogue_says();
}

TEST_P(EveryKernel, PartsOfK) {
  if (!kernel().splits) GTEST_SKIP() << "does not divide k";
  const Sizes sizes{kernel().bm + 1, kernel().bn + 2, 7 * kernel().bk + 3};
  for (const char* const how : {"split=2", "split=3", "split=8", "split=9"})
    expect(sizes, with(across()), 1.5, -1, how);
}

// More of both than a barrier's two phases tell apart.
TEST_P(EveryKernel, SeveralTilesABlockThatFillItsStagesSeveralTimes) {
  if (!kernel().persistent) GTEST_SKIP() << "is not persistent";
  const int blocks =
      test_device().gpu().sm_count * kernel().blocks_per_sm / kernel().cluster.blocks();
  const int rows = wants_real_gpu() ? 5 : kernel().bm + 3;  // the reference would take long
  const int columns = (3 * blocks + 1) * kernel().bn - 5;
  const int k = (2 * kernel().stages + 1) * kernel().bk - 1;
  const bool exchanges = kernel().transposes_result;
  expect({exchanges ? columns : rows, exchanges ? rows : columns, k}, with(kRows), 1, 0);
}

TEST_P(EveryKernel, StreamedTiles) {
  if (!kernel().persistent || !kernel().splits || !kernel().streams)
    GTEST_SKIP() << "is not streamed";
  const int bm = kernel().bm * kernel().cluster.down, bn = kernel().bn, bk = kernel().bk;
  const int blocks =
      test_device().gpu().sm_count * kernel().blocks_per_sm / kernel().cluster.blocks();
  const auto sized = [&](int rows, int columns, int k) {  // as the kernel sees them
    return kernel().transposes_result ? Sizes{columns, rows, k} : Sizes{rows, columns, k};
  };
  // Fewer tiles than blocks, or a few more; then so many that some are whole.
  const int steps = std::max(5, blocks / 3 + 1);
  expect(sized(bm - 3, 3 * bn - 5, steps * bk - 1), with(across()), 1.5, -1, "stream");
  if (wants_real_gpu()) return;  // the reference would take long
  const int many = 2 * blocks + 1;
  expect(sized(bm - 3, many * bn - 5, 3 * bk + 1), {kRows, kRows, kRowsWithGap}, 1, 0.5, "stream");
}

bool is_any_width(const GemmKernel& kernel) {
  return kernel.is_single || kernel.unit.find("xany") != std::string_view::npos;
}

// Of the tiles of any width that one kernel computes, the narrowest and the widest: the others differ in
// nothing but what EveryWidth tests. And those of one panel, where B may lie across k; in f64 the widest for as many warps side
// by side, and an odd number of units of columns. Of Cᵀ in turns, and by 192 rows, each width has code of its own; that of f16 is
// bf16's.
bool is_tested(const GemmKernel& kernel) {
  const bool has_own_widths =
      kernel.transposes_result && kernel.unit.find("_to_") != std::string_view::npos;
  if (has_own_widths && kernel.operand == Dtype::kF16)
    return kernel.bn == (kernel.hides_result ? 80 : 96) || kernel.bn == 176;
  if (!is_any_width(kernel) || kernel.narrower == 0) return true;
  if (kernel.is_single && kernel.operand == Dtype::kF64)
    return kernel.bn == 24 || kernel.bn == 64 || kernel.bn == 128 || kernel.bn == 256;
  if (kernel.is_single && !kernel.entries[0][0].empty()) return true;
  return std::ranges::none_of(kernels::gemm_kernels(), [&](const GemmKernel& other) {
    return other.unit == kernel.unit && other.result == kernel.result &&
           other.transposes_result == kernel.transposes_result && other.narrower == kernel.bn;
  });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryKernel,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return is_tested(kernel);
                         })),
                         name_of_kernel);

// Kernels whose blocks are launched in clusters that compute neighbouring tiles.
class EveryCluster : public EveryKernel {
 protected:
  // `down` and `across` of the tiles as the kernel sees them: a whole cluster and one of which most is not there.
  Sizes sizes(int down, int across) const {
    const int rows = down * kernel().bm + 3, columns = across * kernel().bn + 8,
              k = 3 * kernel().bk + 8;
    return kernel().transposes_result ? Sizes{columns, rows, k} : Sizes{rows, columns, k};
  }
  bool takes(int down, int across) const {
    return kernels::takes(kernel(),
                          {static_cast<unsigned short>(down), static_cast<unsigned short>(across)});
  }
  static std::string shape(int down, int across) {
    return "cluster=" + std::to_string(down) + "x" + std::to_string(across);
  }
};

TEST_P(EveryCluster, InAllOrders) {
  for (const Stand a : {kRows, kColumns}) {
    for (const Stand b : {kRows, kColumns}) {
      if (takes(2, 2)) expect(sizes(2, 2), {a, b, kRows}, 1, 0, "cluster=2x2,split=1");
      expect(sizes(1, 4), {a, b, kRows}, 1.5, 0.5, "cluster=1x4,split=1");
    }
  }
}

TEST_P(EveryCluster, OfEveryShape) {
  int shapes = 0;
  for (const int down : {1, 2, 4, 8}) {
    for (const int across : {1, 2, 4, 8}) {
      if (!takes(down, across)) continue;
      ++shapes;
      expect(sizes(down, across), {this->across(), kRows, kRows}, 1, 0,
             shape(down, across) + ",split=1");
    }
  }
  EXPECT_GE(shapes, 4);
}

TEST_P(EveryCluster, WithPartsOfKAndStreamed) {
  const Layout layout{this->across(), kRows, kRows};
  for (const auto& [down, across] : {std::pair{2, 1}, {1, 2}, {2, 2}}) {
    if (!takes(down, across)) continue;
    expect(sizes(down, across), layout, 1.5, -1, shape(down, across) + ",split=2");
    if (down * across > 2 && !wants_real_gpu()) continue;  // runs one such cluster at a time
    // Three clusters, whose steps are more than there are places for clusters.
    const int steps = std::max(5, test_device().gpu().sm_count / 6 + 1);
    const int rows = down * kernel().bm - 8, columns = (3 * across - 1) * kernel().bn + 8,
              k = steps * kernel().bk - 8;
    expect(kernel().transposes_result ? Sizes{columns, rows, k} : Sizes{rows, columns, k}, layout,
           1, 0, shape(down, across) + ",stream");
  }
}

// More tiles than there are clusters at a time, and stages that come round several times.
TEST_P(EveryCluster, SeveralTilesABlock) {
  if (wants_real_gpu()) GTEST_SKIP() << "the reference would take long";
  const int tiles = test_device().gpu().sm_count / 2 + 2;
  const int k = (kernel().stages + 1) * kernel().bk;
  const Sizes sizes = kernel().transposes_result
                          ? Sizes{2 * kernel().bn, tiles * kernel().bm - 8, k}
                          : Sizes{tiles * kernel().bm - 8, 2 * kernel().bn, k};
  expect(sizes, {}, 1, 0, (takes(2, 2) ? shape(2, 2) : shape(1, 2)) + ",split=1");
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryCluster,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.takes_clusters && is_tested(kernel) &&
                                  (kernel.operand == Dtype::kBF16 || kernel.result == Dtype::kF16);
                         })),
                         name_of_kernel);

TEST(Clusters, ShareWholeGroupsOfRowsThatAreSwizzled) {
  for (const GemmKernel& kernel : kernels::gemm_kernels()) {
    if (!kernel.takes_clusters) {
      EXPECT_FALSE(kernels::takes(kernel, {4, 2})) << kernel.name;
      continue;
    }
    EXPECT_TRUE(kernels::takes(kernel, {})) << kernel.name;
    EXPECT_FALSE(kernels::takes(kernel, {8, 2})) << kernel.name;  // 16 blocks
    for (const int parts : {1, 2, 4, 8}) {
      for (const bool along_k : {false, true}) {
        const kernels::FactorBox box =
            kernels::shared_box(kernel, {kernel.bm, kernel.bk}, along_k, parts);
        EXPECT_EQ(box.lines * box.k * parts, kernel.bm * kernel.bk);
        EXPECT_EQ((along_k ? box.lines : box.k) % 8, 0) << kernel.name;
      }
    }
  }
}

// Entries that are one kernel in several widths.
bool are_widths_of_one(const GemmKernel& a, const GemmKernel& b) {
  return a.unit == b.unit && a.bm == b.bm && a.result == b.result &&
         a.transposes_result == b.transposes_result;
}

// All widths of the narrowest one's kernel, in one test, as what takes long is to load the kernel.
class EveryWidth : public EveryKernel {
 protected:
  const GemmKernel& kernel() const override { return *kernel_; }
  void expect_its_tiles_and_nothing_else();

  const GemmKernel* kernel_ = nullptr;
};

TEST_P(EveryWidth, StoresItsTilesAndNothingElse) {
  int widths = 0;
  for (const GemmKernel& each : kernels::gemm_kernels()) {
    if (!is_any_width(each) || !are_widths_of_one(each, *GetParam())) continue;
    kernel_ = &each;
    expect_its_tiles_and_nothing_else();
    ++widths;
  }
  EXPECT_GE(widths, 3);
}

void EveryWidth::expect_its_tiles_and_nothing_else() {
  const int bm = kernel().bm, bn = kernel().bn, bk = kernel().bk;
  if (!kernel().transposes_result) {  // k runs along B
    expect({bm + 8, 2 * bn - 8, 2 * bk + 8}, {kRows, kColumns, kRows});
    if (kernel().splits) expect({bm, bn, 4 * bk}, {kColumns, kColumns, kRows}, 0.5, 1, "split=2");
    if (!kernel().entries[1][0].empty())
      expect({bm, 2 * bn - 8, 2 * bk + 8}, {kRows, kRows, kRows});
    return;
  }
  // Two tiles down, two across of which the second ends with the matrix, two stages and a bit.
  expect({2 * bn - 3, bm + 8, 2 * bk + 8}, {kRows, kRows, kRows});
  if (kernel().splits) expect({bn, bm, 4 * bk}, {kRows, kColumns, kRows}, 0.5, 1, "split=2");
  if (!kernel().entries[1][0].empty())
    expect({2 * bn - 8, bm, 2 * bk + 8}, {kColumns, kRows, kRows});
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryWidth,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return is_any_width(kernel) && kernel.narrower == 0;
                         })),
                         name_of_kernel);

class EverySingleTile : public EveryKernel {};

// One row of tiles after the other where these are an odd number, else two or four next to each other.
TEST_P(EverySingleTile, InGroupsOfRows) {
  for (const int down : {3, 4, 6}) {
    const int rows = down * kernel().bm - 8, columns = 2 * kernel().bn;
    const Stand b = kernel().entries[1][0].empty() ? kColumns : kRows;
    if (kernel().transposes_result) expect({columns, rows, 72}, {kRows, kRows, kRows});
    else expect({rows, columns, 72}, {kRows, b, kRows});
  }
}

// Of any shape, order and alignment: what is whole, what ends within a tile, and what has been copied.
TEST_P(EverySingleTile, OfRandomProducts) {
  std::mt19937 random(static_cast<unsigned>(kernel().bm * 1000 + kernel().bn));
  const auto among = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  const auto stand = [&](Order order) {
    constexpr std::array<std::int64_t, 3> kGaps{0, 8, 3};
    return Stand{.order = order, .gap = kGaps.at(static_cast<std::size_t>(among(0, 2)))};
  };
  for (int i = 0; i < 4; ++i) {
    const int grid = among(0, 1) == 0 ? 1 : 8;  // of eights more often than by chance
    const auto size = [&](int most) { return among(1, std::max(1, most / grid)) * grid; };
    int m = size(2 * kernel().bm + 20), n = size(3 * kernel().bn + 20);
    if (kernel().transposes_result) std::swap(m, n);
    const Order a = among(0, 1) == 0 ? Order::kRowMajor : Order::kColumnMajor,
                b = among(0, 1) == 0 ? Order::kRowMajor : Order::kColumnMajor;
    const char* const how = among(0, 2) == 0 ? "split=2" : "split=1";
    const auto begin = [&] { return among(0, 4) == 0 ? 0 : 1; };  // 1: aligned
    expect({m, n, size(400)},
           {stand(a), stand(b), stand(Order::kRowMajor), begin(), begin(), begin()},
           among(0, 1) == 0 ? 1 : 0.5, among(0, 2) == 0 ? -1 : 0, how);
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, EverySingleTile,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.is_single && is_tested(kernel);
                         })),
                         name_of_kernel);

class EverySingleTileOfBF16 : public EveryKernel {};

// Of a deep product whose B lies along k the last tile across ends with the matrix (ends_across() in launch.cpp), and stores
// what the one beside it does not: a few columns, or nearly all; of Cᵀ rows, of which any number; and none where it adds to C.
// (f16 shares the code.)
TEST_P(EverySingleTileOfBF16, EndsWithTheMatrixAcross) {
  const int bm = kernel().bm, bn = kernel().bn, k = 2048;
  const bool is_wide = kernel().result == Dtype::kF32;
  const auto expect_across = [&](int across, double beta) {
    if (kernel().transposes_result) expect({across + 3, bm, k}, {kRows, kRows, kRows}, 1.5, beta);
    else expect({bm, across, k}, {kRows, kColumns, kRows}, 1.5, beta);
  };
  expect_across(is_wide ? bn + 8 : 2 * bn - 8, 0);
  if (bn <= 64) expect_across(is_wide ? 2 * bn - 8 : bn + 8, bn == 64 ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Gemm, EverySingleTileOfBF16,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.is_single && kernel.operand == Dtype::kBF16 &&
                                  is_tested(kernel);
                         })),
                         name_of_kernel);

// Kernels of which several groups of warps share a tile, each with stages of its own.
class EverySharedTile : public EveryKernel {};

// Copies from memory do not arrive in the order in which they were asked for, and a group does not wait for those that others
// multiply: it may be ahead of them by a whole ring.
TEST_P(EverySharedTile, WithCopiesThatOvertakeEachOther) {
  if (wants_real_gpu()) GTEST_SKIP() << "has an order of its own";
  vgpu::LaunchOptions options = checked_launches();
  options.async_order = vgpu::AsyncOrder::kRandom;
  options.async_seed = static_cast<std::uint64_t>(kernel().bm * 1000 + kernel().bn);
  const OtherGpu other(open_virtual(few_multiprocessors("h200"), options));
  const int rows = 2 * kernel().bm, columns = 2 * kernel().bn;
  for (const int rings : {2, 3}) {
    const int k = rings * kernel().stages * kernel().bk + 8;
    if (kernel().transposes_result) expect({columns, rows, k}, {kRows, kRows, kRows});
    else expect({rows, columns, k}, {kRows, kColumns, kRows});
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, EverySharedTile,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.is_single && kernel.steps_together > 1 &&
                                  is_tested(kernel);
                         })),
                         name_of_kernel);

TEST(SingleTiles, AreForOneRoundAndAsAskedForMore) {
  TILEWISE_NEEDS_KERNELS();
  gpu::Problem problem;
  problem.operand = problem.result = Dtype::kBF16;
  problem.a_along_k = problem.b_along_k = true;
  problem.count = 1;
  const model::Gpu& gpu = model::find_gpu("h200");
  const auto planned = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    problem.arguments.m = m, problem.arguments.n = n, problem.arguments.k = k;
    problem.arguments.a.leading_dimension = problem.arguments.b.leading_dimension = k;
    std::int64_t most = 0;
    for (const gpu::Candidate& each : gpu::candidates(problem, gpu, gpu::kNoLimit)) {
      if (each.kernel->is_single && each.plan) most = std::max(most, each.estimate.blocks);
    }
    return most;
  };
  EXPECT_GT(planned(512, 512, 512), 100);
  EXPECT_LE(planned(512, 512, 512), gpu.sm_count);
  EXPECT_GT(planned(64, 64, 1 << 16), 60);  // parts of k count
  EXPECT_LE(planned(64, 64, 1 << 16), gpu.sm_count);
  EXPECT_EQ(planned(1 << 12, 1 << 12, 512), 0);
  const std::optional<gpu::Plan> asked = gpu::plan_by(
      {kernels::find_gemm_kernel("single_bf16_64x64"), {}, 1}, problem, gpu, gpu::kNoLimit);
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(gpu::tiles_of(*asked, problem), 64 * 64);
}

TEST(Widths, AreInStepsAndLeaveRoomForThreeStages) {
  for (const GemmKernel& kernel : kernels::gemm_kernels()) {
    if (!is_any_width(kernel)) continue;
    EXPECT_EQ(kernel.bn % 8, 0);
    EXPECT_LT(kernel.narrower, kernel.bn);
    EXPECT_GE(kernel.stages, 3);
    EXPECT_LE(kernel.dynamic_shared_bytes, 227 * 1024);
  }
}

TEST(Widths, AreAskedForWhereNoNarrowerOneMakesAsFewTiles) {
  gpu::Problem problem;
  problem.operand = problem.result = Dtype::kBF16;
  problem.a_along_k = true;
  problem.count = 1;
  problem.arguments.m = 260, problem.arguments.n = problem.arguments.k = 4096;
  problem.arguments.a.leading_dimension = problem.arguments.k;
  problem.arguments.b.leading_dimension = problem.arguments.n;
  std::vector<int> widths;
  for (const gpu::Candidate& each :
       gpu::candidates(problem, model::find_gpu("h200"), gpu::kNoLimit)) {
    if (is_any_width(*each.kernel) && each.kernel->unit == "warpgroup_bf16_128xany_swapped")
      widths.push_back(each.kernel->bn);
  }
  // 11, 9, 7, 6, 5, 4, 3 and 2 tiles; one would have to have 264 columns.
  EXPECT_EQ(widths, (std::vector<int>{24, 32, 40, 48, 56, 72, 88, 144}));
}

}  // namespace
}  // namespace tilewise::test
