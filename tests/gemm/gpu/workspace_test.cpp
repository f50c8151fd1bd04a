// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory a product works in, and that so much is what its plan takes: not a byte more, not one less.
#include <functional>
#include <tuple>

#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

class GpuWorkspace : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  static Error error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "not refused";
    return Error(ErrorCode::kInternal, "");
  }
};

// Few tiles, much k: the best plan divides k, and keeps sums in the workspace.
template <class T> struct DeepProduct {
  DeepProduct() {
    for (int i = 0; i < 40; ++i)
      for (int l = 0; l < 4096; ++l) a.at(i, l) /= 3;  // else f64 sums would be exact in any order
    on_a.emplace(a);
  }

  Matrix<T> a{40, 4096, {}, 1}, b{4096, 44, {}, 2}, c{40, 44, {}, 3};
  const Matrix<T> before = c;
  OnGpu<T> on_b{b};
  std::optional<OnGpu<T>> on_a = {};

  std::int64_t workspace() {
    OnGpu on_c(c);
    return gemm_workspace(gpu(), T(1), on_a->view(), on_b.view(), T(0), on_c.view());
  }
  // C, by whatever plan `bytes` of workspace are enough for.
  std::vector<T> computed_in(std::int64_t bytes) {
    const device::Buffer memory(test_device(), static_cast<std::uint64_t>(bytes) + 1);
    return computed(
        {.workspace = reinterpret_cast<void*>(memory.address()), .workspace_bytes = bytes});
  }
  std::vector<T> computed(const GpuGemmOptions& options = {}) {
    c = before;
    c.fill(poison<T>());
    OnGpu on_c(c);
    gemm(gpu(), T(1), on_a->view(), on_b.view(), T(0), on_c.view(), options);
    on_c.fetch();
    expect_clean();
    expect_product<T, T, T, T>(1, a, b, 0, before, c);
    return c.memory();
  }
};

template <class T> void expect_exact_answer() {
  DeepProduct<T> product;
  const std::int64_t bytes = product.workspace();
  ASSERT_GT(bytes, 0);
  const std::vector<T> best = product.computed();
  EXPECT_TRUE(same_bits(product.computed_in(bytes), best));
  product.computed_in(bytes - 1);  // another plan, and right
  // Sums in another order: what is compared here can differ.
  EXPECT_FALSE(same_bits(product.computed_in(0), best));
}

TEST_F(GpuWorkspace, OfF32IsWhatTheBestPlanTakes) { expect_exact_answer<float>(); }
TEST_F(GpuWorkspace, OfF64IsWhatTheBestPlanTakes) {
  const PlanWish wish("mma_f64_64x64");  // Hopper's kernels add up in clusters
  expect_exact_answer<double>();
}

TEST_F(GpuWorkspace, WithoutWhichThereIsNoPlanAtAll) {
  // TMA cannot read rows of 65 elements, and C has too many rows and columns for what reads them in place: every plan
  // begins with copies.
  Matrix<BFloat16> a(140, 65, {}, 1), b(65, 135, {}, 2);
  Matrix<float> c(140, 135, {}, 3);
  const Matrix<float> before = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  const std::int64_t bytes =
      gemm_workspace(gpu(), 1.0f, on_a.view(), on_b.view(), 0.5f, on_c.view());
  ASSERT_GT(bytes, 0);
  const device::Buffer memory(test_device(), static_cast<std::uint64_t>(bytes));
  void* const workspace = reinterpret_cast<void*>(memory.address());
  const Error error = error_of([&] {
    gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.5f, on_c.view(),
         {.workspace = workspace, .workspace_bytes = bytes - 1});
  });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(std::string(error.what()).find("too small"), std::string::npos) << error.what();
  gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.5f, on_c.view(),
       {.workspace = workspace, .workspace_bytes = bytes});
  on_c.fetch();
  expect_clean();
  expect_product<BFloat16, BFloat16, float, float>(1, a, b, 0.5f, before, c);
}

TEST_F(GpuWorkspace, IsNoneWherePlansNeedNone) {
  Matrix<float> a(64, 64), b(64, 64), c(64, 64);
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  EXPECT_EQ(gemm_workspace(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view()), 0);
}

