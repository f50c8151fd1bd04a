// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUs other than Hopper, on the virtual GPU: the code that is compiled for sm_80, and what the planner makes of GPUs
// with less shared memory.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/divide.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

constexpr Stand kRows{}, kColumns{.order = Order::kColumnMajor};

// What rows of a matrix have to be longer by to begin aligned.
Stand aligned(Order order, std::int64_t width) {
  return {.order = order, .gap = round_up(width, std::int64_t{8}) - width};
}

class OnAnA100 : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override {
    TILEWISE_NEEDS_KERNELS();
    gpu_ = std::make_unique<OtherGpu>("a100");
  }
  const GemmKernel& kernel() const { return *GetParam(); }
  GpuGemmOptions options() const { return {.mode = kernel().mode}; }
  // Whether the kernel reads A and B in these orders.
  bool reads(Order a, Order b) const {
    const bool a_along_k = a == Order::kRowMajor, b_along_k = b == Order::kColumnMajor;
    return !(kernel().transposes_result ? kernel().entries[b_along_k][a_along_k]
                                        : kernel().entries[a_along_k][b_along_k])
                .empty();
  }
  // As the kernel sees it.
  Sizes sized(std::int64_t rows, std::int64_t columns, std::int64_t k) const {
    return kernel().transposes_result ? Sizes{columns, rows, k} : Sizes{rows, columns, k};
  }

 private:
  std::unique_ptr<OtherGpu> gpu_;
};

TEST_P(OnAnA100, AllOrdersAndEdges) {
  const PlanWish wish(std::string(kernel().name) + ",split=1");
  const Sizes sizes =
      sized(kernel().bm + 9, kernel().bn + 1,
            std::min<std::int64_t>((kernel().stages + 1) * kernel().bk + 13, kernel().most_held_k));
  with_kind(kernel(), [&]<class Kind>(Kind) {
    for (const Stand& a :
         {aligned(Order::kRowMajor, sizes.k), aligned(Order::kColumnMajor, sizes.m)})
      for (const Stand& b :
           {aligned(Order::kRowMajor, sizes.n), aligned(Order::kColumnMajor, sizes.k)})
        if (reads(a.order, b.order)) expect_right<Kind>(sizes, {a, b, kRows}, 1.5, 0, options());
    const Order order =
        reads(Order::kRowMajor, Order::kRowMajor) ? Order::kRowMajor : Order::kColumnMajor;
    expect_right<Kind>(
        sizes, {{.order = order, .gap = 3}, {.order = order, .gap = 1}, {.gap = 5}, 0, 0, 0}, -1,
        0.5, options());
  });
}

TEST_P(OnAnA100, PartsOfK) {
  if (!kernel().splits) GTEST_SKIP() << "does not divide k";
  const PlanWish wish(std::string(kernel().name) + ",split=3");
  const Sizes sizes = sized(kernel().bm + 1, kernel().bn - 1, 6 * kernel().bk + 5);
  with_kind(kernel(), [&]<class Kind>(Kind) {
    const auto first = expect_right<Kind>(sizes, {kColumns, kRows, kColumns}, 2, -1, options());
    EXPECT_TRUE(
        same_bits(first, expect_right<Kind>(sizes, {kColumns, kRows, kColumns}, 2, -1, options())));
  });
}

