// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel alone, operands in the first-level cache, beside the most that the processor can do:
// the share of the measured FMA peak that is left when memory plays no part. Both take turns of some tenths of a
// millisecond, as a processor's clock changes from one moment to the next; the share is the median of all turns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/fma_peak.hpp"
#include "cpu/instruction_set.hpp"
#include "cpu/kernels/kernels.hpp"

namespace {

using tilewise::cpu::Kernels;
using tilewise::cpu::Tile;

template <class T> std::vector<T> random_elements(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> elements(count);
  for (T& element : elements) element = uniform(random);
  return elements;
}

// The largest tile of the best width, A and B in panels, k = 112: A, B and C take 22 to 26 KiB with AVX-512, less
// otherwise.
template <class T> void micro_kernel(benchmark::State& state) {
  constexpr std::int64_t kDepth = 112;
  const Kernels<T>& kernels = tilewise::cpu::kernels<T>();
  const int vectors = kernels.best_vectors, rows = kernels.rows_of[vectors];
  const std::int64_t width = static_cast<std::int64_t>(vectors) * kernels.lanes;
  const std::vector<T> a = random_elements<T>(static_cast<std::size_t>(rows * kDepth));
  const std::vector<T> b = random_elements<T>(static_cast<std::size_t>(width * kDepth) + 16);
  std::vector<T> c(static_cast<std::size_t>(rows * width));
  Tile<T> tile;
  tile.k = kDepth;
  tile.a = a.data();
  auto aligned = reinterpret_cast<std::uintptr_t>(b.data());
  tile.b = b.data() + (64 - aligned % 64) % 64 / sizeof(T);
  tile.b_step = width;
  tile.c = c.data();
  tile.c_step = width;
  tile.last_lanes = kernels.lanes;
  const auto dtype = sizeof(T) == 4 ? tilewise::Dtype::kF32 : tilewise::Dtype::kF64;
  constexpr int kTiles = 500;
  const double flop =
      2.0 * static_cast<double>(rows) * static_cast<double>(width) * kDepth * kTiles;
  using Clock = std::chrono::steady_clock;
  std::vector<double> shares;
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kTiles; ++i) kernels.by_panel[vectors][rows](tile);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    state.SetIterationTime(seconds);
    const double peak = tilewise::bench::measure_fma_peak(kernels.name, dtype, 1, seconds);
    shares.push_back(flop / seconds / peak);
  }
  std::nth_element(shares.begin(), shares.begin() + shares.size() / 2, shares.end());
  state.counters["FLOP/s"] =
      benchmark::Counter(flop * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
  state.counters["share_of_peak"] = shares[shares.size() / 2];
  state.SetLabel(kernels.name);
}

BENCHMARK_TEMPLATE(micro_kernel, float)->Name("micro_kernel/f32")->UseManualTime();
BENCHMARK_TEMPLATE(micro_kernel, double)->Name("micro_kernel/f64")->UseManualTime();

}  // namespace