TEST_F(GpuWorkspace, OfABatchIsForAllOfIt) {
  constexpr std::int64_t kCount = 2, kM = 30, kN = 28, kK = 4096;
  Matrix<float> a(kCount * kM, kK, {}, 1), b(kK, kN, {}, 2), c(kCount * kM, kN, {}, 3);
  OnGpu on_a(a);
  OnGpu on_b(b);
  const auto slice = [](MatrixView<float> all) {
    all.rows = kM;
    return strided(all, kM * all.leading_dimension);
  };
  const auto computed = [&](const GpuGemmOptions& options) {
    c.fill(poison<float>());
    OnGpu on_c(c);
    gemm_batch(gpu(), kCount, 1.0f, slice(on_a.view()), strided(on_b.view(), 0), 0.0f,
               slice(on_c.view()), options);
    on_c.fetch();
    return c.memory();
  };
  OnGpu on_c(c);
  const std::int64_t bytes = gemm_batch_workspace(
      gpu(), kCount, 1.0f, slice(on_a.view()), strided(on_b.view(), 0), 0.0f, slice(on_c.view()));
  ASSERT_GT(bytes, 0);
  const device::Buffer memory(test_device(), static_cast<std::uint64_t>(bytes));
  const auto best = computed({});
  const auto same =
      computed({.workspace = reinterpret_cast<void*>(memory.address()), .workspace_bytes = bytes});
  const auto undivided =
      computed({.workspace = reinterpret_cast<void*>(memory.address()), .workspace_bytes = 0});
  expect_clean();
  EXPECT_TRUE(same_bits(same, best));
  EXPECT_FALSE(same_bits(undivided, best));
}

TEST_F(GpuWorkspace, DoesNotDependOnWhatTheContextMayTake) {
  DeepProduct<float> product;
  OnGpu on_c(product.c);
  const GpuContext frugal =
      GpuContext::State::context_on(open_test_device(), {.workspace_bytes = 0});
  EXPECT_EQ(
      gemm_workspace(frugal, 1.0f, product.on_a->view(), product.on_b.view(), 0.0f, on_c.view()),
      product.workspace());
}

TEST_F(GpuWorkspace, ChecksArgumentsAsTheProductDoes) {
  Matrix<float> a(4, 5), b(5, 6), c(4, 6);
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  MatrixView<float> wrong = on_a.view();
  wrong.columns = 4;
  const auto words = [&](const std::function<void()>& call) {
    return std::string(error_of(call).what());
  };
  EXPECT_NE(words([&] {
              (void)gemm_workspace(gpu(), 1.0f, wrong, on_b.view(), 0.0f, on_c.view());
            }).find("b.rows = 5: expected 4"),
            std::string::npos);
  EXPECT_NE(words([&] {
              (void)gemm_workspace(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view(),
                                   {.workspace_bytes = 16});
            }).find("options.workspace = null: expected 16 bytes"),
            std::string::npos);
  EXPECT_NE(words([&] {
              (void)gemm_batch_workspace(gpu(), -1, 1.0f, strided(on_a.view(), 0),
                                         strided(on_b.view(), 0), 0.0f, strided(on_c.view(), 24));
            }).find("count = -1: expected 0 or more"),
            std::string::npos);
}

TEST_F(GpuWorkspace, InC) {
  DeepProduct<float> product;
  OnGpu on_c(product.c);
  const float one = 1, zero = 0;
  const auto [x, y, z] = std::tuple{product.on_a->view(), product.on_b.view(), on_c.view()};
  std::int64_t bytes = -1;
  const auto ask = [&](std::int64_t lda, std::int64_t* to) {
    return tw_gpu_gemm_workspace(gpu_in_c(), TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 40, 44,
                                 4096, &one, TW_F32, x.data, lda, y.data, 44, &zero, TW_F32, z.data,
                                 44, nullptr, to);
  };
  EXPECT_EQ(ask(4096, &bytes), TW_OK) << tw_last_error_message();
  EXPECT_EQ(bytes, product.workspace());
  EXPECT_EQ(tw_gpu_gemm_batch_strided_workspace(gpu_in_c(), TW_ROW_MAJOR, TW_NO_TRANSPOSE,
                                                TW_NO_TRANSPOSE, 20, 44, 4096, &one, TW_F32, x.data,
                                                4096, 20 * 4096, y.data, 44, 0, &zero, TW_F32,
                                                z.data, 44, 880, 2, nullptr, &bytes),
            TW_OK)
      << tw_last_error_message();
  MatrixView<float> slice_a = x, slice_c = z;
  slice_a.rows = slice_c.rows = 20;
  EXPECT_EQ(bytes, gemm_batch_workspace(gpu(), 2, 1.0f, strided(slice_a, 20 * 4096), strided(y, 0),
                                        0.0f, strided(slice_c, 880)));
  const ArrayOnGpu<const void*> list_a({x.data}), list_b({y.data});
  const ArrayOnGpu<void*> list_c({z.data});
  EXPECT_EQ(
      tw_gpu_gemm_batch_workspace(gpu_in_c(), TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 40,
                                  44, 4096, &one, TW_F32, list_a.data(), 4096, list_b.data(), 44,
                                  &zero, TW_F32, list_c.data(), 44, 1, nullptr, &bytes),
      TW_OK)
      << tw_last_error_message();
  EXPECT_GT(bytes, 0);

  EXPECT_EQ(ask(4095, &bytes), TW_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tw_last_error_message()).find("lda = 4095: expected at least 4096 (k)"),
            std::string::npos);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(ask(4096, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tw_last_error_message()).find("bytes = null: expected where to put"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewise::test
