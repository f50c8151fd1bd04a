// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <array>

namespace tilewise::test {
namespace {

using kernels::Rung;

Rung make_rung(std::string_view name, std::string_view title, std::string_view idea,
               std::string_view source) {
  Rung rung;
  rung.name = name;
  rung.title = title;
  rung.idea = idea;
  rung.source = source;
  rung.unit = name;
  rung.entry = name;
  return rung;
}

Rung with_tile(Rung rung, kernels::TileShape tile, Dim3 block, int shared_bytes) {
  rung.tile = tile;
  rung.block = block;
  rung.shared_bytes = shared_bytes;
  return rung;
}

std::array<Rung, 6> make_rungs() {
  std::array<Rung, 6> rungs{
      make_rung("naive_uncoalesced", "Naive, x and y exchanged",
                "A thread an element of C, but neighbouring threads walk different rows of A, so "
                "each of their reads is a sector of its own.",
                "000"),
      with_tile(make_rung("shared_column", "Shared memory, read by columns",
                          "A tile in shared memory, read across its rows: every lane hits the same "
                          "bank.",
                          "001"),
                {32, 32, 32, 0, 0, 0, 0}, {32, 32, 1}, 8192),
      with_tile(make_rung("tile_2d", "2D tile <TM×TN> & \"registers\"",
                          "Every thread computes TM×TN elements: an outer product of two short "
                          "columns.",
                          "000 004"),
                {128, 128, 8, 0, 0, 8, 8}, {256, 1, 1}, 8192),
      with_tile(make_rung("z_order", "Z-order", "Lanes in Z order: no conflicts on load or store.",
                          "000"),
                {128, 128, 16, 64, 32, 8, 8}, {256, 1, 1}, 32768),
      with_tile(make_rung("f64_tile", "f64, 16×16 tile",
                          "8-byte accesses: half-warp phases, A broadcast, B contiguous.", "003"),
                {16, 16, 16, 0, 0, 0, 0}, {16, 16, 1}, 4096),
      make_rung("cpu", "CPU triple loop", "The reference.", "003"),
  };
  rungs[0].block = {32, 8, 1};
  rungs[4].arithmetic = kernels::Arithmetic::kF64;
  rungs[4].order = Order::kColumnMajor;
  rungs[5].on_cpu = true;
  return rungs;
}

const std::array<Rung, 6>& rungs() {
  static const std::array<Rung, 6> all = make_rungs();
  return all;
}

vgpu::LineCounters line(std::string file, int number, std::uint64_t instructions,
                        std::uint64_t wavefronts, std::uint64_t conflicts) {
  vgpu::LineCounters result{std::move(file), number, {}};
  result.counters.warp_instructions = instructions;
  result.counters.shared_load_wavefronts = wavefronts;
  result.counters.shared_load_conflicts = conflicts;
  return result;
}

bench::RungResult counted(const Rung& rung, const Counters& counters, double occupancy) {
  bench::RungResult result;
  result.rung = &rung;
  result.m = 255, result.n = 257, result.k = 511;
  result.verified = true;
  result.error = 1.25e-7;
  result.largest_error = 3.5e-7;
  result.checksum = 0xfedcba9876543210u;
  result.entry = rung.entry;
  result.fidelity = "exact";
  result.counters = counters;
  result.registers = 40;
  result.shared_bytes = static_cast<std::uint32_t>(rung.shared_bytes);
  result.occupancy = model::Occupancy{4, static_cast<int>(64 * occupancy), occupancy,
                                      model::OccupancyLimit::kRegisters};
  result.limit = model::Limit{
      "shared-memory wavefronts", "", {{"shared memory", 120.5}, {"FMA", 30.25}, {"issue", 12}}};
  result.lines = {line("src/kernels/ladder/nowhere.cu", 31, 4000, 800, 0),
                  line("src/kernels/ladder/nowhere.cu", 44, 90'000, 260'000, 130'000)};
  result.host_seconds = 0.5;
  return result;
}

Counters counters(std::uint64_t fma, std::uint64_t sectors, std::uint64_t wavefronts,
                  std::uint64_t conflicts) {
  Counters c;
  c.warp_instructions = fma / 10;
  c.fma_threads = fma;
  c.shared_load_instructions = wavefronts ? wavefronts - conflicts : 0;
  c.shared_load_wavefronts = wavefronts;
  c.shared_load_conflicts = conflicts;
  c.shared_store_instructions = wavefronts / 16;
  c.shared_store_wavefronts = wavefronts / 16;
  c.global_load_requests = sectors / 4;
  c.global_load_sectors = sectors;
  c.global_store_requests = 2048;
  c.global_store_sectors = 8192;
  c.barriers = wavefronts ? 512 : 0;
  return c;
}

bench::Context context() {
  bench::Context result;
  result.tilewise_version = "0.1.0";
  result.commit = "abcdef0";
  result.date = "2026-11-21T09:00:00Z";
  result.device = "virtual NVIDIA H200 (avx512)";
  result.gpu = "h200";
  result.is_virtual = true;
  result.host = "A processor, 2 cores";
  result.alpha = 1.5;
  result.beta = -0.5;
  result.seed = 7;
  return result;
}

void time(bench::RungResult& rung, double gflops, double percent) {
  rung.gflops = gflops;
  rung.percent_of_cublas = percent;
  rung.time_ms = 2.0 * 255 * 257 * 511 / gflops / 1e6;
  rung.cublas_time_ms = *rung.time_ms * percent / 100;
  rung.samples_ms = {*rung.time_ms, *rung.time_ms * 1.01};
  rung.hardware_counters = {{"shared_load_wavefronts", "metric_a.sum", 1'000'000},
                            {"shared_store_wavefronts", "metric_b.sum", 234'567},
                            {"global_load_sectors", "metric_c.sum", 42}};
  rung.counters.reset();
  rung.fidelity.reset();
  rung.fidelity_notes.clear();
  rung.lines.clear();
}

}  // namespace

bench::LadderResult virtual_result() {
  bench::LadderResult result;
  result.context = context();
  const auto& all = rungs();
  result.rungs.push_back(counted(all[0], counters(33'554'432, 34'603'008, 0, 0), 1.0));
  result.rungs.push_back(
      counted(all[1], counters(33'554'432, 1'048'576, 34'000'000, 31'000'000), 1.0));
  result.rungs.push_back(counted(all[2], counters(33'554'432, 262'144, 540'000, 131'072), 0.25));
  result.rungs.push_back(counted(all[3], counters(33'554'432, 262'144, 262'144, 0), 0.125));
  result.rungs.push_back(counted(all[4], counters(33'554'432, 2'097'152, 4'194'304, 0), 0.75));
  result.rungs[2].limit->caveat = model::kTooFewBlocks;
  result.rungs[1].fidelity = "approximate";
  result.rungs[1].fidelity_notes = {"ptxas merged two loads of line 12"};
  result.rungs[3].fidelity = "approximate";
  result.rungs[3].fidelity_notes = {"ptxas merged two loads of line 12"};
  bench::RungResult cpu;
  cpu.rung = &all[5];
  cpu.m = 255, cpu.n = 257, cpu.k = 511;
  cpu.verified = true;
  cpu.time_ms = 12.5;
  cpu.gflops = 5.5;
  result.rungs.push_back(cpu);
  return result;
}

bench::LadderResult cpu_result() {
  static const std::array<Rung, 3> rungs = [] {
    std::array<Rung, 3> all{
        make_rung("triple_loop", "Triple loop", "The definition of the product.", ""),
        make_rung("packing", "Packing", "Copies in the order in which tiles read them.", ""),
        make_rung("threads", "Threads", "One piece of C a thread.", "")};
    const char* units[] = {"01_triple_loop", "06_packing", "08_threads"};
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].on_cpu = true;
      all[i].unit = units[i];
      all[i].entry = {};
    }
    return all;
  }();
  bench::LadderResult result;
  result.context = context();
  result.context.on_cpu = true;
  result.context.is_virtual = false;
  result.context.gpu.clear();
  result.context.device = "A processor, 2 cores, avx512";
  result.context.instruction_set = "avx512";
  result.context.caches = {"L1d 32 KiB (cores 0)", "L2 1 MiB (cores 0)"};
  result.context.fma_peaks = {{1, 118.4}, {2, 236.8}};
  const double speeds[] = {0.592, 94.72, 189.44};
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    bench::RungResult row;
    row.rung = &rungs[i];
    row.m = 255, row.n = 257, row.k = 511;
    row.verified = true;
    row.error = 1.25e-7;
    row.entry = rungs[i].unit;
    row.threads = i == 2 ? 2 : 1;
    row.gflops = speeds[i];
    row.time_ms = 2.0 * 255 * 257 * 511 / speeds[i] / 1e6;
    row.samples_ms = {*row.time_ms};
    row.percent_of_peak = 100 * speeds[i] / (i == 2 ? 236.8 : 118.4);
    if (i > 0) row.speed_up = speeds[i] / speeds[i - 1];
    result.rungs.push_back(row);
  }
  return result;
}

bench::LadderResult cuda_result() {
  bench::LadderResult result = virtual_result();
  result.context.device = "NVIDIA H200, driver 580.159, CUDA 13.0";
  result.context.is_virtual = false;
  result.context.cublas = "cuBLAS 13.1.0";
  const double speeds[] = {512.25, 4100, 21'000, 48'750.5, 9000};
  for (std::size_t i = 0; i < 5; ++i) time(result.rungs[i], speeds[i], speeds[i] / 510);
  return result;
}

}  // namespace tilewise::test
