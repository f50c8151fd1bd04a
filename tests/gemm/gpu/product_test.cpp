// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What products promise whatever kernel computes them: BLAS semantics, scalars on the device, batches,
// workspaces, the same bits.
#include <thread>

#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

class GpuProduct : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
};

template <class Kind> class GpuProductOf : public GpuProduct {};
// f16 and bf16: other_gpus_test.cpp, hopper_test.cpp.
using Kinds = ::testing::Types<F32, F64>;
TYPED_TEST_SUITE(GpuProductOf, Kinds);

TYPED_TEST(GpuProductOf, ChoosesAPlanForAnyShape) {
  for (const Sizes sizes : {Sizes{1, 1, 1}, Sizes{1, 200, 300}, Sizes{200, 1, 300},
                            Sizes{33, 65, 129}, Sizes{130, 140, 20}, Sizes{3, 5, 1500}})
    expect_right<TypeParam>(sizes, {{.gap = 1}, {.gap = 2}, {.gap = 3}, 0, 1, 0}, 2, -0.5f);
}

TYPED_TEST(GpuProductOf, WithoutADepthOnlyScalesC) {
  expect_right<TypeParam>({40, 50, 0}, {}, 1, 0);  // C holds NaN before
  expect_right<TypeParam>({40, 50, 0}, {}, 1, 3);
}

TYPED_TEST(GpuProductOf, DoesNotReadFactorsWhereAlphaIsZero) {
  using T = typename TypeParam::C;
  Matrix<T> c(20, 30, {}, 3);
  const Matrix<T> before = c;
  OnGpu on_c(c);
  const MatrixView<const T> a{nullptr, 20, 7, 7, Order::kRowMajor};
  const MatrixView<const T> b{nullptr, 7, 30, 30, Order::kRowMajor};
  gemm(gpu(), T{0}, a, b, T{2}, on_c.view());
  on_c.fetch();
  expect_clean();
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 30; ++j) EXPECT_EQ(c.at(i, j), 2 * before.at(i, j));
  c.expect_surroundings_untouched();
}

TYPED_TEST(GpuProductOf, DoesNotReadFactorsWhereAlphaOnTheDeviceIsZero) {
  using T = typename TypeParam::C;
  const ArrayOnGpu<T> scalars({0, 2});
  Matrix<T> a(20, 7), b(7, 30), c(20, 30, {}, 3);
  a.fill(poison<T>());
  b.fill(poison<T>());
  const Matrix<T> before = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  gemm(gpu(), GpuScalar<T>::on_device(scalars.data()), on_a.view(), on_b.view(),
       GpuScalar<T>::on_device(scalars.data() + 1), on_c.view());
  on_c.fetch();
  expect_clean();
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 30; ++j) EXPECT_EQ(c.at(i, j), 2 * before.at(i, j));
}

TYPED_TEST(GpuProductOf, TakesScalarsFromTheDevice) {
  using T = typename TypeParam::C;
  const ArrayOnGpu<T> scalars({T(1.5), T(-2), 0});
  for (const int beta : {1, 2}) {  // -2, and 0 where C holds NaN
    Matrix<T> a(35, 21, {}, 1), b(21, 37, {}, 2), c(35, 37, {}, 3);
    if (beta == 2) c.fill(poison<T>());
    const Matrix<T> before = c;
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    gemm(gpu(), GpuScalar<T>::on_device(scalars.data()), on_a.view(), on_b.view(),
         GpuScalar<T>::on_device(scalars.data() + beta), on_c.view());
    on_c.fetch();
    expect_clean();
    expect_product<T, T, T, T>(T(1.5), a, b, beta == 1 ? T(-2) : T(0), before, c);
  }
}

TYPED_TEST(GpuProductOf, PropagatesNanAndInfinity) {
  using T = typename TypeParam::C;
  Matrix<T> a(5, 9, {}, 1), b(9, 6, {}, 2), c(5, 6, {}, 3);
  a.at(1, 2) = poison<T>();
  a.at(3, 4) = std::numeric_limits<T>::infinity();
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  gemm(gpu(), T{1}, on_a.view(), on_b.view(), T{0}, on_c.view());
  on_c.fetch();
  for (int j = 0; j < 6; ++j) {
    EXPECT_TRUE(std::isnan(c.at(1, j)));
    EXPECT_TRUE(std::isinf(c.at(3, j)));
    EXPECT_TRUE(std::isfinite(c.at(2, j)));
  }
}

// --- batches -------------------------------------------------------------------------------------------

