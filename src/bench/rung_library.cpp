// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/rung_library.hpp"

#include <fmt/format.h>

#include "bench/device_operands.hpp"
#include "bench/origin.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

[[noreturn]] void no_kernel(const GpuProblem& problem, const char* reason) {
  throw Error(ErrorCode::kUnsupported, fmt::format("{}: {}", problem.name(), reason));
}

kernels::Arithmetic arithmetic_of_problem(const GpuProblem& problem) {
  switch (problem.dtype) {
    case Dtype::kF16: return kernels::Arithmetic::kF16;
    case Dtype::kBF16: return kernels::Arithmetic::kBF16;
    case Dtype::kF64: return kernels::Arithmetic::kF64;
    default: break;
  }
  if (problem.mode == ComputeMode::kAccurate) no_kernel(problem, "no rung is accurate");
  return problem.mode == ComputeMode::kTf32 ? kernels::Arithmetic::kTF32
                                            : kernels::Arithmetic::kF32;
}

const kernels::Rung& rung_for(const device::Device& device, const GpuProblem& problem) {
  const GemmShape& s = problem.shape;
  const kernels::Arithmetic arithmetic = arithmetic_of_problem(problem);
  if (s.trans_a || s.trans_b) no_kernel(problem, "rungs take no transposes");
  if (problem.lda != s.k || problem.ldb != s.n || problem.ldc != s.n) {
    no_kernel(problem, "rungs take no gaps between rows");
  }
  if (problem.result != kernels::result_dtype(arithmetic)) {
    no_kernel(problem, "rungs do not round to 16 bits");
  }
  const kernels::Rung* found = nullptr;
  for (const kernels::Rung& rung : kernels::ladder()) {
    const bool fits =
        !rung.on_cpu && rung.arithmetic == arithmetic && rung.order == Order::kRowMajor &&
        kernels::can_run_on(rung, device.gpu().compute_major, device.gpu().compute_minor) &&
        (rung.on_virtual_gpu || !device.is_virtual());
    if (fits) found = &rung;
  }
  if (!found) no_kernel(problem, "no rung for this GPU");
  return *found;
}

template <class T> class RungProduct final : public GpuProduct {
 public:
  RungProduct(device::Device& device, const kernels::Rung& rung, const GpuProblem& problem)
      : device_(device),
        rung_(rung),
        problem_(problem),
        shape_(kernels::launch_shape(rung, problem.shape.m, problem.shape.n, problem.shape.k,
                                     device.gpu().sm_count)),
        module_(device.load(kernels::find_image(rung.unit, device.gpu().compute_major,
                                                device.gpu().compute_minor))),
        kernel_(module_->kernel(shape_.entry)) {}

  std::string plan() const override { return fmt::format("rung {}, {}", rung_.name, shape_.entry); }

  void enqueue(const GpuMatrices& matrices, device::Stream& stream) override {
    const auto [m, n, k] = std::array{problem_.shape.m, problem_.shape.n, problem_.shape.k};
    RungArguments<T> arguments{.m = static_cast<int>(m),
                               .n = static_cast<int>(n),
                               .k = static_cast<int>(k),
                               .alpha = 1,
                               .a = matrices.a,
                               .b = matrices.b,
                               .c = matrices.c};
    if (shape_.tensor_maps) {
      arguments.map_a =
          device_.make_tensor_map(kernels::map_of(rung_, rung_.box_a, matrices.a, m, k));
      arguments.map_b =
          device_.make_tensor_map(kernels::map_of(rung_, rung_.box_b, matrices.b, k, n));
    }
    const auto pointers = arguments.pointers();
    device_.launch(kernel_,
                   {.grid = shape_.grid,
                    .block = rung_.block,
                    .dynamic_shared_bytes = static_cast<std::uint32_t>(rung_.dynamic_shared_bytes),
                    .arguments = pointers},
                   stream);
  }

 private:
  device::Device& device_;
  const kernels::Rung& rung_;
  GpuProblem problem_;
  kernels::LaunchShape shape_;
  std::unique_ptr<device::Module> module_;
  device::Kernel& kernel_;
};

class RungLibrary final : public GpuLibrary {
 public:
  explicit RungLibrary(device::Device& device) : device_(device) {}
  std::string name() const override { return "tilewise"; }
  std::string version() const override {
    return "tilewise " + own_version() + ", the ladder's rungs";
  }
  std::unique_ptr<GpuProduct> prepare(const GpuProblem& problem) override {
    const kernels::Rung& rung = rung_for(device_, problem);
    if (problem.dtype == Dtype::kF64) {
      return std::make_unique<RungProduct<double>>(device_, rung, problem);
    }
    return std::make_unique<RungProduct<float>>(device_, rung, problem);
  }

 private:
  device::Device& device_;
};

}  // namespace

std::unique_ptr<GpuLibrary> open_rung_library(device::Device& device) {
  return std::make_unique<RungLibrary>(device);
}

}  // namespace tilewise::bench