// What the kernels are built around: no copy, no read of a fragment, no way of a result meets a bank twice.
TEST_P(OnAnA100, MultiplyWithoutBankConflicts) {
  if (kernel().preparation == kernels::Preparation::kNone) GTEST_SKIP() << "copies single elements";
  if (!kernel().name.starts_with("mma_")) GTEST_SKIP() << "is not laid out for it";
  device::Device& device = test_device();
  const std::int64_t k = 3 * kernel().bk;
  const std::size_t element = size_of(kernel().operand), result = size_of(kernel().result);
  const device::Buffer a(device, static_cast<std::uint64_t>(kernel().bm * k) * element),
      b(device, static_cast<std::uint64_t>(kernel().bn * k) * element),
      c(device, static_cast<std::uint64_t>(kernel().bm * kernel().bn) * result);
  const auto stream = device.create_stream();
  device.fill(a.address(), 0, static_cast<std::uint64_t>(kernel().bm * k) * element, *stream);
  device.fill(b.address(), 0, static_cast<std::uint64_t>(kernel().bn * k) * element, *stream);
  // Of pairs of f16, which are as large: no scales, none that pairs do not do for.
  constexpr std::uint64_t kZeros = 4096;
  const device::Buffer zeros(device, kZeros);
  device.fill(zeros.address(), 0, kZeros, *stream);
  const auto pairs = [&](const device::Buffer& halves) {
    return kernels::GemmPairs{reinterpret_cast<const float*>(zeros.address()),
                              reinterpret_cast<const unsigned short*>(zeros.address()),
                              1,
                              1,
                              reinterpret_cast<const unsigned short*>(halves.address()),
                              k};
  };
  const auto module = device.load(kernels::find_image(kernel().unit, 8, 0, kernels::gemm_images()));
  for (const bool a_along_k : {false, true}) {
    for (const bool b_along_k : {false, true}) {
      kernels::GemmArguments x{};
      x.m = kernel().bm, x.n = kernel().bn, x.k = k, x.alpha = {1, nullptr};
      x.a = {reinterpret_cast<const void*>(a.address()), a_along_k ? k : x.m, 0, nullptr};
      x.b = {reinterpret_cast<const void*>(b.address()), b_along_k ? k : x.n, 0, nullptr};
      x.c = {reinterpret_cast<void*>(c.address()), x.n, 0, nullptr, 0};
      x.pairs_a = pairs(a), x.pairs_b = pairs(b);
      x.split.parts = 1, x.split.k_each = k, x.result_bytes = static_cast<int>(result);
      const std::array<const void*, 1> values{&x};
      device::Launch launch;
      launch.grid = {1, 1, 1}, launch.block = {static_cast<std::uint32_t>(kernel().threads), 1, 1};
      launch.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel().dynamic_shared_bytes);
      launch.arguments = values;
      const auto count = device.launch_counted(
          module->kernel(kernel().entries[a_along_k][b_along_k]), launch, *stream);
      ASSERT_TRUE(count);
      const Counters& counters = count->report.counters;
      EXPECT_GT(counters.shared_load_instructions, 0u);
      EXPECT_EQ(counters.shared_load_conflicts, 0u) << a_along_k << b_along_k;
      EXPECT_EQ(counters.shared_store_conflicts, 0u) << a_along_k << b_along_k;
      EXPECT_EQ(counters.async_copy_conflicts, 0u) << a_along_k << b_along_k;
      // Sectors are asked for once, and written whole.
      EXPECT_EQ(counters.async_copy_sectors * 32,
                static_cast<std::uint64_t>((x.m + x.n) * k) * element);
      EXPECT_EQ(counters.global_store_sectors * 32, static_cast<std::uint64_t>(x.m * x.n) * result);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, OnAnA100,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.compute_major == 8 && (size_of(kernel.operand) == 2 ||
                                                                kernel.mode != ComputeMode::kIeee);
                         })),
                         name_of_kernel);

template <class Kind> class OtherGpus : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
};
using Kinds = ::testing::Types<BF16ToF32, BF16, F16ToF32, F16>;
TYPED_TEST_SUITE(OtherGpus, Kinds);

TYPED_TEST(OtherGpus, ChooseAPlanForAnyShape) {
  for (const char* const model : {"a100", "rtx4090"}) {
    const OtherGpu other(model);
    for (const Sizes sizes : {Sizes{1, 1, 1}, Sizes{1, 200, 300}, Sizes{200, 1, 300},
                              Sizes{33, 65, 129}, Sizes{150, 300, 70}, Sizes{3, 5, 1500}})
      expect_right<TypeParam>(sizes, {{.gap = 1}, {.gap = 2}, {.gap = 3}, 0, 1, 0}, 2, -0.5f);
    expect_right<TypeParam>({40, 50, 0}, {}, 1, 0);  // C holds NaN before
  }
}

TYPED_TEST(OtherGpus, TakeScalarsFromTheDevice) {
  using A = typename TypeParam::A;
  using C = typename TypeParam::C;
  const OtherGpu other("a100");
  const ArrayOnGpu<float> scalars({1.5f, -2, 0});
  const auto multiply = [&](Matrix<A>& a, Matrix<A>& b, Matrix<C>& c, int alpha, int beta) {
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    gemm(gpu(), GpuScalar<float>::on_device(scalars.data() + alpha), on_a.view(), on_b.view(),
         GpuScalar<float>::on_device(scalars.data() + beta), on_c.view());
    on_c.fetch();
    expect_clean();
  };
  Matrix<A> a(70, 90, {}, 1), b(90, 66, {}, 2);
  for (const char* const parts : {"", ",split=2"}) {
    const bool wide = std::is_same_v<C, float>;
    const PlanWish wish(
        std::string(std::is_same_v<A, BFloat16> ? "mma_bf16_64x64" : "mma_f16_64x64") +
        (wide ? "_to_f32" : "") + parts);
    Matrix<C> c(70, 66, {}, 3), poisoned = c;
    const Matrix<C> before = c;
    multiply(a, b, c, 0, 1);
    expect_product<A, A, C, float>(1.5f, a, b, -2, before, c);
    poisoned.fill(poison<C>());  // beta is 0
    multiply(a, b, poisoned, 0, 2);
    expect_product<A, A, C, float>(1.5f, a, b, 0, before, poisoned);
    Matrix<A> nothing_a = a, nothing_b = b;  // alpha is 0
    nothing_a.fill(poison<A>()), nothing_b.fill(poison<A>());
    c = before;
    multiply(nothing_a, nothing_b, c, 2, 1);
    expect_product<A, A, C, float>(0, a, b, -2, before, c);
  }
}

