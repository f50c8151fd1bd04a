// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Speed of the virtual GPU: PTX instructions times active lanes a second, on one core, for every rung of
// the ladder at 512×512×512, with counters on and off.
//
//   build/bin/vgpu_benchmark --benchmark_filter=tile_2d_registers
//   TILEWISE_VGPU_SIMD=avx2 build/bin/vgpu_benchmark
#include "vgpu/vgpu.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/elements.hpp"
#include "core/random.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/listing.hpp"
#include "model/gpu.hpp"

namespace {

using namespace tilewise;

constexpr int kSize = 512;

std::uint64_t random_matrix(vgpu::Memory& memory, Dtype dtype, std::uint64_t stream) {
  constexpr std::uint64_t kElements = std::uint64_t{kSize} * kSize;
  const std::uint64_t address = memory.allocate(size_of(dtype) * kElements);
  std::vector<double> values(kElements);
  for (std::uint64_t i = 0; i < kElements; ++i) values[i] = random_unit(1, stream, i);
  write_elements(dtype, values.data(), kElements, reinterpret_cast<void*>(address));
  memory.mark_written(address, size_of(dtype) * kElements);
  return address;
}

enum class Mode { kCounters, kPlain, kChecks };

template <class T> void run(benchmark::State& state, const kernels::Rung& rung, Mode mode) {
  const model::Gpu& gpu = model::find_gpu("h200");
  const kernels::Listing listing =
      kernels::listing_of(kernels::find_image(rung.unit, gpu.compute_major, gpu.compute_minor));
  const vgpu::Module module(listing.ptx, std::string(rung.unit) + ".ptx", listing.cubin);
  vgpu::Memory memory(std::uint64_t{1} << 30);
  int m = kSize, n = kSize, k = kSize;
  T alpha = 1, beta = 0;
  const Dtype operand = kernels::operand_dtype(rung.arithmetic);
  std::uint64_t a = random_matrix(memory, operand, 0), b = random_matrix(memory, operand, 1),
                c = random_matrix(memory, kernels::result_dtype(rung.arithmetic), 2);
  const void* arguments[] = {&m, &n, &k, &alpha, &a, &b, &beta, &c};
  vgpu::LaunchOptions options{mode != Mode::kPlain, 1};
  if (mode == Mode::kChecks) options.checks = vgpu::Checks::all();
  const kernels::LaunchShape shape = kernels::launch_shape(rung, m, n, k, gpu.sm_count);
  TensorMap map_a, map_b;
  if (shape.tensor_maps) {
    map_a = vgpu::make_tensor_map(kernels::map_of(rung, rung.box_a, a, m, k));
    map_b = vgpu::make_tensor_map(kernels::map_of(rung, rung.box_b, b, k, n));
    arguments[4] = &map_a;
    arguments[5] = &map_b;
  }
  std::uint64_t lane_instructions = 0;
  for (auto _ : state) {
    const vgpu::LaunchReport report =
        module.launch(shape.entry, gpu, memory, shape.grid, rung.block,
                      static_cast<std::uint32_t>(rung.dynamic_shared_bytes), arguments, options);
    lane_instructions += report.lane_instructions;
  }
  state.counters["lane_instructions"] =
      benchmark::Counter(static_cast<double>(lane_instructions), benchmark::Counter::kIsRate);
  state.SetLabel(std::string(vgpu::simd_level()));
}

constexpr std::pair<Mode, const char*> kModes[] = {
    {Mode::kCounters, "/counters"}, {Mode::kPlain, "/plain"}, {Mode::kChecks, "/checks"}};

int register_all() {
  if (kernels::images().empty()) return 0;
  for (const kernels::Rung& rung : kernels::ladder()) {
    if (rung.on_cpu) continue;
    for (const auto& [mode, mode_name] : kModes) {
      const std::string name = std::string(rung.name) + mode_name;
      benchmark::RegisterBenchmark(name.c_str(), [&rung, m = mode](benchmark::State& state) {
        if (rung.arithmetic == kernels::Arithmetic::kF64) run<double>(state, rung, m);
        else run<float>(state, rung, m);
      })->Unit(benchmark::kMillisecond);
    }
  }
  return 0;
}

const int registered = register_all();

}  // namespace
