// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products through the library's own door, on the virtual GPU with every checker on, or on a real one where
// TILEWISE_TEST_DEVICE=cuda asks for it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "../matrices.hpp"
#include "device/virtual/virtual_device.hpp"
#include "gemm/gpu/c_context.hpp"
#include "gemm/gpu/context.hpp"
#include "gemm/gpu/plan.hpp"
#include "kernels/images.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::test {

inline bool wants_real_gpu() {
  const char* const wanted = std::getenv("TILEWISE_TEST_DEVICE");
  return wanted != nullptr && std::string(wanted) == "cuda";
}

/// Every checker, what memcheck would say beyond them, and copies that take effect no sooner than something waits for them.
inline vgpu::LaunchOptions checked_launches() {
  vgpu::LaunchOptions options;
  options.checks = vgpu::Checks::all();
  options.checks.partial_copies = true;
  options.async_order = vgpu::AsyncOrder::kLatest;
  return options;
}

/// Few multiprocessors, so that blocks have several tiles each even of small matrices, and parts of others.
inline model::Gpu few_multiprocessors(std::string_view model) {
  model::Gpu gpu = model::find_gpu(model);
  gpu.sm_count = 4;
  return gpu;
}
inline std::unique_ptr<device::Device> open_virtual(
    const model::Gpu& gpu, const vgpu::LaunchOptions& options = checked_launches()) {
  auto device = std::make_unique<device::VirtualDevice>(gpu);
  device->watch(options);
  return device;
}
inline std::unique_ptr<device::Device> open_virtual(std::string_view model) {
  return open_virtual(few_multiprocessors(model));
}
inline std::unique_ptr<device::Device> open_test_device() {
  return wants_real_gpu() ? device::open_cuda(0) : open_virtual("h200");
}

/// What tests run on instead of their usual GPU, where it is not null.
inline tw_gpu_context*& other_gpu() {
  static tw_gpu_context* other = nullptr;
  return other;
}
/// Another virtual GPU, for as long as it lives.
class OtherGpu {
 public:
  explicit OtherGpu(std::string_view model) : OtherGpu(open_virtual(model)) {}
  explicit OtherGpu(std::unique_ptr<device::Device> device)
      : made_{GpuContext::State::context_on(std::move(device), {.tuned_plans = ""})} {
    other_gpu() = &made_;
  }
  ~OtherGpu() { other_gpu() = nullptr; }
  OtherGpu(const OtherGpu&) = delete;
  OtherGpu& operator=(const OtherGpu&) = delete;

 private:
  tw_gpu_context made_;
};

/// One context for a whole test program, as both interfaces have it: kernels are loaded once.
inline tw_gpu_context* gpu_in_c() {
  if (other_gpu() != nullptr) return other_gpu();
  static auto* const made =
      new tw_gpu_context{GpuContext::State::context_on(open_test_device(), {.tuned_plans = ""})};
  return made;
}
inline GpuContext& gpu() { return gpu_in_c()->context; }
inline device::Device& test_device() { return *gpu().state().device; }

/// The last that compute-sanitizer's memcheck would report although it is right; empty: nothing yet.
inline std::string& memcheck_says() {
  static std::string message;
  return message;
}

/// Expects that the checkers of the virtual GPU found nothing since the last time.
inline void expect_clean() {
  auto* const device = dynamic_cast<device::VirtualDevice*>(&test_device());
  if (device == nullptr) return;
  for (const vgpu::Finding& finding : device->take_findings()) {
    if (finding.check == "partial-copies") memcheck_says() = finding.message;
    else ADD_FAILURE() << finding.message;
  }
}

/// A build without nvcc has nothing to test here.
#define TILEWISE_NEEDS_KERNELS() \
  if (kernels::gemm_images().empty()) GTEST_SKIP() << "built without nvcc"

/// The kernels of the catalogue that `is_meant` takes: what tests are repeated for. And how these are told apart.
template <class IsMeant>
std::vector<const kernels::GemmKernel*> kernels_that(const IsMeant& is_meant) {
  std::vector<const kernels::GemmKernel*> some;
  for (const kernels::GemmKernel& kernel : kernels::gemm_kernels())
    if (is_meant(kernel)) some.push_back(&kernel);
  return some;
}
inline std::string name_of_kernel(
    const ::testing::TestParamInfo<const kernels::GemmKernel*>& parameter) {
  return std::string(parameter.param->name);
}

/// f32 whose factors are rounded to tf32: 11 bits of each.
struct TF32 : F32 {
  static constexpr double kFactorRoundoff = 0x1p-11;
};