// Matrices of a batch, one after the other in memory, and a view of each for the reference.
template <class T> struct Many {
  std::int64_t rows, columns;
  std::vector<Matrix<T>> matrices;
  std::vector<std::unique_ptr<OnGpu<T>>> on_gpu;
  std::vector<T*> pointers;

  Many(int count, std::int64_t rows_, std::int64_t columns_, std::uint64_t stream, Stand stand = {})
      : rows(rows_), columns(columns_) {
    matrices.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      matrices.emplace_back(rows, columns, stand, stream + static_cast<std::uint64_t>(i));
      on_gpu.push_back(std::make_unique<OnGpu<T>>(matrices.back(), i % 2));
      pointers.push_back(on_gpu.back()->view().data);
    }
  }
  MatrixView<T> shape() const { return on_gpu[0]->view(); }
};

TYPED_TEST(GpuProductOf, ABatchOfPointersInDeviceMemory) {
  using T = typename TypeParam::C;
  Many<T> a(5, 33, 20, 10), b(5, 20, 34, 20), c(5, 33, 34, 30, {.order = Order::kColumnMajor});
  const std::vector<Matrix<T>> before = c.matrices;
  const ArrayOnGpu<T*> at_a(a.pointers), at_b(b.pointers), at_c(c.pointers);
  gemm_batch(gpu(), 5, T{2}, from_pointers(a.shape(), at_a.data()),
             from_pointers(b.shape(), at_b.data()), T{1}, from_pointers(c.shape(), at_c.data()));
  for (std::size_t i = 0; i < 5; ++i) {
    c.on_gpu[i]->fetch();
    expect_product<T, T, T, T>(2, a.matrices[i], b.matrices[i], 1, before[i], c.matrices[i]);
  }
  expect_clean();
}

TYPED_TEST(GpuProductOf, AStridedBatchWithASharedFactorAndBackwards) {
  using T = typename TypeParam::C;
  constexpr int kCount = 3, kM = 12, kN = 17, kK = 40;
  // The batch is one tall matrix: product i has rows i·kM … of it. C goes backwards.
  Matrix<T> a(kCount * kM, kK, {}, 1), b(kK, kN, {}, 2), c(kCount * kM, kN, {.gap = 4}, 3);
  const Matrix<T> before = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  MatrixView<T> last_a = on_a.view(), last_c = on_c.view();
  last_a.rows = last_c.rows = kM;
  const std::int64_t stride_a = kM * last_a.leading_dimension,
                     stride_c = kM * last_c.leading_dimension;
  last_a.data += (kCount - 1) * stride_a, last_c.data += (kCount - 1) * stride_c;
  gemm_batch(gpu(), kCount, T{1}, strided(last_a, -stride_a), strided(on_b.view(), 0), T{2},
             strided(last_c, -stride_c));
  on_c.fetch();
  expect_clean();
  expect_product<T, T, T, T>(1, a, b, 2, before, c);
}

TYPED_TEST(GpuProductOf, ABatchInPartsOfK) {
  using T = typename TypeParam::C;
  const std::string kernel = sizeof(T) == 4 ? "simt_f32_32x32" : "mma_f64_64x64";
  const PlanWish wish(kernel + ",split=3");
  Many<T> a(3, 40, 300, 10), b(3, 300, 41, 20), c(3, 40, 41, 30);
  const std::vector<Matrix<T>> before = c.matrices;
  const ArrayOnGpu<T*> at_a(a.pointers), at_b(b.pointers), at_c(c.pointers);
  gemm_batch(gpu(), 3, T{1}, from_pointers(a.shape(), at_a.data()),
             from_pointers(b.shape(), at_b.data()), T{1}, from_pointers(c.shape(), at_c.data()));
  for (std::size_t i = 0; i < 3; ++i) {
    c.on_gpu[i]->fetch();
    expect_product<T, T, T, T>(1, a.matrices[i], b.matrices[i], 1, before[i], c.matrices[i]);
  }
  expect_clean();
}

// So many parts of so small a C that several threads share those of an element; rows that end within 16 bytes.
TYPED_TEST(GpuProductOf, ManyPartsOfK) {
  using T = typename TypeParam::C;
  const PlanWish wish(sizeof(T) == 4 ? "simt_f32_32x32,split=37" : "mma_f64_64x64,split=37");
  const Sizes sizes{5, 7, 37 * 16};
  const auto first = expect_right<TypeParam>(sizes, {{}, {}, {.gap = 2}}, 1.5, -1);
  EXPECT_TRUE(same_bits(first, expect_right<TypeParam>(sizes, {{}, {}, {.gap = 2}}, 1.5, -1)));
}

