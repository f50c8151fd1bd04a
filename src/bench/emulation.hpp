// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one kernel of a user's on the virtual GPU: counted, and checked as asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/kernel_arguments.hpp"
#include "core/counters.hpp"
#include "core/dim3.hpp"
#include "model/gpu.hpp"
#include "model/occupancy.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::bench {

struct EmulationRequest {
  std::string ptx, cubin;   ///< the cubin may be empty
  std::string source_name;  ///< what messages call the PTX
  std::string kernel;       ///< mangled
  model::Gpu gpu;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<KernelArgument> arguments;
  vgpu::LaunchOptions options;
};

/// One kernel's results.
struct EmulatedKernel {
  std::string name;    ///< for people: demangled
  std::string symbol;  ///< mangled
  Dim3 grid, block, cluster = {0, 0, 0};
  int registers = 0;               ///< a thread; 0: not known (no cubin)
  std::uint32_t shared_bytes = 0;  ///< a block, static and dynamic
  std::uint32_t local_bytes = 0;   ///< a thread
  std::optional<model::Occupancy> occupancy;
  vgpu::Fidelity fidelity = vgpu::Fidelity::kApproximate;
  std::vector<std::string> fidelity_notes;
  Counters counters;
  std::vector<vgpu::LineCounters> lines;
  std::vector<vgpu::Finding> findings;
  double host_seconds = 0;
};

/// Where the results come from.
struct EmulationContext {
  std::string tilewise_version, commit, date;
  std::string device;  ///< "virtual NVIDIA H200 (avx512)"
  std::string gpu;     ///< catalogue key
  std::string source, arch, compiler;
  std::vector<std::string> checks;  ///< what was looked for: "races", …
  std::string async_order, numerics;
  std::vector<std::string> notes;  ///< of compiling
};

struct Emulation {
  EmulationContext context;
  std::vector<EmulatedKernel> kernels;
};

/// The GPU of the catalogue that runs code for `arch` ("sm_90a"). Throws Error{kUnsupported}.
const model::Gpu& gpu_for(std::string_view arch);

/// Version, commit, date and the device.
EmulationContext describe_emulation(const model::Gpu& gpu);

/// Launches the kernel once and writes the arguments that are outputs. Throws Error: kInvalidArgument for
/// arguments or a launch that do not fit, kExecution for a kernel that misbehaves.
EmulatedKernel emulate(const EmulationRequest& request);

}  // namespace tilewise::bench
