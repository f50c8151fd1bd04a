// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/emulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "bench/origin.hpp"
#include "core/memory.hpp"
#include "device/device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

struct Player {
  int capability;
  std::string_view gpu;
};
constexpr std::array<Player, 4> kPlayers{
    {{80, "a100"}, {86, "rtx3090"}, {89, "rtx4090"}, {90, "h200"}}};

// Three quarters of what the machine has: the rest is for the program and the system.
std::uint64_t memory_limit(const model::Gpu& gpu) {
  return std::min(gpu.memory_bytes, available_memory() / 4 * 3);
}

std::uint32_t threads_of(Dim3 block) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(block.count(), UINT32_MAX / 2));
}

}  // namespace

const model::Gpu& gpu_for(std::string_view arch) {
  int capability = 0;
  const std::string_view digits = arch.substr(std::min<std::size_t>(3, arch.size()));
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), capability);
  if (arch.starts_with("sm_") && failed == std::errc()) {
    for (const Player& player : kPlayers) {
      const bool last = player.capability == kPlayers.back().capability;
      if (capability <= player.capability || (last && capability < 100)) {
        return model::find_gpu(player.gpu);
      }
    }
  }
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("--arch {}: the virtual GPU plays sm_80, sm_86, sm_89, sm_90 and sm_90a", arch));
}

EmulationContext describe_emulation(const model::Gpu& gpu) {
  EmulationContext context;
  context.tilewise_version = own_version();
  context.commit = own_commit();
  context.date = utc_now();
  context.device = fmt::format("virtual {} ({})", gpu.name, vgpu::simd_level());
  context.gpu = gpu.key;
  return context;
}

EmulatedKernel emulate(const EmulationRequest& request) {
  const std::span<const std::byte> cubin(reinterpret_cast<const std::byte*>(request.cubin.data()),
                                         request.cubin.size());
  const vgpu::Module module(request.ptx, request.source_name, cubin, request.kernel);
  const vgpu::KernelInfo& info = module.find(request.kernel);

  EmulatedKernel result;
  result.symbol = request.kernel;
  result.grid = request.grid;
  result.block = request.block;
  result.cluster = request.options.cluster;
  result.registers = info.registers;
  result.local_bytes = info.local_bytes;
  result.shared_bytes = info.static_shared_bytes + request.dynamic_shared_bytes;
  result.fidelity = info.fidelity;
  result.fidelity_notes = info.fidelity_notes;
  if (info.registers > 0) {
    result.occupancy = model::occupancy(request.gpu, {static_cast<int>(threads_of(request.block)),
                                                      info.registers, result.shared_bytes});
  }

  const auto is_map = [](const KernelArgument& argument) { return argument.tensor.has_value(); };
  if (std::any_of(request.arguments.begin(), request.arguments.end(), is_map)) {
    device::require_tensor_maps(request.gpu);
  }
  vgpu::Memory memory(memory_limit(request.gpu));
  ArgumentValues arguments(request.arguments, memory);
  arguments.fit(info.parameter_bytes);
  const auto start = std::chrono::steady_clock::now();
  vgpu::LaunchReport report =
      module.launch(request.kernel, request.gpu, memory, request.grid, request.block,
                    request.dynamic_shared_bytes, arguments.pointers(), request.options);
  result.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  arguments.write_outputs();
  result.counters = report.counters;
  result.lines = std::move(report.lines);
  result.findings = std::move(report.findings);
  return result;
}

}  // namespace tilewise::bench
