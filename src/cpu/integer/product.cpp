// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Three-level blocking. For each block of B (k × columns) and each block of A (rows × k): the threads pack
// the two together, meet, multiply each its part of the tiles, and meet again before the buffers are
// overwritten. k is never shared, so each element of C has one writer.
#include "cpu/integer/product.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cpu/integer/blocks.hpp"
#include "cpu/integer/integer.hpp"
#include "cpu/workers.hpp"
#include "cpu/workspace.hpp"

namespace tilewise::cpu::integer {
namespace {

constexpr std::int64_t kLine = 64;  // bytes of a cache line, and of the longest vector

/// The packing buffers of a product, one after the other in one piece of memory.
struct Buffers {
  Word* b = nullptr;
  Word* a = nullptr;
  Word* shifts = nullptr;          ///< one panel of A: the shift of every element
  std::int32_t* starts = nullptr;  ///< what the sum of each column of the block of B begins with
};

struct Layout {
  std::int64_t b = 0, a = 0, shift = 0, starts = 0;  ///< bytes

  Layout(const Blocks& blocks, const Kernel& kernel) {
    constexpr std::int64_t kWord = sizeof(Word);
    const std::int64_t lane = blocks.k / kernel.depth * kWord;
    b = round_up(blocks.columns * lane, kLine);
    a = round_up(blocks.rows * lane, kLine);
    if (!kernel.shifts_a) return;
    shift = round_up(kernel.rows * lane, kLine);
    starts = round_up(blocks.columns * kWord, kLine);
  }

  std::int64_t bytes() const { return b + a + shift + starts; }

  Buffers place(std::byte* memory) const {
    const auto words = [memory](std::int64_t at) { return reinterpret_cast<Word*>(memory + at); };
    return {words(0), words(b), words(b + a),
            reinterpret_cast<std::int32_t*>(memory + b + a + shift)};
  }
};

/// All that the threads of a product share.
struct Job {
  const Kernel& kernel;
  const ByteProblem& problem;
  const Blocks& blocks;
  Buffers buffers;
};

/// A block of the problem: rows and columns of C, elements of k.
struct Block {
  Range rows, columns, k;

  std::int64_t steps(const Kernel& kernel) const {
    return (k.end - k.begin + kernel.depth - 1) / kernel.depth;
  }
};

std::int64_t length(const Range& range) { return range.end - range.begin; }

std::int64_t panels(const Range& range, std::int64_t lanes) {
  return (length(range) + lanes - 1) / lanes;
}

/// The `i`-th `size` numbers of `range`.
Range piece(const Range& range, std::int64_t i, std::int64_t size) {
  const std::int64_t begin = range.begin + i * size;
  return {begin, std::min(begin + size, range.end)};
}

/// What the panels `some` of a block hold.
Range lanes_in(const Range& block, const Range& some, std::int64_t width) {
  return {std::min(block.begin + some.begin * width, block.end),
          std::min(block.begin + some.end * width, block.end)};
}

/// The lanes `range` of a factor whose lanes are `lane_stride` apart.
Lanes lanes_of(const std::uint8_t* first, std::int64_t lane_stride, std::int64_t k_stride,
               const Range& range, const Range& k) {
  return {first + range.begin * lane_stride + k.begin * k_stride, lane_stride, k_stride,
          length(range), length(k)};
}

/// The panels `some` of the block of A.
void pack_a(const Job& job, const Block& block, const Range& some) {
  const Factor<std::uint8_t>& a = job.problem.a;
  const std::int64_t height = job.kernel.rows;
  const Range rows = lanes_in(block.rows, some, height);
  job.kernel.pack_a(lanes_of(a.data, a.row_stride, a.column_stride, rows, block.k),
                    job.buffers.a + some.begin * block.steps(job.kernel) * height);
}

/// The starts of the columns of one panel are a product themselves: -1 · (a row of shifts) · B.
void start_columns(const Job& job, std::int64_t steps, const Word* panel, std::int32_t* starts) {
  TileCall call;
  call.a = job.buffers.shifts;
  call.b = panel;
  call.steps = steps;
  call.alpha = -1;
  call.c = starts;
  call.rows = 1;
  call.columns = job.kernel.columns;
  job.kernel.tile(call);
}

void pack_b(const Job& job, const Block& block, const Range& some) {
  const Factor<std::uint8_t>& b = job.problem.b;
  const std::int64_t steps = block.steps(job.kernel), width = job.kernel.columns;
  const Range columns = lanes_in(block.columns, some, width);
  job.kernel.pack_b(lanes_of(b.data, b.column_stride, b.row_stride, columns, block.k),
                    job.buffers.b + some.begin * steps * width);
  if (!job.kernel.shifts_a) return;
  for (std::int64_t j = some.begin; j < some.end; ++j) {
    start_columns(job, steps, job.buffers.b + j * steps * width, job.buffers.starts + j * width);
  }
}

void multiply_tile(const Job& job, const Block& block, std::int64_t i, std::int64_t j) {
  const Kernel& kernel = job.kernel;
  const ByteProblem& problem = job.problem;
  const Range rows = piece(block.rows, i, kernel.rows);
  const Range columns = piece(block.columns, j, kernel.columns);
  TileCall call;
  call.steps = block.steps(kernel);
  call.a = job.buffers.a + i * call.steps * kernel.rows;
  call.b = job.buffers.b + j * call.steps * kernel.columns;
  if (kernel.shifts_a) call.start = job.buffers.starts + j * kernel.columns;
  call.alpha = problem.alpha;
  call.beta = block.k.begin == 0 ? problem.beta : 1;
  call.c = problem.c + rows.begin * problem.c_stride + columns.begin;
  call.c_stride = problem.c_stride;
  call.rows = static_cast<int>(length(rows));
  call.columns = static_cast<int>(length(columns));
  kernel.tile(call);
}

/// One member's part of the tiles of a block. A panel of B stays in the first-level cache meanwhile.
void multiply_tiles(const Job& job, const Block& block, int members, int member) {
  const std::int64_t row_tiles = panels(block.rows, job.kernel.rows);
  const std::int64_t column_tiles = panels(block.columns, job.kernel.columns);
  const Grid grid = grid_for(row_tiles, column_tiles, members);
  if (member >= grid.rows * grid.columns) return;
  const Range rows = share(row_tiles, grid.rows, member % grid.rows);
  const Range columns = share(column_tiles, grid.columns, member / grid.rows);
  for (std::int64_t j = columns.begin; j < columns.end; ++j) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) multiply_tile(job, block, i, j);
  }
}

