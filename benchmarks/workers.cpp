// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What threads cost a product before they help: an empty run(), one meet(), and a run() after a
// pause long enough that the threads have fallen asleep.
#include "cpu/workers.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

#include "core/thread_pool.hpp"

namespace {

using tilewise::cpu::Team;
using tilewise::cpu::Workers;

void nothing(void*, Team&, int) noexcept {}

constexpr int kMeetings = 100;
void meet_often(void*, Team& team, int) noexcept {
  for (int i = 0; i < kMeetings; ++i) team.meet();
}

void empty_run(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Workers workers(threads);
  for (auto _ : state) workers.run(threads, nothing, nullptr);
}

void meeting(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Workers workers(threads);
  for (auto _ : state) workers.run(threads, meet_often, nullptr);
  state.SetItemsProcessed(state.iterations() * kMeetings);
}

void run_from_sleep(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Workers workers(threads);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    const auto start = std::chrono::steady_clock::now();
    workers.run(threads, nothing, nullptr);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
  }
}

void thread_counts(benchmark::internal::Benchmark* benchmark) {
  const int cores = tilewise::available_cores();
  for (int threads = 1; threads < cores; threads *= 2) benchmark->Arg(threads);
  benchmark->Arg(cores)->ArgName("threads");
}

BENCHMARK(empty_run)->Apply(thread_counts)->UseRealTime();
BENCHMARK(meeting)->Apply(thread_counts)->UseRealTime();
BENCHMARK(run_from_sleep)->Apply(thread_counts)->UseManualTime()->Iterations(500);

}  // namespace
