// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind tilewise::GpuContext.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gemm/gpu/launch.hpp"
#include "gemm/gpu/plan_cache.hpp"
#include "gemm/gpu/tuned.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise {

struct GpuContext::State {
  /// `device` is kept. Throws Error{kUnsupported} for a GPU that is too old, and without kernels in this build.
  State(std::unique_ptr<device::Device> device, const GpuContextOptions& options);

  std::unique_ptr<device::Device> device;
  gpu::Kernels kernels;
  std::uint64_t workspace_limit;
  gpu::TunedPlans tuned;
  mutable gpu::PlanCache plans;  // a question for the workspace fills it, too

  /// A context on any device, such as a virtual one: what tests use.
  static GpuContext context_on(std::unique_ptr<device::Device> device,
                               const GpuContextOptions& options = {});
};

}  // namespace tilewise
