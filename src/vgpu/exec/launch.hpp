// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

/// A decoded kernel with both sets of operations.
struct LoadedKernel {
  Program program;
  std::vector<Op> plain_ops;  ///< program.ops without counting
};

struct LaunchRequest {
  const model::Gpu* gpu = nullptr;
  const Memory* memory = nullptr;
  const Memory* module_memory = nullptr;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::span<const void* const> arguments;
  LaunchOptions options;
};

/// Checks the request, runs every block of the grid on the host's cores, and gathers the counters.
LaunchReport run_launch(const LoadedKernel& kernel, const LaunchRequest& request);

}  // namespace tilewise::vgpu
