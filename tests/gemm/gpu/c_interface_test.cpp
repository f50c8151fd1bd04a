// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU part of tilewise/tilewise.h.
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

class GpuInC : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  static tw_gpu_context* context() { return gpu_in_c(); }
  static void expect(tw_status expected, tw_status status, const std::string& words) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(tw_last_error_message()).find(words), std::string::npos)
        << tw_last_error_message() << "\nexpected: " << words;
  }
};

TEST_F(GpuInC, MultipliesF32AndF64InEitherOrder) {
  const float alpha = 1.5f, beta = -1;
  const double alpha64 = 1.5, beta64 = -1;
  for (const tw_order order : {TW_ROW_MAJOR, TW_COLUMN_MAJOR}) {
    const Stand stand{.order = order == TW_ROW_MAJOR ? Order::kRowMajor : Order::kColumnMajor};
    const auto multiply = [&]<class T>(T, tw_dtype type, const void* a_scalar,
                                       const void* c_scalar) {
      // op(A) is A's transpose: A is stored k×m.
      Matrix<T> a(19, 33, stand, 1), b(19, 21, stand, 2), c(33, 21, stand, 3), turned(33, 19);
      for (int i = 0; i < 33; ++i)
        for (int l = 0; l < 19; ++l) turned.at(i, l) = a.at(l, i);
      const Matrix<T> before = c;
      OnGpu on_a(a);
      OnGpu on_b(b);
      OnGpu on_c(c);
      const auto leading = [](const MatrixView<T>& view) { return view.leading_dimension; };
      EXPECT_EQ(TW_OK, tw_gpu_gemm(context(), order, TW_TRANSPOSE, TW_NO_TRANSPOSE, 33, 21, 19,
                                   a_scalar, type, on_a.view().data, leading(on_a.view()),
                                   on_b.view().data, leading(on_b.view()), c_scalar, type,
                                   on_c.view().data, leading(on_c.view()), nullptr))
          << tw_last_error_message();
      on_c.fetch();
      expect_product<T, T, T, T>(T(1.5), turned, b, T(-1), before, c);
    };
    multiply(float{}, TW_F32, &alpha, &beta);
    multiply(double{}, TW_F64, &alpha64, &beta64);
  }
}

TEST_F(GpuInC, BatchesAndScalarsOnTheDevice) {
  constexpr int kM = 10, kN = 12, kK = 14, kCount = 3;
  Matrix<float> a(kCount * kM, kK, {}, 1), b(kK, kN, {}, 2), c(kCount * kM, kN, {}, 3);
  const Matrix<float> before = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  const ArrayOnGpu<float> scalars({2, 1});
  tw_gpu_options options{};
  options.scalars_on_device = 1;
  EXPECT_EQ(TW_OK,
            tw_gpu_gemm_batch_strided(context(), TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, kM,
                                      kN, kK, scalars.data(), TW_F32, on_a.view().data, kK, kM * kK,
                                      on_b.view().data, kN, 0, scalars.data() + 1, TW_F32,
                                      on_c.view().data, kN, kM * kN, kCount, &options))
      << tw_last_error_message();
  on_c.fetch();
  expect_product<float, float, float, float>(2, a, b, 1, before, c);

  // The same once more by pointers, from what C is now.
  const Matrix<float> between = c;
  std::vector<const void*> at_a, at_b;
  std::vector<void*> at_c;
  for (int i = 0; i < kCount; ++i) {
    at_a.push_back(on_a.view().data + i * kM * kK);
    at_b.push_back(on_b.view().data);
    at_c.push_back(on_c.view().data + i * kM * kN);
  }
  const ArrayOnGpu<const void*> list_a(at_a), list_b(at_b);
  const ArrayOnGpu<void*> list_c(at_c);
  EXPECT_EQ(TW_OK,
            tw_gpu_gemm_batch(context(), TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, kM, kN, kK,
                              scalars.data(), TW_F32, list_a.data(), kK, list_b.data(), kN,
                              scalars.data() + 1, TW_F32, list_c.data(), kN, kCount, &options))
      << tw_last_error_message();
  on_c.fetch();
  expect_product<float, float, float, float>(2, a, b, 1, between, c);
}

TEST_F(GpuInC, RefusesWithTheNamesOfItsArguments) {
  const float one = 1;
  float elements[16] = {};
  const auto call = [&](tw_gpu_context* where, tw_order order, int64_t lda, const void* alpha,
                        tw_dtype type, tw_dtype c_type, const tw_gpu_options* options) {
    return tw_gpu_gemm(where, order, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 2, 2, 4, alpha, type,
                       elements, lda, elements, 2, &one, c_type, elements, 2, options);
  };
  tw_gpu_context* const here = context();
  expect(TW_INVALID_ARGUMENT, call(nullptr, TW_ROW_MAJOR, 4, &one, TW_F32, TW_F32, nullptr),
         "context = null: expected one of tw_gpu_context_create()");
  expect(TW_INVALID_ARGUMENT, call(here, 7, 4, &one, TW_F32, TW_F32, nullptr),
         "order = 7: expected TW_ROW_MAJOR (101) or TW_COLUMN_MAJOR (102)");
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 3, &one, TW_F32, TW_F32, nullptr),
         "lda = 3: expected at least 4 (k)");
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, nullptr, TW_F32, TW_F32, nullptr),
         "alpha = null: expected where it stands");
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, &one, 9, TW_F32, nullptr),
         "ab_type = 9: expected TW_F16 (0)");
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, &one, TW_F32, TW_F64, nullptr),
         "c_type = 3: expected ab_type");
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, &one, TW_BF16, TW_F16, nullptr),
         "c_type = 0: expected ab_type, or TW_F32 (2)");
  tw_gpu_options options{};
  options.mode = 5;
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, &one, TW_F32, TW_F32, &options),
         "options->mode = 5: expected TW_IEEE (0)");
  options = {};
  options.reserved[2] = 1;
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, &one, TW_F32, TW_F32, &options),
         "options->reserved: expected zeros");
  options = {};
  options.workspace_bytes = 64;
  expect(TW_INVALID_ARGUMENT, call(here, TW_ROW_MAJOR, 4, &one, TW_F32, TW_F32, &options),
         "options->workspace = null: expected 64 bytes");
}

TEST_F(GpuInC, ContextsSayWhatIsMissing) {
  tw_gpu_context* made = context();
  EXPECT_NE(tw_gpu_context_create(1000, -1, &made), TW_OK);
  EXPECT_EQ(made, nullptr);
  expect(TW_INVALID_ARGUMENT, tw_gpu_context_create(-1, -1, &made),
         "device = -1: expected 0 or more");
  expect(TW_INVALID_ARGUMENT, tw_gpu_context_create(0, -1, nullptr),
         "context = null: expected where to put the new context");
  tw_gpu_context_destroy(nullptr);
}

}  // namespace
}  // namespace tilewise::test