// alpha = 0 on the device, which the host does not see: A and B are not read, nor what would have been left of them.
TEST_F(GpuProduct, NothingOfPartsForAnAlphaOfZero) {
  const PlanWish wish("simt_f32_32x32,split=3");
  Matrix<float> c(40, 41, {}, 3);
  const Matrix<float> before = c;
  OnGpu on_c(c);
  const ArrayOnGpu<float> scalars({0, 2});
  const float* const nowhere = reinterpret_cast<const float*>(4096);
  gemm(gpu(), GpuScalar<float>::on_device(scalars.data()),
       MatrixView<const float>{nowhere, 40, 300, 300},
       MatrixView<const float>{nowhere, 300, 41, 41},
       GpuScalar<float>::on_device(scalars.data() + 1), on_c.view());
  on_c.fetch();
  expect_clean();
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 41; ++j) EXPECT_EQ(c.at(i, j), 2 * before.at(i, j));
}

// More matrices than a grid holds: those of a later launch are found, and what was prepared of them.
void expect_many_matrices(ComputeMode mode) {
  constexpr std::int64_t kCount = gpu::kMostMatrices + 3;
  Matrix<float> a(kCount, 2, {}, 1), b(2, 1, {}, 2), c(kCount, 1, {}, 3);
  const Matrix<float> before = c;
  auto* const virtual_device = dynamic_cast<device::VirtualDevice*>(&test_device());
  if (virtual_device != nullptr) virtual_device->watch({});  // checks take a minute here
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  MatrixView<float> row = on_a.view(), element = on_c.view();
  row.rows = element.rows = 1;
  gemm_batch(gpu(), kCount, 1.0f, strided(row, 2), strided(on_b.view(), 0), 0.0f,
             strided(element, 1), {.mode = mode});
  on_c.fetch();
  if (virtual_device != nullptr) virtual_device->watch(checked_launches());
  expect_product<float, float, float, float>(1, a, b, 0, before, c);
}

TEST_F(GpuProduct, MoreMatricesThanAGridHolds) {
  const PlanWish wish("simt_f32_32x32");  // without, all are in one launch
  expect_many_matrices(ComputeMode::kIeee);
}

TEST_F(GpuProduct, MoreMatricesThanAGridHoldsInOneLaunch) {
  expect_many_matrices(ComputeMode::kIeee);
}

TEST_F(GpuProduct, MoreMatricesInPairsThanAGridHolds) {
  const PlanWish wish("mma_accurate_f32_64x64");
  expect_many_matrices(ComputeMode::kAccurate);
}

// --- workspace, bits, threads ---------------------------------------------------------------------------

TEST_F(GpuProduct, WorksInTheCallersWorkspace) {
  const PlanWish wish("simt_f32_32x32,split=4");
  constexpr std::int64_t kBytes = 4 * 4 * 32 * 32 * 4 + 256;
  const device::Buffer workspace(test_device(), kBytes);
  GpuGemmOptions options;
  options.workspace = reinterpret_cast<void*>(workspace.address());
  options.workspace_bytes = kBytes;
  expect_right<F32>({40, 50, 400}, {}, 1, 0, options);
}

TEST_F(GpuProduct, TakesAPlanThatFitsIntoTheWorkspace) {
  const device::Buffer workspace(test_device(), 256);
  GpuGemmOptions options;
  options.workspace = reinterpret_cast<void*>(workspace.address());
  options.workspace_bytes = 256;
  expect_right<F32>({8, 8, 3000}, {}, 1, 0, options);
}

TYPED_TEST(GpuProductOf, GivesTheSameBitsAgain) {
  const Sizes sizes{70, 45, 2000};
  const auto first = expect_right<TypeParam>(sizes);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(first, expect_right<TypeParam>(sizes)));
}

TEST_F(GpuProduct, GivesTheSameBitsWhoeverArrivesLast) {
  auto* const virtual_device = dynamic_cast<device::VirtualDevice*>(&test_device());
  if (virtual_device == nullptr) GTEST_SKIP() << "the order of blocks is the GPU's";
  const PlanWish wish("simt_f32_64x64,split=5");
  const Sizes sizes{65, 70, 900};
  const auto first = expect_right<F32>(sizes);
  virtual_device->watch({.threads = 4});  // blocks run side by side then
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_bits(first, expect_right<F32>(sizes)));
  virtual_device->watch(checked_launches());
}

TEST_F(GpuProduct, ServesThreadsAtTheSameTime) {
  Matrix<float> a(50, 60, {}, 1), b(60, 40, {}, 2);
  OnGpu on_a(a);
  OnGpu on_b(b);
  const auto multiply = [&](Matrix<float>& c) {
    OnGpu on_c(c);
    for (int i = 0; i < 3; ++i) gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view());
    on_c.fetch();
  };
  std::vector<Matrix<float>> results(4, Matrix<float>(50, 40));
  std::vector<std::thread> threads;
  for (Matrix<float>& c : results) threads.emplace_back([&] { multiply(c); });
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<float>& c : results)
    expect_product<float, float, float, float>(1, a, b, 0, c, c);
  expect_clean();
}

}  // namespace
}  // namespace tilewise::test