/// The rows of one block of B: they pass below it block after block.
void multiply_rows(const Job& job, Block block, Team& team, int member) {
  const Range all{0, job.problem.m};
  for (std::int64_t i = 0; i < panels(all, job.blocks.rows); ++i) {
    block.rows = piece(all, i, job.blocks.rows);
    if (i == 0) {
      pack_b(job, block, share(panels(block.columns, job.kernel.columns), team.size(), member));
    }
    pack_a(job, block, share(panels(block.rows, job.kernel.rows), team.size(), member));
    team.meet();
    multiply_tiles(job, block, team.size(), member);
    team.meet();
  }
}

void body(void* argument, Team& team, int member) noexcept {
  const Job& job = *static_cast<const Job*>(argument);
  const Range columns{0, job.problem.n}, k{0, job.problem.k};
  for (std::int64_t j = 0; j < panels(columns, job.blocks.columns); ++j) {
    for (std::int64_t p = 0; p < panels(k, job.blocks.k); ++p) {
      const Block block{{}, piece(columns, j, job.blocks.columns), piece(k, p, job.blocks.k)};
      multiply_rows(job, block, team, member);
    }
  }
}

struct Plan {
  int threads = 1;
  Blocks blocks;
};

Plan plan_of(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
             const Limits& limits) {
  const int threads =
      limits.even_when_small ? limits.threads : threads_for(m, n, k, kernel, limits.threads);
  return {threads, blocks_for(m, n, k, kernel, limits.caches, threads)};
}

void run(Engine& engine, const Kernel& kernel, const ByteProblem& problem, const Plan& plan,
         std::byte* memory) {
  const Layout layout(plan.blocks, kernel);
  Job job{kernel, problem, plan.blocks, layout.place(memory)};
  if (kernel.shifts_a)
    std::memset(job.buffers.shifts, 0x80, static_cast<std::size_t>(layout.shift));
  engine.workers().run(plan.threads, &body, &job);
}

/// C = beta·C, modulo 2^32.
void scale(const ByteProblem& problem) {
  const auto beta = static_cast<std::uint32_t>(problem.beta);
  for (std::int64_t i = 0; i < problem.m; ++i) {
    std::int32_t* const row = problem.c + i * problem.c_stride;
    if (beta == 0) {
      std::fill_n(row, problem.n, 0);
    } else if (beta != 1) {
      for (std::int64_t j = 0; j < problem.n; ++j) {
        row[j] = static_cast<std::int32_t>(beta * static_cast<std::uint32_t>(row[j]));
      }
    }
  }
}

constexpr std::int64_t kStackBytes = 32 << 10;  // enough for sizes up to 64, whatever the kernel

/// Small products pack on the stack. Its own function, so that others do not pay for the pages.
[[gnu::noinline]] void run_on_stack(Engine& engine, const Kernel& kernel,
                                    const ByteProblem& problem, const Plan& plan) {
  alignas(kLine) std::byte memory[kStackBytes];
  run(engine, kernel, problem, plan, memory);
}

}  // namespace

std::int64_t workspace_bytes(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                             const Limits& limits) {
  const std::int64_t bytes = Layout(plan_of(kernel, m, n, k, limits).blocks, kernel).bytes();
  return bytes <= kStackBytes ? 0 : bytes;
}

void multiply(Engine& engine, const Kernel& kernel, const ByteProblem& problem,
              const Limits& limits) {
  const std::int64_t m = problem.m, n = problem.n, k = problem.k;
  if (m == 0 || n == 0) return;
  if (k == 0 || problem.alpha == 0) return scale(problem);
  const Plan plan = plan_of(kernel, m, n, k, limits);
  const std::int64_t bytes = workspace_bytes(kernel, m, n, k, limits);
  if (bytes == 0) return run_on_stack(engine, kernel, problem, plan);
  const WorkspacePool::Lease lease(engine.workspaces(), static_cast<std::size_t>(bytes));
  run(engine, kernel, problem, plan, lease.data());
}

}  // namespace tilewise::cpu::integer