TYPED_TEST(OtherGpus, MultiplyBatches) {
  using A = typename TypeParam::A;
  using C = typename TypeParam::C;
  const OtherGpu other("a100");
  constexpr int kCount = 3;
  for (const std::int64_t gap : {0, 3}) {  // aligned, and copied to where it is
    // A batch is one tall matrix: product i has its rows i·m …. C goes backwards.
    Matrix<A> a(kCount * 40, 72, {.gap = gap}, 1), b(72, 80, {.gap = gap}, 2);
    Matrix<C> c(kCount * 40, 80, {.gap = gap}, 3);
    const Matrix<C> before = c;
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    MatrixView<A> last_a = on_a.view();
    MatrixView<C> last_c = on_c.view();
    last_a.rows = last_c.rows = 40;
    const std::int64_t stride_a = 40 * last_a.leading_dimension,
                       stride_c = 40 * last_c.leading_dimension;
    last_a.data += (kCount - 1) * stride_a, last_c.data += (kCount - 1) * stride_c;
    gemm_batch(gpu(), kCount, 1.5f, strided(MatrixView<const A>(last_a), -stride_a),
               strided(MatrixView<const A>(on_b.view()), 0), -1.0f, strided(last_c, -stride_c));
    on_c.fetch();
    expect_clean();
    expect_product<A, A, C, float>(1.5f, a, b, -1.0f, before, c);

    // The same by pointers; C as it is now is what beta stands before.
    const Matrix<C> middle = c;
    OnGpu on_new_c(c);
    std::vector<const A*> at_a, at_b(kCount, on_b.view().data);
    std::vector<C*> at_c;
    for (int i = 0; i < kCount; ++i)
      at_a.push_back(on_a.view().data + i * stride_a),
          at_c.push_back(on_new_c.view().data + i * stride_c);
    const ArrayOnGpu<const A*> where_a(at_a), where_b(at_b);
    const ArrayOnGpu<C*> where_c(at_c);
    MatrixView<const A> one_a = on_a.view();
    MatrixView<C> one_c = on_new_c.view();
    one_a.rows = one_c.rows = 40;
    gemm_batch(gpu(), kCount, 1.0f, from_pointers<const A>(one_a, where_a.data()),
               from_pointers<const A>(on_b.view(), where_b.data()), 0.5f,
               from_pointers<C>(one_c, where_c.data()));
    on_new_c.fetch();
    expect_clean();
    expect_product<A, A, C, float>(1.0f, a, b, 0.5f, middle, c);
  }
}

// --- tf32 ---------------------------------------------------------------------------------------------

class Tf32 : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
  static constexpr GpuGemmOptions kOptions{.mode = ComputeMode::kTf32};
};

TEST_F(Tf32, OfAnyShapeOnOtherGpus) {
  for (const char* const model : {"a100", "rtx4090"}) {
    const OtherGpu other(model);
    for (const Sizes sizes : {Sizes{1, 1, 1}, Sizes{1, 200, 300}, Sizes{33, 65, 129},
                              Sizes{150, 300, 70}, Sizes{3, 5, 1500}})
      expect_right<TF32>(sizes, {{.gap = 1}, {.gap = 2}, {.gap = 3}, 0, 1, 0}, 2, -0.5f, kOptions);
  }
}

