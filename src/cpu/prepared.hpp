// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a plan to threads at work: the parts that C is divided into, and the buffer each of them needs. A
// product is prepared first and runs then, so that nothing is written to C before every buffer is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "core/divide.hpp"
#include "cpu/blocked.hpp"
#include "cpu/caches.hpp"
#include "cpu/dot.hpp"
#include "cpu/engine.hpp"
#include "cpu/plan.hpp"
#include "cpu/stream.hpp"
#include "cpu/turned.hpp"
#include "cpu/workers.hpp"

namespace tilewise::cpu {

/// Buffers up to this stand on the stack of each thread.
constexpr std::size_t kStackBytes = 48 << 10;

// Where part `index` of `parts` begins, in whole `step`s.
inline std::int64_t boundary(std::int64_t size, std::int64_t step, int parts, int index) {
  const std::int64_t steps = (size + step - 1) / step;
  return std::min(size, steps * index / parts * step);
}

/// A product's parts, and how each is computed.
template <class P> class Run {
 public:
  using Scalar = decltype(P::alpha);

  Run(const P& problem, const Plan& plan) : problem_(problem), plan_(plan) {
    const Kernels<Scalar>& set = kernels<Scalar>();
    row_step_ = std::min<std::int64_t>(set.rows_of[set.best_vectors],
                                       std::max<std::int64_t>(1, problem.m / plan.row_parts));
    column_step_ = set.best_vectors * set.lanes;
    // There vectors lie along rows.
    if (plan.path == Path::kTurned) row_step_ = column_step_;
    if (problem.n < column_step_ * plan.column_parts) column_step_ = set.lanes;
    for (int index = 0; index < parts(); ++index) {
      part_bytes_ = std::max(part_bytes_, bytes_of(part(index)));
    }
    part_bytes_ = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(part_bytes_), 4096));
  }

  int parts() const { return plan_.row_parts * plan_.column_parts; }
  std::size_t part_bytes() const { return part_bytes_; }
  void set_buffer(std::byte* buffer) { buffer_ = buffer; }

  void multiply(int index) const {
    if (part_bytes_ <= kStackBytes) {
      alignas(64) std::byte buffer[kStackBytes];
      multiply(part(index), buffer);
    } else {
      multiply(part(index), buffer_ + static_cast<std::size_t>(index) * part_bytes_);
    }
  }

  // The body of a team's member.
  static void work(void* argument, Team& team, int member) noexcept {
    const Run& run = *static_cast<const Run*>(argument);
    for (int index = member; index < run.parts(); index += team.size()) run.multiply(index);
  }

 private:
  Part part(int index) const {
    const int row = index / plan_.column_parts, column = index % plan_.column_parts;
    return {boundary(problem_.m, row_step_, plan_.row_parts, row),
            boundary(problem_.m, row_step_, plan_.row_parts, row + 1),
            boundary(problem_.n, column_step_, plan_.column_parts, column),
            boundary(problem_.n, column_step_, plan_.column_parts, column + 1)};
  }

  std::size_t bytes_of(const Part& part) const {
    if constexpr (kInFull) {
      if (plan_.path == Path::kDot) return dot_buffer_bytes(problem_, plan_, part);
      if (plan_.path == Path::kStream) return stream_buffer_bytes(problem_, plan_, part);
      if (plan_.path == Path::kTurned) return turned_buffer_bytes(problem_, plan_, part);
      if (plan_.path == Path::kTurnedTiles) return 0;
    }
    return blocked_buffer_bytes(problem_, plan_, part);
  }

  void multiply(const Part& part, std::byte* buffer) const {
    if (part.row == part.row_end || part.column == part.column_end) return;
    if constexpr (kInFull) {
      if (plan_.path == Path::kDot) return multiply_dots(problem_, plan_, part, buffer);
      if (plan_.path == Path::kStream) return multiply_stream(problem_, plan_, part, buffer);
      if (plan_.path == Path::kTurned) return multiply_turned(problem_, plan_, part, buffer);
      if (plan_.path == Path::kTurnedTiles) return multiply_turned_tiles(problem_, part);
    }
    multiply_blocked(problem_, plan_, part, buffer);
  }

  static constexpr bool kInFull = std::is_same_v<P, ProblemF32> || std::is_same_v<P, ProblemF64>;

  const P& problem_;
  const Plan& plan_;
  std::int64_t row_step_ = 1, column_step_ = 1;
  std::size_t part_bytes_ = 0;
  std::byte* buffer_ = nullptr;
};

// C = beta·C.
template <class C, class Scalar>
void scale(std::int64_t m, std::int64_t n, Scalar beta, C* c, std::int64_t stride) {
  for (std::int64_t i = 0; i < m; ++i, c += stride) {
    if (beta == 0) {
      std::fill(c, c + n, C{});
    } else if (beta != 1) {
      for (std::int64_t j = 0; j < n; ++j) c[j] *= beta;
    }
  }
}

/// A product that is ready to run once it has its buffer.
template <class P> struct Prepared {
  Prepared(Engine& the_engine, const P& problem, int threads, Factors factors = Factors::kNear)
      : engine(the_engine),
        plan(make_plan(problem, caches(),
                       std::min(threads > 0 ? threads : engine.threads(), engine.threads()),
                       factors)) {
    if (plan.path != Path::kScale) run.emplace(problem, plan);
  }
  // Bytes beyond the threads' stacks.
  std::size_t bytes() const {
    if (!run || run->part_bytes() <= kStackBytes) return 0;
    return run->part_bytes() * static_cast<std::size_t>(run->parts());
  }
  void go(const P& problem, std::byte* buffer) {
    if (!run) return scale(problem.m, problem.n, problem.beta, problem.c, problem.c_stride);
    run->set_buffer(buffer);
    if (run->parts() == 1) return run->multiply(0);
    engine.workers().run(run->parts(), &Run<P>::work, &*run);
  }

  Engine& engine;
  const Plan plan;
  std::optional<Run<P>> run;
};

}  // namespace tilewise::cpu
