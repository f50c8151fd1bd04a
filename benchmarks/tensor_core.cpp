// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Speed of the virtual GPU's tensor cores, on one core: multiply-adds a second of single instructions, and
// of a kernel that does nothing but mma.sync.
//
//   build/bin/tensor_core_benchmark --benchmark_filter=kernel
//   TILEWISE_VGPU_SIMD=avx2 build/bin/tensor_core_benchmark
#include "vgpu/exec/tensor_core.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "model/gpu.hpp"
#include "vgpu/golden_mma.hpp"

namespace {

using namespace tilewise;
using vgpu::MatrixType;

/// The pattern of a number of about one.
std::uint32_t random_cell(MatrixType type, std::mt19937& random) {
  const std::uint32_t bits = static_cast<std::uint32_t>(random()), sign = bits >> 31;
  switch (type) {
    case MatrixType::kF16: return sign << 15 | 0x3800 | (bits & 0x7FF);
    case MatrixType::kBf16: return sign << 15 | 0x3F00 | (bits & 0xFF);
    case MatrixType::kF32:
    case MatrixType::kTf32: return sign << 31 | 0x3F000000 | (bits & 0xFFFFFF);
    case MatrixType::kE4m3: return sign << 7 | 0x30 | (bits & 0xF);
    case MatrixType::kE5m2: return sign << 7 | 0x38 | (bits & 0x7);
    default: return bits & 0xFF;
  }
}

std::vector<std::uint32_t> random_cells(MatrixType type, int count, std::mt19937& random) {
  std::vector<std::uint32_t> cells(static_cast<std::size_t>(count));
  for (std::uint32_t& cell : cells) cell = random_cell(type, random);
  return cells;
}

void instruction(benchmark::State& state, const std::string& name) {
  const vgpu::MatrixProduct p = *vgpu::parse_mma_name(name);
  std::mt19937 random(1);
  const auto a = random_cells(p.a, p.m * p.k, random), b = random_cells(p.b, p.n * p.k, random),
             c = random_cells(p.accumulator, p.m * p.n, random);
  std::vector<std::uint32_t> d(c.size());
  for (auto _ : state) {
    vgpu::multiply(p, vgpu::Numerics::kSm90, a.data(), b.data(), c.data(), d.data());
    benchmark::DoNotOptimize(d.data());
  }
  state.counters["fmas"] = benchmark::Counter(static_cast<double>(p.m) * p.n * p.k,
                                              benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(std::string(vgpu::simd_level()));
}

// 64 dependent mma.sync.m16n8k16 of f16 a warp; their sums stay small.
const char* const kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry test(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p; .reg .b64 %a;
  mov.u32 %r0, 0x2C003000; mov.u32 %r1, 0xAC003000; mov.u32 %r2, 0x30003000; mov.u32 %r3, 0x2E002E00;
  mov.u32 %r4, 0x30002C00; mov.u32 %r5, 0xB0002C00; mov.u32 %r6, 0;
  mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
LOOP:
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p, %r6, 64;
  @%p bra LOOP;
  ld.param.u64 %a, [out];
  st.global.f32 [%a], %f0;
  ret;
})";

void kernel(benchmark::State& state) {
  const vgpu::Module module(kKernel, "mma.ptx");
  vgpu::Memory memory(1 << 20);
  const std::uint64_t out = memory.allocate(4);
  const void* const arguments[] = {&out};
  const vgpu::LaunchOptions options{true, 1};
  std::uint64_t fmas = 0;
  for (auto _ : state) {
    fmas += module
                .launch("test", model::find_gpu("h200"), memory, {4, 1, 1}, {128, 1, 1}, 0,
                        arguments, options)
                .counters.tensor_fmas_f16;
  }
  state.counters["fmas"] =
      benchmark::Counter(static_cast<double>(fmas), benchmark::Counter::kIsRate);
  state.SetLabel(std::string(vgpu::simd_level()));
}
BENCHMARK(kernel)->Unit(benchmark::kMillisecond);

int register_all() {
  for (const char* name : {"mma_m16n8k16_f32_f16", "mma_m16n8k16_f16_f16", "mma_m16n8k16_f32_bf16",
                           "mma_m16n8k8_f32_tf32", "mma_m16n8k32_f32_e4m3", "mma_m16n8k32_s32_s8",
                           "wgmma_m64n256k16_f32_bf16", "wgmma_m64n256k32_f32_e4m3"}) {
    benchmark::RegisterBenchmark(name,
                                 [name](benchmark::State& state) { instruction(state, name); });
  }
  return 0;
}

const int registered = register_all();

}  // namespace
