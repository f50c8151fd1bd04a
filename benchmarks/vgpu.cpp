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

#include "core/random.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "model/gpu.hpp"

namespace {

using namespace tilewise;

constexpr int kSize = 512;

template <class T> std::uint64_t random_matrix(vgpu::Memory& memory, std::uint64_t stream) {
  const std::uint64_t address = memory.allocate(sizeof(T) * kSize * kSize);
  T* values = reinterpret_cast<T*>(address);
  for (std::uint64_t i = 0; i < kSize * kSize; ++i)
    values[i] = static_cast<T>(random_unit(1, stream, i));
  memory.mark_written(address, sizeof(T) * kSize * kSize);
  return address;
}

enum class Mode { kCounters, kPlain, kChecks };

template <class T> void run(benchmark::State& state, const kernels::Rung& rung, Mode mode) {
  const model::Gpu& gpu = model::find_gpu("h200");
  const kernels::KernelImage& image =
      kernels::find_image(rung.unit, gpu.compute_major, gpu.compute_minor);
  const vgpu::Module module(image.ptx, std::string(rung.unit) + ".ptx", image.cubin);
  vgpu::Memory memory(std::uint64_t{1} << 30);
  int m = kSize, n = kSize, k = kSize;
  T alpha = 1, beta = 0;
  std::uint64_t a = random_matrix<T>(memory, 0), b = random_matrix<T>(memory, 1),
                c = random_matrix<T>(memory, 2);
  const void* arguments[] = {&m, &n, &k, &alpha, &a, &b, &beta, &c};
  vgpu::LaunchOptions options{mode != Mode::kPlain, 1};
  if (mode == Mode::kChecks) options.checks = vgpu::Checks::all();
  std::uint64_t lane_instructions = 0;
  for (auto _ : state) {
    const vgpu::LaunchReport report =
        module.launch(kernels::entry_for(rung, n, k), gpu, memory, kernels::grid_for(rung, m, n),
                      rung.block, 0, arguments, options);
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
        if (rung.dtype == Dtype::kF64) run<double>(state, rung, m);
        else run<float>(state, rung, m);
      })->Unit(benchmark::kMillisecond);
    }
  }
  return 0;
}

const int registered = register_all();

}  // namespace
