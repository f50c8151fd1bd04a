// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products in a stream that is being captured, on a real GPU (TILEWISE_TEST_DEVICE=cuda): a graph computes
// them as often as it is launched.
#include <dlfcn.h>

#include "device/cuda/driver_api.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using device::cuda::Result;

// The driver's part of a graph, which the library itself has no use for.
class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}

  template <class... Arguments> void call(const char* symbol, Arguments... arguments) {
    const auto function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(library_, symbol));
    ASSERT_NE(function, nullptr) << symbol;
    ASSERT_EQ(static_cast<int>(function(arguments...)), 0) << symbol;
  }

 private:
  void* library_;
};

constexpr int kGlobalMode = 0;  // CU_STREAM_CAPTURE_MODE_GLOBAL: the strictest

void expect_captured(const char* plan, const Sizes& sizes, ComputeMode mode) {
  SCOPED_TRACE(plan);
  const PlanWish wish(plan);
  Matrix<float> a(sizes.m, sizes.k, {.gap = 1}, 1), b(sizes.k, sizes.n, {.gap = 1}, 2),
      c(sizes.m, sizes.n, {}, 3);
  Matrix<float> expected = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  OnGpu on_expected(expected);
  Driver driver;
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  const device::InUse in_use(test_device());
  driver.call("cuStreamCreate", &stream, 1u);
  // A context of its own, whose kernels and memory are first asked for while it captures.
  GpuContext context;
  driver.call("cuStreamBeginCapture_v2", stream, kGlobalMode);
  gemm(context, 1.0f, on_a.view(), on_b.view(), 2.0f, on_c.view(),
       {.stream = stream, .mode = mode});
  driver.call("cuStreamEndCapture", stream, &graph);
  driver.call("cuGraphInstantiateWithFlags", &executable, graph, 0ull);
  constexpr int kLaunches = 3;
  for (int i = 0; i < kLaunches; ++i) driver.call("cuGraphLaunch", executable, stream);
  driver.call("cuStreamSynchronize", stream);
  on_c.fetch();

  for (int i = 0; i < kLaunches; ++i)
    gemm(context, 1.0f, on_a.view(), on_b.view(), 2.0f, on_expected.view(),
         {.stream = stream, .mode = mode});
  driver.call("cuStreamSynchronize", stream);
  on_expected.fetch();
  EXPECT_TRUE(same_bits(c.memory(), expected.memory()));
  driver.call("cuGraphExecDestroy", executable);
  driver.call("cuGraphDestroy", graph);
  driver.call("cuStreamDestroy_v2", stream);
}

TEST(GpuCapture, GraphsComputeProductsAsOftenAsTheyAreLaunched) {
  if (!wants_real_gpu()) GTEST_SKIP() << "the virtual GPU has no graphs";
  TILEWISE_NEEDS_KERNELS();
  expect_captured("simt_f32_64x64", {200, 300, 100}, ComputeMode::kIeee);
  expect_captured("simt_f32_64x64,split=4", {200, 300, 1000}, ComputeMode::kIeee);
  if (test_device().gpu().compute_major == 9)
    expect_captured("accurate_f32_128x128,split=2", {200, 300, 1000}, ComputeMode::kAccurate);
}

}  // namespace
}  // namespace tilewise::test
