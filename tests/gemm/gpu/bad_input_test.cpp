// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What products on a GPU refuse, with which words, and that C is then as it was.
#include <functional>

#include "on_gpu.hpp"
#include "tilewise/tilewise.h"

namespace tilewise::test {
namespace {

class GpuRefusal : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  /// Expects `call` to throw, and C to be untouched.
  void expect_refused(ErrorCode code, const std::string& words, const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << "not refused; expected: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << error.what() << "\nexpected: " << words;
    }
    on_c.fetch();
    EXPECT_TRUE(same_bits(c.memory(), before.memory()));
  }
  void expect_refused(const std::string& words, MatrixView<float> x, MatrixView<float> y,
                      MatrixView<float> z, const GpuGemmOptions& options = {}) {
    expect_refused(ErrorCode::kInvalidArgument, words,
                   [&] { gemm(gpu(), 1.0f, x, y, 0.0f, z, options); });
  }

  Matrix<float> a{4, 5, {}, 1}, b{5, 6, {}, 2}, c{4, 6, {}, 3};
  const Matrix<float> before = c;
  OnGpu<float> on_a{a}, on_b{b}, on_c{c};
  MatrixView<float> view_a = on_a.view(), view_b = on_b.view(), view_c = on_c.view();
};

TEST_F(GpuRefusal, SizesThatDoNotFitTogether) {
  MatrixView<float> x = view_a;
  x.columns = 4;
  expect_refused("b.rows = 5: expected 4, as many as a.columns", x, view_b, view_c);
  x = view_c;
  x.rows = -4;
  expect_refused("c.rows = -4: expected 0 or more", view_a, view_b, x);
}

TEST_F(GpuRefusal, LeadingDimensionsTooSmall) {
  MatrixView<float> x = view_b;
  x.leading_dimension = 5;
  expect_refused("b.leading_dimension = 5: expected at least 6 (b.columns)", view_a, x, view_c);
}

TEST_F(GpuRefusal, NullPointersToElements) {
  MatrixView<float> x = view_a;
  x.data = nullptr;
  expect_refused("a.data = null: expected 4×5 elements", x, view_b, view_c);
}

TEST_F(GpuRefusal, AddressesBetweenElements) {
  MatrixView<float> x = view_b;
  x.data = reinterpret_cast<float*>(reinterpret_cast<char*>(x.data) + 2);
  expect_refused("expected an address that is a multiple of 4", view_a, x, view_c);
}

TEST_F(GpuRefusal, SizesWhoseBytesOverflow) {
  MatrixView<float> x = view_a;
  x.leading_dimension = std::int64_t{1} << 61;
  expect_refused("expected bytes that fit in 63 bits", x, view_b, view_c);
}

TEST_F(GpuRefusal, NullScalarsOnTheDevice) {
  expect_refused(
      ErrorCode::kInvalidArgument, "alpha = null: expected an address on the device",
      [&] { gemm(gpu(), GpuScalar<float>::on_device(nullptr), view_a, view_b, 0.0f, view_c); });
  expect_refused(ErrorCode::kInvalidArgument, "beta = 0x3: expected an address that is", [&] {
    gemm(gpu(), 1.0f, view_a, view_b, GpuScalar<float>::on_device(reinterpret_cast<float*>(3)),
         view_c);
  });
}

TEST_F(GpuRefusal, WorkspacesThatAreNone) {
  expect_refused("options.workspace = null: expected 16 bytes", view_a, view_b, view_c,
                 {.workspace_bytes = 16});
  expect_refused("options.workspace_bytes = -1: expected 0 or more", view_a, view_b, view_c,
                 {.workspace_bytes = -1});
  expect_refused("expected an address that is a multiple of 256", view_a, view_b, view_c,
                 {.workspace = reinterpret_cast<void*>(128), .workspace_bytes = 16});
}

TEST_F(GpuRefusal, AWorkspaceTooSmallForTheOnlyPlan) {
  const PlanWish wish("simt_f32_32x32,split=4");
  Matrix<float> x(4, 64), y(64, 6);
  OnGpu on_x(x);
  OnGpu on_y(y);
  const device::Buffer workspace(test_device(), 256);
  expect_refused(
      "options.workspace_bytes = 256: too small", on_x.view(), on_y.view(), view_c,
      {.workspace = reinterpret_cast<void*>(workspace.address()), .workspace_bytes = 256});
}

