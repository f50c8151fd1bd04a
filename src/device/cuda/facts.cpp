// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/facts.hpp"

#include <algorithm>
#include <array>

#include "core/phrase.hpp"

namespace tilewise::device::cuda {
namespace {

// Fused multiply-adds a cycle and SM by compute capability: CUDA C++ Programming Guide 13.0, table
// "Throughput of Native Arithmetic Instructions".
struct Lanes {
  int f32, f64;
};
Lanes lanes_of(int major, int minor) {
  if (major == 8 && minor == 0) return {64, 32};
  if (major == 9 || (major == 10 && minor == 0)) return {128, 64};
  return {128, 2};
}

// What an SM of this architecture has, whatever the product's name.
void copy_sm_figures(model::Gpu& gpu, const model::Gpu& sibling) {
  gpu.fp32_lanes_per_sm = sibling.fp32_lanes_per_sm;
  gpu.fp64_lanes_per_sm = sibling.fp64_lanes_per_sm;
  gpu.schedulers_per_sm = sibling.schedulers_per_sm;
  gpu.max_registers_per_thread = sibling.max_registers_per_thread;
  gpu.register_allocation_unit = sibling.register_allocation_unit;
  gpu.warp_allocation_granularity = sibling.warp_allocation_granularity;
  gpu.shared_allocation_unit = sibling.shared_allocation_unit;
  gpu.shared_banks = sibling.shared_banks;
}

void copy_product_figures(model::Gpu& gpu, const model::Gpu& entry) {
  copy_sm_figures(gpu, entry);
  gpu.key = entry.key;
  gpu.base_clock_mhz = entry.base_clock_mhz;
  gpu.tensor = entry.tensor;
  gpu.memory_bandwidth = entry.memory_bandwidth;
  gpu.sources.insert(gpu.sources.end(), entry.sources.begin(), entry.sources.end());
}

}  // namespace

model::Gpu facts_from_driver(std::string name, std::uint64_t memory_bytes,
                             const AttributeReader& read) {
  const auto positive = [&](DeviceAttribute attribute) {
    return static_cast<std::uint32_t>(std::max(0, read(attribute)));
  };
  using enum DeviceAttribute;
  model::Gpu gpu;
  gpu.key = name;
  gpu.name = std::move(name);
  gpu.memory_bytes = memory_bytes;
  gpu.compute_major = read(kComputeCapabilityMajor);
  gpu.compute_minor = read(kComputeCapabilityMinor);
  gpu.sm_count = read(kMultiprocessorCount);
  gpu.boost_clock_mhz = read(kClockRate) / 1e3;
  gpu.memory_clock_mhz = read(kMemoryClockRate) / 1e3;
  gpu.memory_bus_bits = read(kGlobalMemoryBusWidth);
  // Two transfers a clock (double data rate): the only rate the driver's two figures give.
  gpu.memory_bandwidth = 2e6 * gpu.memory_clock_mhz * gpu.memory_bus_bits / 8;
  gpu.l2_bytes = positive(kL2CacheSize);
  gpu.warp_size = read(kWarpSize);
  gpu.max_threads_per_block = read(kMaxThreadsPerBlock);
  gpu.max_warps_per_sm = read(kMaxThreadsPerMultiprocessor) / std::max(1, gpu.warp_size);
  gpu.max_blocks_per_sm = read(kMaxBlocksPerMultiprocessor);
  gpu.registers_per_sm = positive(kMaxRegistersPerMultiprocessor);
  gpu.registers_per_block = positive(kMaxRegistersPerBlock);
  gpu.shared_per_sm = positive(kMaxSharedMemoryPerMultiprocessor);
  gpu.shared_per_block = positive(kMaxSharedMemoryPerBlock);
  gpu.shared_per_block_optin = positive(kMaxSharedMemoryPerBlockOptin);
  gpu.shared_reserved_per_block = positive(kReservedSharedMemoryPerBlock);
  gpu.shared_allocation_unit = 128;  // bytes, compute capability 8.0 and later
  gpu.constant_bytes = positive(kTotalConstantMemory);
  gpu.max_block_x = positive(kMaxBlockDimX);
  gpu.max_block_y = positive(kMaxBlockDimY);
  gpu.max_block_z = positive(kMaxBlockDimZ);
  gpu.max_grid_x = positive(kMaxGridDimX);
  gpu.max_grid_y = positive(kMaxGridDimY);
  gpu.max_grid_z = positive(kMaxGridDimZ);
  gpu.sources = {"CUDA driver: device attributes"};
  return gpu;
}

void complete(model::Gpu& gpu, std::span<const model::Gpu> catalogue) {
  const auto same_name = std::ranges::find(catalogue, gpu.name, &model::Gpu::name);
  if (same_name != catalogue.end()) return copy_product_figures(gpu, *same_name);
  const auto sibling = std::ranges::find_if(catalogue, [&](const model::Gpu& entry) {
    return entry.compute_major == gpu.compute_major && entry.compute_minor == gpu.compute_minor;
  });
  if (sibling != catalogue.end()) {
    copy_sm_figures(gpu, *sibling);
    gpu.sources.push_back(phrase("figures of one SM: those of {} (compute capability {}.{})",
                                 sibling->name, gpu.compute_major, gpu.compute_minor));
    return;
  }
  const Lanes lanes = lanes_of(gpu.compute_major, gpu.compute_minor);
  gpu.fp32_lanes_per_sm = lanes.f32;
  gpu.fp64_lanes_per_sm = lanes.f64;
  gpu.sources.push_back("lanes: CUDA C++ Programming Guide 13.0, arithmetic throughput");
}

model::Gpu describe(const DriverApi& api, DeviceOrdinal ordinal) {
  std::array<char, 256> name{};
  check(api, api.device_get_name(name.data(), static_cast<int>(name.size()) - 1, ordinal),
        [&] { return phrase("cuDeviceGetName(device {})", ordinal); });
  std::size_t bytes = 0;
  check(api, api.device_total_memory(&bytes, ordinal),
        [&] { return phrase("cuDeviceTotalMem_v2(device {})", ordinal); });
  model::Gpu gpu = facts_from_driver(name.data(), bytes, [&](DeviceAttribute attribute) {
    int value = 0;
    check(api, api.device_get_attribute(&value, attribute, ordinal), [&] {
      return phrase("cuDeviceGetAttribute(attribute {}, device {})", static_cast<int>(attribute),
                    ordinal);
    });
    return value;
  });
  complete(gpu, model::catalogue());
  return gpu;
}

}  // namespace tilewise::device::cuda