/// Calls `what` with the kind of product that the kernel computes.
template <class What> void with_kind(const kernels::GemmKernel& kernel, const What& what) {
  const bool wide = kernel.result == Dtype::kF32;
  switch (kernel.operand) {
    case Dtype::kF64: return what(F64{});
    case Dtype::kF32: return kernel.mode == ComputeMode::kTf32 ? what(TF32{}) : what(F32{});
    case Dtype::kBF16: return wide ? what(BF16ToF32{}) : what(BF16{});
    default: return wide ? what(F16ToF32{}) : what(F16{});
  }
}

/// Sets TILEWISE_PLAN for as long as it lives.
class PlanWish {
 public:
  explicit PlanWish(const std::string& text) { setenv("TILEWISE_PLAN", text.c_str(), 1); }
  ~PlanWish() { unsetenv("TILEWISE_PLAN"); }
};

/// A copy of a host matrix's memory, margins included, on the device. `shift`: elements by which it begins
/// later, so that the first element is aligned (1) or not (0): matrices begin 7 elements into their memory.
template <class T> class OnGpu {
 public:
  /// `ends`: memory ends with its last element, so that whoever reads beyond is found.
  explicit OnGpu(Matrix<T>& matrix, int shift = 1, bool ends = false)
      : matrix_(matrix),
        shift_(static_cast<std::size_t>(shift)),
        elements_(ends ? matrix.end() : matrix.memory().size()),
        buffer_(test_device(), (elements_ + shift_) * sizeof(T)),
        stream_(test_device().create_stream()) {
    test_device().copy_to_device(begin(), matrix.memory().data(), bytes(), *stream_);
    stream_->synchronize();
  }

  MatrixView<T> view() const {
    MatrixView<T> view = matrix_.view();
    const auto offset = static_cast<std::uint64_t>(
        reinterpret_cast<char*>(view.data) - reinterpret_cast<char*>(matrix_.memory().data()));
    view.data = reinterpret_cast<T*>(begin() + offset);
    return view;
  }
  /// What is on the device now, in the host's matrix. After the work of the default stream.
  void fetch() {
    test_device().adopt_stream(nullptr)->synchronize();
    test_device().copy_to_host(matrix_.memory().data(), begin(), bytes(), *stream_);
    stream_->synchronize();
  }

 private:
  device::Address begin() const { return buffer_.address() + shift_ * sizeof(T); }
  std::uint64_t bytes() const { return elements_ * sizeof(T); }

  Matrix<T>& matrix_;
  std::size_t shift_, elements_;
  device::Buffer buffer_;
  std::unique_ptr<device::Stream> stream_;
};

/// Values in device memory.
template <class T> class ArrayOnGpu {
 public:
  explicit ArrayOnGpu(const std::vector<T>& values)
      : buffer_(test_device(), values.size() * sizeof(T)) {
    const auto stream = test_device().create_stream();
    test_device().copy_to_device(buffer_.address(), values.data(), values.size() * sizeof(T),
                                 *stream);
    stream->synchronize();
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.address()); }

 private:
  device::Buffer buffer_;
};

struct Sizes {
  std::int64_t m, n, k;
};

/// How the three matrices stand, and whether they begin aligned.
struct Layout {
  Stand a = {}, b = {}, c = {};
  int shift_a = 1, shift_b = 1, shift_c = 1;
};

template <class Kind> constexpr double factor_roundoff() {
  if constexpr (requires { Kind::kFactorRoundoff; }) return Kind::kFactorRoundoff;
  else return 0;
}

/// Computes one product and holds it against the definition. Returns C's memory.
template <class Kind>
std::vector<typename Kind::C> expect_right(const Sizes& sizes, const Layout& layout = {},
                                           typename Kind::S alpha = 1, typename Kind::S beta = 0,
                                           const GpuGemmOptions& options = {}) {
  using C = typename Kind::C;
  Matrix<typename Kind::A> a(sizes.m, sizes.k, layout.a, 1);
  Matrix<typename Kind::B> b(sizes.k, sizes.n, layout.b, 2);
  Matrix<C> c(sizes.m, sizes.n, layout.c, 3);
  if (beta == 0) c.fill(poison<C>());
  const Matrix<C> before = c;
  OnGpu on_a(a, layout.shift_a, true);
  OnGpu on_b(b, layout.shift_b, true);
  OnGpu on_c(c, layout.shift_c);
  gemm(gpu(), alpha, on_a.view(), on_b.view(), beta, on_c.view(), options);
  on_c.fetch();
  expect_clean();
  expect_product<typename Kind::A, typename Kind::B, C, typename Kind::S>(
      alpha, a, b, beta, before, c, factor_roundoff<Kind>());
  return c.memory();
}

}  // namespace tilewise::test