TEST_F(GpuRefusal, AModeThatTheTypeDoesNotHave) {
  Matrix<double> x(4, 5), y(5, 6), z(4, 6);
  OnGpu on_x(x);
  OnGpu on_y(y);
  OnGpu on_z(z);
  expect_refused(ErrorCode::kUnsupported, "f64 products (C f64) in mode tf32", [&] {
    gemm(gpu(), 1.0, on_x.view(), on_y.view(), 0.0, on_z.view(), {.mode = ComputeMode::kTf32});
  });
  expect_refused("options.mode = 7: expected", view_a, view_b, view_c,
                 {.mode = static_cast<ComputeMode>(7)});
}

TEST_F(GpuRefusal, BatchesThatAreNone) {
  const auto batch = [&](std::int64_t count, std::int64_t stride_c) {
    gemm_batch(gpu(), count, 1.0f, strided(view_a, 0), strided(view_b, 0), 0.0f,
               strided(view_c, stride_c));
  };
  expect_refused(ErrorCode::kInvalidArgument, "count = -1: expected 0 or more",
                 [&] { batch(-1, 24); });
  expect_refused(ErrorCode::kInvalidArgument, "c.stride = 0: expected results that do not overlap",
                 [&] { batch(2, 0); });
  batch(0, 0);  // nothing is asked for
}

TEST_F(GpuRefusal, PlansThatDoNotExist) {
  {
    const PlanWish wish("simt_f32_32x33");
    expect_refused(
        "TILEWISE_PLAN=simt_f32_32x33: there is no GPU kernel of that name; did you mean", view_a,
        view_b, view_c);
  }
  for (const char* text :
       {"simt_f32_32x32,split=0", "simt_f32_32x32,split=", "simt_f32_32x32,parts=2",
        "simt_f32_32x32,split=2x", "simt_f32_32x32,split=99999999999", "simt_f32_32x32,",
        "simt_f32_32x32,split=2,stream", "simt_f32_32x32,split=2,split=2",
        "simt_f32_32x32,cluster=2", "simt_f32_32x32,cluster=x2", "simt_f32_32x32,cluster=0x2",
        "simt_f32_32x32,cluster=2x3", "simt_f32_32x32,cluster=2x16", "simt_f32_32x32,cluster=2x-2",
        "simt_f32_32x32,cluster=1x1,cluster=1x1"}) {
    SCOPED_TRACE(text);
    const PlanWish wish(text);
    expect_refused(
        "expected KERNEL and, each after a comma, cluster=DOWNxACROSS, split=1…65535 or stream",
        view_a, view_b, view_c);
  }
}

TEST_F(GpuRefusal, ContextsThatAreGone) {
  GpuContext one = GpuContext::State::context_on(open_test_device());
  const GpuContext other = std::move(one);
  EXPECT_FALSE(other.description().empty());
  expect_refused(ErrorCode::kInvalidArgument, "context = moved from",
                 [&] { gemm(one, 1.0f, view_a, view_b, 0.0f, view_c); });
}

TEST_F(GpuRefusal, MemoryThatIsNotThere) {
  if (wants_real_gpu()) GTEST_SKIP() << "of the virtual GPU";
  const PlanWish wish("simt_f32_32x32,split=2");
  GpuContext limited = GpuContext::State::context_on(open_test_device(), {.workspace_bytes = 100});
  Matrix<float> x(4, 64), y(64, 6);
  OnGpu on_x(x);
  OnGpu on_y(y);
  expect_refused(ErrorCode::kOutOfMemory, "bytes of workspace, 100 are allowed",
                 [&] { gemm(limited, 1.0f, on_x.view(), on_y.view(), 0.0f, view_c); });
}

TEST(GpuContexts, SayWhatIsMissing) {
  try {
    GpuContext context({.device = -1});
    ADD_FAILURE() << "device -1 is there";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "options.device = -1: expected 0 or more");
  }
  try {
    const GpuContext context({.device = 1000});
    ADD_FAILURE() << "device 1000 is there";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kNoDevice || error.code() == ErrorCode::kUnsupported)
        << error.what();
  }
}

TEST(GpuContexts, RefuseOldGpus) {
  TILEWISE_NEEDS_KERNELS();
  model::Gpu old = model::find_gpu("a100");
  old.name = "an old GPU", old.compute_major = 7, old.compute_minor = 5;
  try {
    GpuContext::State::context_on(std::make_unique<device::VirtualDevice>(old));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(std::string(error.what()),
              "an old GPU has compute capability 7.5: expected 8.0 or later");
  }
}

}  // namespace
}  // namespace tilewise::test
