// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Speed of the products of 8-bit integers on one thread, in operations (two a multiplication) a second:
// the peak of vpdpbusd on registers alone, the tile kernels with their panels in the first-level cache,
// and whole products.
//
//   build/bin/integer_benchmark --benchmark_filter=product/u8s8
//   TILEWISE_CPU=avx2 build/bin/integer_benchmark
#include "cpu/integer/integer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "cpu/instruction_set.hpp"
#include "cpu/integer/kernel.hpp"

namespace {

using namespace tilewise;
using cpu::integer::Kernel;
using cpu::integer::Signs;
using cpu::integer::Word;

void count_operations(benchmark::State& state, double operations) {
  state.counters["operations"] =
      benchmark::Counter(operations * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
  state.SetLabel(cpu::integer::kernel_of(cpu::integer::kernel_set(), Signs::kU8S8).name);
}

#if defined(__x86_64__)
#define TILEWISE_DOT(i) "vpdpbusd %%zmm30, %%zmm31, %%zmm" #i "\n"
#define TILEWISE_FOUR_DOTS(a, b, c, d) \
  TILEWISE_DOT(a) TILEWISE_DOT(b) TILEWISE_DOT(c) TILEWISE_DOT(d)

/// 24 independent sums; what is in the registers does not matter.
[[gnu::target("avx512f")]] void dots_on_registers(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    asm volatile(TILEWISE_FOUR_DOTS(0, 1, 2, 3) TILEWISE_FOUR_DOTS(4, 5, 6, 7)
                     TILEWISE_FOUR_DOTS(8, 9, 10, 11) TILEWISE_FOUR_DOTS(12, 13, 14, 15)
                         TILEWISE_FOUR_DOTS(16, 17, 18, 19) TILEWISE_FOUR_DOTS(20, 21, 22, 23)
                 :
                 :
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18",
                   "xmm19", "xmm20", "xmm21", "xmm22", "xmm23");
  }
}

void peak(benchmark::State& state) {
  if (!cpu::has_vnni()) return state.SkipWithError("this processor has no AVX-512 VNNI");
  constexpr int kRounds = 4096;
  for (auto _ : state) dots_on_registers(kRounds);
  count_operations(state, 2.0 * 64 * 24 * kRounds);
}
BENCHMARK(peak);
#endif

std::vector<std::uint8_t> random_bytes(std::int64_t count, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(mix64(seed * 1000003 + i) >> 24);
  }
  return bytes;
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

void tile(benchmark::State& state) {
  const Kernel& kernel = cpu::integer::kernel_of(cpu::integer::kernel_set(), Signs::kU8S8);
  constexpr std::int64_t kSteps = 96;
  const std::vector<std::uint8_t> a = random_bytes(kSteps * kernel.rows * 4, 1);
  const std::int64_t bytes = kSteps * kernel.columns * static_cast<std::int64_t>(sizeof(Word));
  const std::unique_ptr<void, Free> b(std::aligned_alloc(64, static_cast<std::size_t>(bytes)));
  const std::vector<std::uint8_t> values = random_bytes(bytes, 2);
  std::copy(values.begin(), values.end(), static_cast<std::uint8_t*>(b.get()));
  std::vector<std::int32_t> c(static_cast<std::size_t>(kernel.rows * kernel.columns));
  cpu::integer::TileCall call;
  call.a = reinterpret_cast<const Word*>(a.data());
  call.b = static_cast<const Word*>(b.get());
  call.steps = kSteps;
  call.beta = 1;
  call.c = c.data();
  call.c_stride = kernel.columns;
  call.rows = kernel.rows;
  call.columns = kernel.columns;
  for (auto _ : state) kernel.tile(call);
  count_operations(state, 2.0 * kernel.rows * kernel.columns * kernel.depth * kSteps);
}
BENCHMARK(tile);

template <class P, bool kTransposed = false> void product(benchmark::State& state) {
  const std::int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const std::vector<std::uint8_t> a = random_bytes(m * k, 1), b = random_bytes(k * n, 2);
  std::vector<std::int32_t> c(static_cast<std::size_t>(m * n));
  cpu::Engine engine(1);
  P problem;
  problem.m = m, problem.n = n, problem.k = k;
  problem.a.data = reinterpret_cast<decltype(problem.a.data)>(a.data());
  problem.b.data = reinterpret_cast<decltype(problem.b.data)>(b.data());
  problem.a.row_stride = kTransposed ? 1 : k;
  problem.a.column_stride = kTransposed ? m : 1;
  problem.b.row_stride = kTransposed ? 1 : n;
  problem.b.column_stride = kTransposed ? k : 1;
  problem.c = c.data();
  problem.c_stride = n;
  for (auto _ : state) cpu::gemm_integer(engine, problem, 1);
  count_operations(state,
                   2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
}

int register_all() {
  const std::vector<std::array<std::int64_t, 3>> sizes = {
      {16, 16, 16},       {64, 64, 64},       {256, 256, 256}, {1024, 1024, 1024},
      {2048, 2048, 2048}, {1023, 1021, 1019}, {1, 2048, 2048}, {16, 2048, 2048},
      {2048, 1, 2048},    {2048, 16, 2048},   {2048, 2048, 32}};
  for (const auto& [m, n, k] : sizes) {
    const auto add = [&](const char* name, auto function) {
      benchmark::RegisterBenchmark(name, function)->Args({m, n, k});
    };
    add("product/u8s8", &product<cpu::ProblemU8S8>);
    add("product/s8u8", &product<cpu::ProblemS8U8>);
    add("product/s8s8", &product<cpu::ProblemS8S8>);
    add("product/u8s8_transposed", &product<cpu::ProblemU8S8, true>);
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
