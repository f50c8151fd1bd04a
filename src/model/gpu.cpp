// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts of each GPU. What a whole architecture shares stands in one function; a product adds the
// rest. Tensor rates are with f32 accumulation (f16, bf16, fp8), without sparsity, and follow from
// the vendor's peak: FLOP per cycle and SM = peak / (SMs x clock), at the clock named beside it.
#include "model/gpu.hpp"

#include <algorithm>

#include "core/phrase.hpp"
#include "core/suggest.hpp"
#include "tilewise/error.hpp"

namespace tilewise::model {
namespace {

constexpr std::uint32_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;

// What compute capabilities 8.0 to 9.0 have in common.
Gpu common_facts() {
  Gpu gpu;
  gpu.shared_reserved_per_block = 1 * kKiB;
  gpu.shared_allocation_unit = 128;
  gpu.sources = {
      "threads, blocks, warps, registers, shared memory: CUDA C++ Programming Guide, table "
      "\"Technical Specifications per Compute Capability\"",
      "1 KB of shared memory reserved for each block: CUDA C++ Programming Guide, \"Compute "
      "Capability 8.x\" and \"9.0\", section \"Shared Memory\"",
      "registers given in 256s to warps, warps in 4s, shared memory in 128 bytes: CUDA Toolkit, "
      "cuda_occupancy.h",
      "f32 and f64 lanes: CUDA C++ Programming Guide, table \"Throughput of Native Arithmetic "
      "Instructions\"",
  };
  return gpu;
}

Gpu capability_8_0() {
  Gpu gpu = common_facts();
  gpu.compute_major = 8;
  gpu.compute_minor = 0;
  gpu.fp32_lanes_per_sm = 64;
  gpu.fp64_lanes_per_sm = 32;
  gpu.max_warps_per_sm = 64;
  gpu.max_blocks_per_sm = 32;
  gpu.shared_per_sm = 164 * kKiB;
  gpu.shared_per_block_optin = 163 * kKiB;
  return gpu;
}

Gpu capability_8_6() {
  Gpu gpu = common_facts();
  gpu.compute_major = 8;
  gpu.compute_minor = 6;
  gpu.fp32_lanes_per_sm = 128;
  gpu.fp64_lanes_per_sm = 2;
  gpu.max_warps_per_sm = 48;
  gpu.max_blocks_per_sm = 16;
  gpu.shared_per_sm = 100 * kKiB;
  gpu.shared_per_block_optin = 99 * kKiB;
  return gpu;
}

Gpu capability_8_9() {
  Gpu gpu = capability_8_6();
  gpu.compute_minor = 9;
  gpu.max_blocks_per_sm = 24;
  return gpu;
}

Gpu capability_9_0() {
  Gpu gpu = common_facts();
  gpu.compute_major = 9;
  gpu.compute_minor = 0;
  gpu.fp32_lanes_per_sm = 128;
  gpu.fp64_lanes_per_sm = 64;
  gpu.max_warps_per_sm = 64;
  gpu.max_blocks_per_sm = 32;
  gpu.shared_per_sm = 228 * kKiB;
  gpu.shared_per_block_optin = 227 * kKiB;
  gpu.tensor = {.f64 = 256, .tf32 = 2048, .f16 = 4096, .bf16 = 4096, .fp8 = 8192, .s8 = 8192};
  return gpu;
}

void add_sources(Gpu& gpu, std::initializer_list<const char*> lines) {
  gpu.sources.insert(gpu.sources.end(), lines.begin(), lines.end());
}

Gpu rtx3090() {
  Gpu gpu = capability_8_6();
  gpu.key = "rtx3090";
  gpu.name = "NVIDIA GeForce RTX 3090";
  gpu.sm_count = 82;
  gpu.base_clock_mhz = 1395;
  gpu.boost_clock_mhz = 1695;
  gpu.tensor = {.tf32 = 256, .f16 = 512, .bf16 = 512, .s8 = 2048};
  gpu.memory_clock_mhz = 9751;
  gpu.memory_bus_bits = 384;
  gpu.memory_bandwidth = 936e9;
  gpu.memory_bytes = 25'414'860'800;
  gpu.l2_bytes = 6 * kMiB;
  add_sources(gpu, {"SMs, clocks, bandwidth, tensor peaks (TF32 35.6, FP16 and BF16 with FP32 "
                    "accumulate 71 TFLOPS, INT8 284 TOPS at 1695 MHz): NVIDIA Ampere GA102 "
                    "whitepaper, table of the GeForce RTX 3090",
                    "memory clock, bus, memory and L2 sizes: deviceQuery of a GeForce RTX 3090 "
                    "(driver 12.2)"});
  return gpu;
}

Gpu a6000() {
  Gpu gpu = capability_8_6();
  gpu.key = "a6000";
  gpu.name = "NVIDIA RTX A6000";
  gpu.sm_count = 84;
  gpu.base_clock_mhz = 1410;
  gpu.boost_clock_mhz = 1800;
  gpu.tensor = {.tf32 = 512, .f16 = 1024, .bf16 = 1024, .s8 = 2048};
  gpu.memory_clock_mhz = 8001;
  gpu.memory_bus_bits = 384;
  gpu.memory_bandwidth = 768e9;
  gpu.memory_bytes = 48 * kGiB;
  gpu.l2_bytes = 6 * kMiB;
  add_sources(gpu, {"SMs, boost clock, bandwidth, tensor peaks (TF32 77.4, FP16 and BF16 154.8 "
                    "TFLOPS, INT8 309.7 TOPS at 1800 MHz), L2: NVIDIA Ampere GA102 whitepaper, "
                    "table of the RTX A6000",
                    "base clock: TechPowerUp GPU database, RTX A6000",
                    "memory clock: half of the 16 Gbit/s a pin of the whitepaper, as drivers "
                    "report it; memory size: nominal"});
  return gpu;
}

Gpu a100() {
  Gpu gpu = capability_8_0();
  gpu.key = "a100";
  gpu.name = "NVIDIA A100-SXM4-40GB";
  gpu.sm_count = 108;
  gpu.base_clock_mhz = 1095;
  gpu.boost_clock_mhz = 1410;
  gpu.tensor = {.f64 = 128, .tf32 = 1024, .f16 = 2048, .bf16 = 2048, .s8 = 4096};
  gpu.memory_clock_mhz = 1215;
  gpu.memory_bus_bits = 5120;
  gpu.memory_bandwidth = 1555e9;
  gpu.memory_bytes = 42'405'855'232;
  gpu.l2_bytes = 40 * kMiB;
  add_sources(gpu, {"SMs, boost clock, bandwidth, bus, L2, tensor peaks (FP64 19.5, TF32 156, FP16 "
                    "and BF16 312 TFLOPS, INT8 624 TOPS at 1410 MHz): NVIDIA A100 whitepaper, "
                    "table \"Comparison of NVIDIA Data Center GPUs\"",
                    "base clock: TechPowerUp GPU database, A100 SXM4 40 GB (NVIDIA gives none)",
                    "memory clock and size: deviceQuery of an A100-SXM4-40GB, Paderborn Center for "
                    "Parallel Computing, documentation \"NVIDIA A100 40GB with NVLINK\""});
  return gpu;
}

Gpu a100_80gb() {
  Gpu gpu = a100();
  gpu.key = "a100-80gb";
  gpu.name = "NVIDIA A100-SXM4-80GB";
  gpu.base_clock_mhz = 1275;
  gpu.memory_clock_mhz = 1593;
  gpu.memory_bandwidth = 2039e9;
  gpu.memory_bytes = 80 * kGiB;
  gpu.sources.resize(gpu.sources.size() - 2);  // the 40 GB module's base clock and memory
  add_sources(gpu, {"bandwidth: NVIDIA A100 datasheet, A100 80GB SXM; memory clock: bandwidth / (2 "
                    "x bus width), as drivers report it; memory size: nominal",
                    "base clock: TechPowerUp GPU database, A100 SXM4 80 GB (NVIDIA gives none)"});
  return gpu;
}

Gpu h100() {
  Gpu gpu = capability_9_0();
  gpu.key = "h100";
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.sm_count = 132;
  gpu.base_clock_mhz = 1590;
  gpu.boost_clock_mhz = 1980;
  gpu.memory_clock_mhz = 2619;
  gpu.memory_bus_bits = 5120;
  gpu.memory_bandwidth = 3350e9;
  gpu.memory_bytes = 80 * kGiB;
  gpu.l2_bytes = 50 * kMiB;
  add_sources(gpu,
              {"SMs, boost clock, bus, L2, tensor peaks (TF32 494.7, FP16 and BF16 989.4, FP8 "
               "1978.9 TFLOPS, INT8 1978.9 TOPS at 1830 MHz, FP64 66.9 TFLOPS at 1980 MHz): "
               "NVIDIA H100 whitepaper, table of the H100 SXM5",
               "bandwidth: NVIDIA H100 datasheet, 3.35 TB/s; memory clock: bandwidth / (2 x bus "
               "width), as drivers report it; memory size: nominal",
               "base clock: TechPowerUp GPU database, H100 SXM5 80 GB (NVIDIA gives none)"});
  return gpu;
}

Gpu h100_pcie() {
  Gpu gpu = capability_9_0();
  gpu.key = "h100-pcie";
  gpu.name = "NVIDIA H100 PCIe";
  gpu.sm_count = 114;
  gpu.base_clock_mhz = 1095;
  gpu.boost_clock_mhz = 1755;
  gpu.memory_clock_mhz = 1593;
  gpu.memory_bus_bits = 5120;
  gpu.memory_bandwidth = 2000e9;
  gpu.memory_bytes = 80 * kGiB;
  gpu.l2_bytes = 50 * kMiB;
  add_sources(gpu, {"SMs, boost clock, bandwidth, bus, L2, tensor peaks (TF32 378, FP16 and BF16 "
                    "756 TFLOPS at 1620 MHz, FP64 51.2 TFLOPS at 1755 MHz): NVIDIA H100 "
                    "whitepaper, table of the H100 PCIe",
                    "base and memory clock: TechPowerUp GPU database, H100 PCIe 80 GB; memory "
                    "size: nominal"});
  return gpu;
}

Gpu h200() {
  Gpu gpu = capability_9_0();
  gpu.key = "h200";
  gpu.name = "NVIDIA H200";
  gpu.sm_count = 132;
  gpu.base_clock_mhz = 0;
  gpu.boost_clock_mhz = 1980;
  gpu.memory_clock_mhz = 3201;
  gpu.memory_bus_bits = 6016;
  gpu.memory_bandwidth = 4800e9;
  gpu.memory_bytes = 150'109'880'320;
  gpu.l2_bytes = 60 * kMiB;
  add_sources(gpu, {"bandwidth, tensor peaks (TF32 495, FP16 and BF16 990, FP8 1979 TFLOPS, INT8 "
                    "1979 TOPS at 1830 MHz, FP64 67 TFLOPS at 1980 MHz): NVIDIA H200 datasheet",
                    "SMs, clocks, bus, memory and L2 sizes, limits: device query of an H200 "
                    "(driver 580.159); base clock: NVIDIA gives none"});
  return gpu;
}

Gpu l40s() {
  Gpu gpu = capability_8_9();
  gpu.key = "l40s";
  gpu.name = "NVIDIA L40S";
  gpu.sm_count = 142;
  gpu.base_clock_mhz = 1110;
  gpu.boost_clock_mhz = 2520;
  gpu.tensor = {.tf32 = 512, .f16 = 1024, .bf16 = 1024, .fp8 = 2048, .s8 = 2048};
  gpu.memory_clock_mhz = 9001;
  gpu.memory_bus_bits = 384;
  gpu.memory_bandwidth = 864e9;
  gpu.memory_bytes = 48 * kGiB;
  gpu.l2_bytes = 96 * kMiB;
  add_sources(gpu, {"SMs, bandwidth, bus, tensor peaks (TF32 183, FP16 and BF16 366, FP8 733 "
                    "TFLOPS, INT8 733 TOPS at 2520 MHz): NVIDIA L40S datasheet",
                    "L2: NVIDIA Ada whitepaper, table of the full AD102 (98304 KB)",
                    "clocks: TechPowerUp GPU database, L40S; memory clock: half of the 18 Gbit/s "
                    "a pin, as drivers report it; memory size: nominal"});
  return gpu;
}

Gpu rtx4090() {
  Gpu gpu = capability_8_9();
  gpu.key = "rtx4090";
  gpu.name = "NVIDIA GeForce RTX 4090";
  gpu.sm_count = 128;
  gpu.base_clock_mhz = 2235;
  gpu.boost_clock_mhz = 2520;
  gpu.tensor = {.tf32 = 256, .f16 = 512, .bf16 = 512, .fp8 = 1024, .s8 = 2048};
  gpu.memory_clock_mhz = 10501;
  gpu.memory_bus_bits = 384;
  gpu.memory_bandwidth = 1008e9;
  gpu.memory_bytes = 24 * kGiB;
  gpu.l2_bytes = 72 * kMiB;
  add_sources(gpu, {"SMs, clocks, bandwidth, bus, L2 (73728 KB), tensor peaks (TF32 82.6, FP16 and "
                    "BF16 with FP32 accumulate 165.2, FP8 with FP32 accumulate 330.3 TFLOPS, INT8 "
                    "660.6 TOPS at 2520 MHz): NVIDIA Ada whitepaper, table of the GeForce RTX 4090",
                    "memory clock: half of the 21 Gbit/s a pin, as drivers report it; memory "
                    "size: nominal"});
  return gpu;
}

}  // namespace

std::span<const Gpu> catalogue() {
  static const std::vector<Gpu> all{rtx3090(),   a6000(), a100(), a100_80gb(), h100(),
                                    h100_pcie(), h200(),  l40s(), rtx4090()};
  return all;
}

const Gpu& find_gpu(std::string_view key) {
  std::vector<std::string_view> keys;
  std::string known;
  for (const Gpu& gpu : catalogue()) {
    if (gpu.key == key) return gpu;
    keys.push_back(gpu.key);
    known += (known.empty() ? "" : ", ") + gpu.key;
  }
  throw Error(ErrorCode::kInvalidArgument,
              phrase("unknown GPU '{}'{} (known: {})", key, did_you_mean(key, keys), known));
}

}  // namespace tilewise::model
