// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface: the same bits as the C++ one, its own names in messages, and no exception let
// out.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "gemm/c_status.hpp"
#include "matrices.hpp"
#include "tilewise/gemm.hpp"
#include "tilewise/tilewise.h"

namespace tilewise {
namespace {

using namespace test;

class Owned {
 public:
  explicit Owned(int threads) { EXPECT_EQ(tw_context_create(threads, &context_), TW_OK); }
  ~Owned() { tw_context_destroy(context_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator tw_context*() const { return context_; }

 private:
  tw_context* context_ = nullptr;
};

// The bits of 16-bit floats, as C knows them.
template <class T> T* in_c(T* pointer) { return pointer; }
tw_bf16* in_c(BFloat16* pointer) { return &pointer->bits; }
const tw_bf16* in_c(const BFloat16* pointer) { return &pointer->bits; }
tw_f16* in_c(Float16* pointer) { return &pointer->bits; }
const tw_f16* in_c(const Float16* pointer) { return &pointer->bits; }

// Every order and transposition of one function of the C interface against gemm().
template <class K, class Function> void expect_same_as_gemm(Function function) {
  using S = typename K::S;
  const std::int64_t m = 6, n = 7, k = 5;
  const Owned two(2);
  Context context({.threads = 1});
  for (tw_order order : {TW_ROW_MAJOR, TW_COLUMN_MAJOR}) {
    for (tw_transpose trans_a : {TW_NO_TRANSPOSE, TW_TRANSPOSE}) {
      for (tw_transpose trans_b : {TW_NO_TRANSPOSE, TW_TRANSPOSE}) {
        const Order stored = order == TW_ROW_MAJOR ? Order::kRowMajor : Order::kColumnMajor;
        const Matrix<typename K::A> a(m, k, {stored, trans_a == TW_TRANSPOSE, 2}, 1);
        const Matrix<typename K::B> b(k, n, {stored, trans_b == TW_TRANSPOSE, 1}, 2);
        Matrix<typename K::C> c(m, n, {stored, false, 3}, 3);
        Matrix<typename K::C> expected = c;
        gemm(context, S{2}, a.view(), b.view(), S{-1}, expected.view());
        ASSERT_EQ(
            function(two, order, trans_a, trans_b, m, n, k, S{2}, in_c(a.view().data),
                     a.view().leading_dimension, in_c(b.view().data), b.view().leading_dimension,
                     S{-1}, in_c(c.view().data), c.view().leading_dimension),
            TW_OK)
            << tw_last_error_message();
        EXPECT_TRUE(same_bits(c.memory(), expected.memory()))
            << order << " " << trans_a << " " << trans_b;
      }
    }
  }
}

TEST(CInterface, ComputesWhatGemmComputes) {
  expect_same_as_gemm<F32>(tw_gemm_f32);
  expect_same_as_gemm<F64>(tw_gemm_f64);
  expect_same_as_gemm<BF16ToF32>(tw_gemm_bf16_f32);
  expect_same_as_gemm<BF16>(tw_gemm_bf16);
  expect_same_as_gemm<F16ToF32>(tw_gemm_f16_f32);
  expect_same_as_gemm<F16>(tw_gemm_f16);
  expect_same_as_gemm<U8S8>(tw_gemm_u8s8_s32);
  expect_same_as_gemm<S8U8>(tw_gemm_s8u8_s32);
  expect_same_as_gemm<S8S8>(tw_gemm_s8s8_s32);
}

// Batches of three, of which C[i] follow one another, against gemm() of each.
template <class K, class Strided, class Pointers>
void expect_same_as_gemms(Strided by_stride, Pointers by_pointers) {
  using S = typename K::S;
  const Matrix<typename K::A> a(12, 5);  // three of 4×5
  const Matrix<typename K::B> b(5, 6);   // one for all
  Matrix<typename K::C> c(12, 6);        // three of 4×6
  Matrix<typename K::C> expected = c, by_pointer = c;
  Context context({.threads = 1});
  const decltype(in_c(a.view().data)) as[] = {in_c(a.view().data), in_c(a.view().data + 20),
                                              in_c(a.view().data + 40)};
  const decltype(in_c(b.view().data)) bs[] = {in_c(b.view().data), in_c(b.view().data),
                                              in_c(b.view().data)};
  typename K::C* cs[3];
  for (std::int64_t i = 0; i < 3; ++i) {
    cs[i] = by_pointer.view().data + i * 24;
    gemm(context, S{1}, MatrixView<const typename K::A>{a.view().data + i * 20, 4, 5, 5}, b.view(),
         S{1}, MatrixView<typename K::C>{expected.view().data + i * 24, 4, 6, 6});
  }
  EXPECT_EQ(by_stride(nullptr, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 4, 6, 5, S{1}, as[0],
                      5, 20, bs[0], 6, 0, S{1}, c.view().data, 6, 24, 3),
            TW_OK)
      << tw_last_error_message();
  EXPECT_TRUE(same_bits(c.memory(), expected.memory()));
  EXPECT_EQ(by_pointers(nullptr, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 4, 6, 5, S{1}, as,
                        5, bs, 6, S{1}, cs, 6, 3),
            TW_OK)
      << tw_last_error_message();
  EXPECT_TRUE(same_bits(by_pointer.memory(), expected.memory()));
}

TEST(CInterface, Batches) {
  expect_same_as_gemms<F32>(tw_gemm_batch_strided_f32, tw_gemm_batch_f32);
  expect_same_as_gemms<F64>(tw_gemm_batch_strided_f64, tw_gemm_batch_f64);
  expect_same_as_gemms<BF16ToF32>(tw_gemm_batch_strided_bf16_f32, tw_gemm_batch_bf16_f32);
  expect_same_as_gemms<F16ToF32>(tw_gemm_batch_strided_f16_f32, tw_gemm_batch_f16_f32);
}

// tw_gemm_f32 of 3×4 times 4×5 with one argument spoilt.
struct Call {
  tw_order order = TW_ROW_MAJOR;
  tw_transpose trans_a = TW_NO_TRANSPOSE, trans_b = TW_NO_TRANSPOSE;
  std::int64_t m = 3, n = 5, k = 4, lda = 4, ldb = 5, ldc = 5;
  bool has_a = true, has_b = true, has_c = true;
};

void expect_refused(const std::string& message, const Call& call) {
  const Matrix<float> a(3, 4), b(4, 5);
  Matrix<float> c(3, 5);
  const Matrix<float> before = c;
  EXPECT_EQ(tw_gemm_f32(nullptr, call.order, call.trans_a, call.trans_b, call.m, call.n, call.k, 1,
                        call.has_a ? a.view().data : nullptr, call.lda,
                        call.has_b ? b.view().data : nullptr, call.ldb, 0,
                        call.has_c ? c.view().data : nullptr, call.ldc),
            TW_INVALID_ARGUMENT);
  EXPECT_EQ(tw_last_error_message(), message);
  EXPECT_TRUE(same_bits(c.memory(), before.memory())) << "C was written";
}

TEST(CInterface, RefusesBadArgumentsByTheirNames) {
  expect_refused("order = 0: expected TW_ROW_MAJOR (101) or TW_COLUMN_MAJOR (102)", {.order = 0});
  expect_refused("trans_a = 110: expected TW_NO_TRANSPOSE (111) or TW_TRANSPOSE (112)",
                 {.trans_a = 110});
  expect_refused("trans_b = -1: expected TW_NO_TRANSPOSE (111) or TW_TRANSPOSE (112)",
                 {.trans_b = -1});
  expect_refused("m = -1: expected 0 or more", {.m = -1});
  expect_refused("n = -1: expected 0 or more", {.n = -1});
  expect_refused("k = -1: expected 0 or more", {.k = -1});
  expect_refused("lda = 3: expected at least 4 (k)", {.lda = 3});
  expect_refused("lda = 2: expected at least 3 (m)", {.trans_a = TW_TRANSPOSE, .lda = 2});
  expect_refused("ldb = 4: expected at least 5 (n)", {.ldb = 4});
  expect_refused("ldb = 3: expected at least 4 (k)", {.trans_b = TW_TRANSPOSE, .ldb = 3});
  expect_refused("ldc = 4: expected at least 5 (n)", {.ldc = 4});
  expect_refused("ldc = 2: expected at least 3 (m)", {.order = TW_COLUMN_MAJOR, .ldc = 2});
  expect_refused("a = null: expected 3×4 elements", {.has_a = false});
  expect_refused("b = null: expected 4×5 elements", {.has_b = false});
  expect_refused("c = null: expected 3×5 elements", {.has_c = false});
  expect_refused("c of 3×5 elements, ldc = 9223372036854775807: expected bytes that fit in 63 bits",
                 {.ldc = std::numeric_limits<std::int64_t>::max()});
}

TEST(CInterface, RefusesBadBatches) {
  float memory[64] = {};
  const float* in[] = {memory, nullptr};
  float* out[] = {memory + 32, memory + 48};
  const auto strided = [&](std::int64_t stride_c, std::int64_t count) {
    return tw_gemm_batch_strided_f32(nullptr, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 2, 2,
                                     2, 1, memory, 2, 0, memory, 2, 0, 0, memory + 32, 2, stride_c,
                                     count);
  };
  EXPECT_EQ(strided(0, 1), TW_OK) << "one result has no neighbour";
  EXPECT_EQ(strided(3, 2), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error_message(),
               "stride_c = 3: expected results that do not overlap; number 0 and number 1 do");
  EXPECT_EQ(strided(4, -1), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error_message(), "count = -1: expected 0 or more");

  const auto pointers = [&](const float* const* a, float* const* c) {
    return tw_gemm_batch_f32(nullptr, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 2, 2, 2, 1, a,
                             2, a, 2, 0, c, 2, 2);
  };
  EXPECT_EQ(pointers(in, out), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error_message(), "a[1] = null: expected 2×2 elements");
  EXPECT_EQ(pointers(nullptr, out), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error_message(), "a = null: expected 2×2 elements");
  in[1] = memory;
  EXPECT_EQ(pointers(in, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tw_last_error_message()).find("c"), std::string::npos);
  EXPECT_EQ(pointers(in, out), TW_OK);
}

TEST(CInterface, Contexts) {
  tw_context* context = nullptr;
  int32_t threads = 0;
  EXPECT_EQ(tw_context_create(3, &context), TW_OK);
  EXPECT_EQ(tw_context_threads(context, &threads), TW_OK);
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(tw_context_threads(context, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error_message(), "threads = null: expected where to put the number");
  tw_context_destroy(context);
  tw_context_destroy(nullptr);

  EXPECT_EQ(tw_context_threads(nullptr, &threads), TW_OK);
  EXPECT_EQ(threads, default_context().threads());
  EXPECT_EQ(tw_context_create(1, nullptr), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error_message(), "context = null: expected where to put the new context");
  context = reinterpret_cast<tw_context*>(&threads);
  EXPECT_EQ(tw_context_create(-1, &context), TW_INVALID_ARGUMENT);
  EXPECT_EQ(context, nullptr);
}

TEST(CInterface, InstructionSet) {
  const char* name = nullptr;
  EXPECT_EQ(tw_cpu_instruction_set(&name), TW_OK);
  EXPECT_EQ(name, cpu_instruction_set());
  EXPECT_EQ(tw_cpu_instruction_set(nullptr), TW_INVALID_ARGUMENT);
}

TEST(CInterface, Version) {
  EXPECT_EQ(tw_version(), TW_VERSION_NUMBER);
  EXPECT_EQ(TW_VERSION_NUMBER,
            TW_VERSION_MAJOR * 10000 + TW_VERSION_MINOR * 100 + TW_VERSION_PATCH);
}

TEST(CInterface, StatusesHaveWords) {
  EXPECT_STREQ(tw_status_string(TW_OK), "success");
  for (tw_status status = TW_OK; status <= TW_INTERNAL; ++status) {
    EXPECT_STRNE(tw_status_string(status), "unknown status") << status;
    for (tw_status other = TW_OK; other < status; ++other) {
      EXPECT_STRNE(tw_status_string(status), tw_status_string(other));
    }
  }
  EXPECT_STREQ(tw_status_string(-1), "unknown status");
  EXPECT_STREQ(tw_status_string(TW_INTERNAL + 1), "unknown status");
}

TEST(CInterface, EveryExceptionBecomesAStatus) {
  const auto after = [](auto exception) { return api::status_after([&] { throw exception; }); };
  EXPECT_EQ(after(Error(ErrorCode::kInvalidArgument, "x")), TW_INVALID_ARGUMENT);
  EXPECT_EQ(after(Error(ErrorCode::kInvalidInput, "x")), TW_INVALID_INPUT);
  EXPECT_EQ(after(Error(ErrorCode::kUnsupported, "x")), TW_UNSUPPORTED);
  EXPECT_EQ(after(Error(ErrorCode::kOutOfMemory, "x")), TW_OUT_OF_MEMORY);
  EXPECT_EQ(after(Error(ErrorCode::kNoDevice, "x")), TW_NO_DEVICE);
  EXPECT_EQ(after(Error(ErrorCode::kDriver, "x")), TW_DRIVER);
  EXPECT_EQ(after(Error(ErrorCode::kExecution, "x")), TW_EXECUTION);
  EXPECT_EQ(after(Error(ErrorCode::kInternal, "x")), TW_INTERNAL);
  EXPECT_STREQ(tw_last_error_message(), "x");
  EXPECT_EQ(after(std::bad_alloc()), TW_OUT_OF_MEMORY);
  EXPECT_EQ(after(std::logic_error("a bug")), TW_INTERNAL);
  EXPECT_STREQ(tw_last_error_message(), "a bug");
  EXPECT_EQ(after(42), TW_INTERNAL);
}

TEST(CInterface, MessagesBelongToTheirThread) {
  EXPECT_EQ(tw_context_create(-1, nullptr), TW_INVALID_ARGUMENT);
  const std::string mine = tw_last_error_message();
  std::thread other([] {
    EXPECT_STREQ(tw_last_error_message(), "");
    EXPECT_EQ(tw_cpu_instruction_set(nullptr), TW_INVALID_ARGUMENT);
    EXPECT_NE(std::string(tw_last_error_message()).find("name = null"), std::string::npos);
  });
  other.join();
  EXPECT_EQ(tw_last_error_message(), mine);
  int32_t threads = 0;
  EXPECT_EQ(tw_context_threads(nullptr, &threads), TW_OK);
  EXPECT_EQ(tw_last_error_message(), mine) << "success leaves it";
}

TEST(CInterface, LongMessagesAreCutBetweenCharacters) {
  for (std::size_t shift = 0; shift < 2; ++shift) {
    std::string text(shift, 'x');
    while (text.size() < 2000) text += "×";  // two bytes
    api::remember(TW_INTERNAL, text.c_str());
    const std::string kept = tw_last_error_message();
    EXPECT_GE(kept.size(), 500u);
    EXPECT_EQ((kept.size() - shift) % 2, 0u);
    EXPECT_EQ(text.compare(0, kept.size(), kept), 0);
  }
}

}  // namespace
}  // namespace tilewise
