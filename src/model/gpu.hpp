// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of GPUs: what a device query prints, for devices that are not at hand.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::model {

/// Dense tensor-core FLOP per clock cycle and SM (a fused multiply-add counts 2). 0: not supported.
struct TensorRates {
  int f64 = 0, tf32 = 0, f16 = 0, bf16 = 0, fp8 = 0, s8 = 0;
};

/// Facts of one GPU. Clocks in MHz, sizes in bytes.
struct Gpu {
  std::string key;   ///< what --gpu takes: "h200", "rtx3090"
  std::string name;  ///< "NVIDIA H200"
  int compute_major = 0, compute_minor = 0;

  int sm_count = 0;
  double base_clock_mhz = 0;  ///< 0 where the vendor gives none
  double boost_clock_mhz = 0;
  int fp32_lanes_per_sm = 0;  ///< f32 fused multiply-adds a cycle and SM
  int fp64_lanes_per_sm = 0;  ///< f64 fused multiply-adds a cycle and SM, outside the tensor cores
  int schedulers_per_sm = 4;  ///< each issues one warp instruction a cycle
  TensorRates tensor;

  double memory_clock_mhz = 0;  ///< 0 where the vendor gives only the bandwidth
  int memory_bus_bits = 0;
  double memory_bandwidth = 0;  ///< bytes per second, by the datasheet
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;

  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;
  std::uint32_t registers_per_sm = 65536;
  std::uint32_t registers_per_block = 65536;
  int max_registers_per_thread = 255;
  int register_allocation_unit = 256;   ///< registers are given to a warp in multiples of this
  int warp_allocation_granularity = 4;  ///< warps of a block are rounded up to a multiple of this
  std::uint32_t shared_per_sm = 0;
  std::uint32_t shared_per_block = 49152;       ///< without opting in
  std::uint32_t shared_per_block_optin = 0;     ///< the most a block can have
  std::uint32_t shared_reserved_per_block = 0;  ///< what the driver takes for each block
  std::uint32_t shared_allocation_unit = 0;
  int shared_banks = 32;
  std::uint32_t constant_bytes = 65536;
  std::uint32_t max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
  std::uint32_t max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;

  std::vector<std::string> sources;  ///< where the figures come from, one line each

  /// Peak rate of f32 fused multiply-adds in FLOP/s at the boost clock.
  double peak_f32() const { return 2.0 * fp32_lanes_per_sm * sm_count * boost_clock_mhz * 1e6; }
  /// Peak rate of f64 fused multiply-adds outside the tensor cores in FLOP/s at the boost clock.
  double peak_f64() const { return 2.0 * fp64_lanes_per_sm * sm_count * boost_clock_mhz * 1e6; }
};

/// Every GPU of the catalogue.
std::span<const Gpu> catalogue();

/// The GPU of that key ("h200"). Throws Error{kInvalidArgument} that names the nearest key.
const Gpu& find_gpu(std::string_view key);

}  // namespace tilewise::model