// To nearest, ties away from zero, in either order; f32 itself would keep the bits, tensor cores cut them off.
TEST_F(Tf32, RoundsBothFactors) {
  for (const char* const kernel : {"mma_tf32_64x64", "mma_tf32_128x256"}) {
    const PlanWish wish(kernel);
    for (const Stand stand : {kRows, kColumns}) {
      Matrix<float> values(24, 16, stand), one(16, 24, stand), c(24, 24);
      values.fill(0), one.fill(0);
      for (int i = 0; i < 24; ++i) values.at(i, i % 16) = i % 2 ? 1 + 0x1p-11f : -1 - 0x1.7fp-10f;
      for (int j = 0; j < 16; ++j) one.at(j, j) = 1 + 0x1p-12f;  // to 1
      OnGpu on_a(values);
      OnGpu on_b(one);
      OnGpu on_c(c);
      gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view(), kOptions);
      on_c.fetch();
      expect_clean();
      for (int i = 0; i < 24; ++i)
        EXPECT_EQ(c.at(i, i % 16), i % 2 ? 1 + 0x1p-10f : -1 - 0x1p-10f) << i;
      Matrix<float> d(16, 16);
      OnGpu on_d(d);
      MatrixView<const float> first = on_b.view(), second = on_a.view();
      first.columns = 16, second = transposed(second), second.columns = 16;
      gemm(gpu(), 1.0f, first, second, 0.0f, on_d.view(), kOptions);
      on_d.fetch();
      for (int i = 0; i < 16; ++i) EXPECT_EQ(d.at(i, i), i % 2 ? 1 + 0x1p-10f : -1 - 0x1p-10f) << i;
    }
  }
}

TEST_F(Tf32, KeepsNanInfinityAndWhatIsNear) {
  const PlanWish wish("mma_tf32_64x64");
  Matrix<float> a(5, 9, {}, 1), b(9, 6, {}, 2), c(5, 6, {}, 3);
  for (int i = 0; i < 5; ++i)
    for (int l = 0; l < 9; ++l) a.at(i, l) += 2;
  for (int l = 0; l < 9; ++l)
    for (int j = 0; j < 6; ++j) b.at(l, j) += 2;
  std::uint32_t bits = 0x7FFFFFFF;  // the NaN that GPUs make
  std::memcpy(&a.at(1, 2), &bits, sizeof bits);
  a.at(3, 4) = std::numeric_limits<float>::infinity();
  a.at(4, 1) = std::numeric_limits<float>::max() / 4;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view(), kOptions);
  on_c.fetch();
  expect_clean();
  for (int j = 0; j < 6; ++j) {
    EXPECT_TRUE(std::isnan(c.at(1, j)));
    EXPECT_TRUE(std::isinf(c.at(3, j)));
    EXPECT_TRUE(std::isfinite(c.at(2, j)));
    EXPECT_TRUE(std::isfinite(c.at(4, j)) && c.at(4, j) > 1e37f) << c.at(4, j);
  }
}

TEST(OtherGpusPlans, TakeWhatTheGpuHasRoomFor) {
  const auto plan = [](model::Gpu gpu, std::int64_t m, std::int64_t n, std::int64_t k) {
    gpu::Problem problem;
    problem.operand = problem.result = Dtype::kBF16;
    problem.a_along_k = problem.b_along_k = true;
    auto& x = problem.arguments;
    x.m = m, x.n = n, x.k = k, x.alpha = {1, nullptr}, x.beta = {0, nullptr};
    x.a = {reinterpret_cast<const void*>(4096), k, 0, nullptr}, x.b = x.a;
    x.c = {reinterpret_cast<void*>(4096), n, 0, nullptr, 0};
    return gpu::choose(problem, gpu, gpu::kNoLimit);
  };
  const model::Gpu a100 = model::find_gpu("a100"), ada = model::find_gpu("rtx4090");
  EXPECT_EQ(plan(a100, 4096, 4096, 4096).kernel->name, "mma_bf16_128x256");
  EXPECT_EQ(plan(ada, 4096, 4096, 4096).kernel->name, "mma_bf16_128x128");
  for (const model::Gpu& gpu : {a100, ada}) {
    EXPECT_EQ(plan(gpu, 200, 300, 128).kernel->name, "mma_bf16_small_16x32_aligned") << gpu.name;
    EXPECT_EQ(plan(gpu, 600, 700, 128).kernel->name, "mma_bf16_64x64") << gpu.name;
    EXPECT_EQ(plan(gpu, 4096, 8, 4096).kernel->name, "strip_bf16_32x16") << gpu.name;
    EXPECT_GT(plan(gpu, 64, 64, 65536).parts, 8) << gpu.name;
  }
  model::Gpu small = ada;
  small.shared_per_block_optin = 64 << 10;  // all of one tile's, but nothing beside it
  EXPECT_EQ(plan(small, 4096, 4096, 4096).kernel->name, "mma_bf16_128x128");
  small.shared_per_block_optin = 48 << 10;
  EXPECT_EQ(plan(small, 4096, 4096, 4096).kernel->name, "mma_bf16_64x64");
  EXPECT_EQ(plan(model::find_gpu("h200"), 4096, 4096, 4096).kernel->compute_major, 9);
}

}  // namespace
}  // namespace tilewise::test
