// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/engine.hpp"

#include <type_traits>

#include "cpu/batch.hpp"
#include "cpu/integer/integer.hpp"
#include "cpu/prepared.hpp"
#include "cpu/rounding.hpp"
#include "cpu/small.hpp"
#include "cpu/workers.hpp"
#include "cpu/workspace.hpp"

namespace tilewise::cpu {
namespace {

template <class P> void run(Engine& engine, const P& problem, int threads) {
  if (is_row_as_well(problem)) return run(engine, exchanged(problem), threads);
  if constexpr (std::is_same_v<P, ProblemF32> || std::is_same_v<P, ProblemF64>) {
    if (is_small(problem) && has_products(problem)) return multiply_small(problem);
  }
  Prepared<P> prepared(engine, problem, threads);
  const std::size_t bytes = prepared.bytes();
  if (bytes == 0) return prepared.go(problem, nullptr);
  const WorkspacePool::Lease lease(engine.workspaces(), bytes);
  prepared.go(problem, lease.data());
}

}  // namespace

Engine::Engine(int threads)
    : threads_(threads),
      workers_(std::make_unique<Workers>(threads)),
      workspaces_(std::make_unique<WorkspacePool>()) {}

Engine::~Engine() = default;

void gemm(Engine& engine, const ProblemF32& problem, int threads) { run(engine, problem, threads); }
void gemm(Engine& engine, const ProblemF64& problem, int threads) { run(engine, problem, threads); }
void gemm(Engine& engine, const ProblemBF16& problem, int threads) {
  run(engine, problem, threads);
}
void gemm(Engine& engine, const ProblemF16& problem, int threads) { run(engine, problem, threads); }
void gemm(Engine& engine, const ProblemBF16ToBF16& problem, int threads) {
  Rounding<BFloat16>(engine, problem, threads).run();
}
void gemm(Engine& engine, const ProblemF16ToF16& problem, int threads) {
  Rounding<Float16>(engine, problem, threads).run();
}

void gemm(Engine& engine, const ProblemU8S8& problem, int threads) {
  gemm_integer(engine, problem, threads);
}
void gemm(Engine& engine, const ProblemS8U8& problem, int threads) {
  gemm_integer(engine, problem, threads);
}
void gemm(Engine& engine, const ProblemS8S8& problem, int threads) {
  gemm_integer(engine, problem, threads);
}

template <class P>
void gemm_batch(Engine& engine, std::int64_t count, const P& shape,
                const std::function<void(std::int64_t, P&)>& place, int threads) {
  Batch<P>(engine, count, shape, place, threads).run();
}
template void gemm_batch(Engine&, std::int64_t, const ProblemF32&,
                         const std::function<void(std::int64_t, ProblemF32&)>&, int);
template void gemm_batch(Engine&, std::int64_t, const ProblemF64&,
                         const std::function<void(std::int64_t, ProblemF64&)>&, int);
template void gemm_batch(Engine&, std::int64_t, const ProblemBF16&,
                         const std::function<void(std::int64_t, ProblemBF16&)>&, int);
template void gemm_batch(Engine&, std::int64_t, const ProblemF16&,
                         const std::function<void(std::int64_t, ProblemF16&)>&, int);

namespace {

template <class P> std::string described(const Engine& engine, const P& problem, int threads) {
  return to_string(make_plan(is_row_as_well(problem) ? exchanged(problem) : problem, caches(),
                             threads > 0 ? threads : engine.threads()));
}

}  // namespace

std::string describe(const Engine& engine, const ProblemF32& problem, int threads) {
  return described(engine, problem, threads);
}
std::string describe(const Engine& engine, const ProblemF64& problem, int threads) {
  return described(engine, problem, threads);
}

}  // namespace tilewise::cpu
