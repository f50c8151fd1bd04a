// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/context.hpp"

#include <utility>

#include "core/phrase.hpp"
#include "gemm/context.hpp"
#include "gemm/gpu/tuned_load.hpp"
#include "kernels/images.hpp"

namespace tilewise {
namespace {

// Before a GPU is looked for: without kernels none would be of use.
void require_kernels() {
  if (!kernels::gemm_images().empty()) return;
  throw Error(ErrorCode::kUnsupported,
              "this build of the library has no GPU kernels, because it was made without nvcc");
}

}  // namespace

GpuContext::State::State(std::unique_ptr<device::Device> device_, const GpuContextOptions& options)
    : device(std::move(device_)),
      kernels(*device),
      workspace_limit(options.workspace_bytes < 0
                          ? gpu::kNoLimit
                          : static_cast<std::uint64_t>(options.workspace_bytes)) {
  require_kernels();
  const model::Gpu& gpu = device->gpu();
  if (gpu.compute_major < 8) {
    throw Error(ErrorCode::kUnsupported,
                phrase("{} has compute capability {}.{}: expected 8.0 or later", gpu.name,
                       gpu.compute_major, gpu.compute_minor));
  }
  tuned = gpu::load_tuned(gpu::tuned_place(options.tuned_plans), gpu, gpu::say_once);
}

GpuContext GpuContext::State::context_on(std::unique_ptr<device::Device> device,
                                         const GpuContextOptions& options) {
  return GpuContext(std::make_unique<State>(std::move(device), options));
}

GpuContext::GpuContext(const GpuContextOptions& options) {
  api::with_errors([&] {
    if (options.device < 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  phrase("options.device = {}: expected 0 or more", options.device));
    }
    require_kernels();
    state_ = std::make_unique<State>(device::open_cuda(options.device), options);
  });
}

GpuContext::GpuContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuContext::~GpuContext() = default;
GpuContext::GpuContext(GpuContext&&) noexcept = default;
GpuContext& GpuContext::operator=(GpuContext&&) noexcept = default;

std::string GpuContext::description() const {
  return api::with_errors([&] { return state().device->description(); });
}

GpuContext::State& GpuContext::state() const {
  if (state_ == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                "context = moved from: expected one that still has its GPU");
  }
  return *state_;
}

}  // namespace tilewise
