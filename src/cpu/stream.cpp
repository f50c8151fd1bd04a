// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/stream.hpp"

#include <algorithm>

#include "core/divide.hpp"

namespace tilewise::cpu {
namespace {

template <class T> class Stream {
 public:
  Stream(const Product<T>& problem, const Plan& plan, const Part& part, T* buffer)
      : problem_(problem), plan_(plan), part_(part), gathered_(buffer) {
    const Factor<T>&a = problem.a, &b = problem.b;
    const std::int64_t rows = part.row_end - part.row, columns = part.column_end - part.column;
    if (plan.turned) {
      few_ = b.data + part.column * b.column_stride;
      few_step_ = b.column_stride;
      few_element_step_ = b.row_stride;
      few_count_ = columns;
      many_ = a.data + part.row;
      many_step_ = a.column_stride;
      many_count_ = rows;
    } else {
      few_ = a.data + part.row * a.row_stride;
      few_step_ = a.row_stride;
      few_element_step_ = a.column_stride;
      few_count_ = rows;
      many_ = b.data + part.column;
      many_step_ = b.row_stride;
      many_count_ = columns;
    }
  }

  void run() {
    for (std::int64_t j = 0; j < many_count_; j += plan_.nc) {
      const std::int64_t count = std::min(plan_.nc, many_count_ - j);
      for (std::int64_t p = 0; p < problem_.k; p += plan_.kc) {
        multiply(j, count, p, std::min(plan_.kc, problem_.k - p));
      }
      if (plan_.turned) scatter(j, count);
    }
  }

 private:
  // `depth` rows of the long factor, `count` columns of them, times the short factor: some of its vectors
  // at a time, as many as the kernel has registers for. With more than that, the columns are taken in
  // pieces that stay in the first-level cache until all have met them; by line, what kernels read in two goes.
  void multiply(std::int64_t j, std::int64_t count, std::int64_t p, std::int64_t depth) {
    const Kernels<T>& set = kernels<T>();
    const auto* const multiply_rows = plan_.by_line ? set.stream_lines : set.stream;
    const std::int64_t groups =
        divide_up(few_count_, plan_.by_line ? set.line_rows : set.stream_rows);
    T copied[kMostStreamDepth * kMostStreamed];
    // One vector is in order, where its elements are neighbours.
    const bool is_in_order = few_count_ == 1 && few_element_step_ == 1;
    const T* const few = is_in_order ? few_ + p : copied;
    if (!is_in_order) {
      for (std::int64_t g = 0; g < groups; ++g) put_in_order(g, groups, p, depth, copied);
    }
    const std::int64_t piece = groups == 1                                ? count
                               : plan_.kc > kStreamDepth && plan_.by_line ? 4 * set.lanes
                                                                          : kPiece;
    for (std::int64_t at = 0; at < count; at += piece) {
      StreamTile<T> tile;
      tile.k = depth;
      tile.columns = std::min(piece, count - at);
      tile.b = many_ + p * many_step_ + j + at;
      tile.b_step = many_step_;
      const bool is_followed = p + 2 * depth <= problem_.k;
      if (plan_.fetch_ahead && is_followed) tile.next = tile.b + depth * many_step_;
      tile.side_by_side =
          plan_.side_by_side && tile.next != nullptr && depth == StreamTile<T>::kSideBySide;
      tile.alpha = problem_.alpha;
      T* c = gathered_ + at;
      if (plan_.turned) {
        tile.c_step = plan_.nc;
        tile.beta = p == 0 ? T{0} : T{1};
      } else {
        c = problem_.c + part_.row * problem_.c_stride + part_.column + j + at;
        tile.c_step = problem_.c_stride;
        tile.beta = p == 0 ? problem_.beta : T{1};
      }
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t first = few_count_ * g / groups, end = few_count_ * (g + 1) / groups;
        tile.a = few + first * depth;
        tile.c = c + first * tile.c_step;
        multiply_rows[end - first](tile);
      }
    }
  }

  // Group g of the short factor's vectors, elements p to p + depth, the way the kernel reads them.
  void put_in_order(std::int64_t g, std::int64_t groups, std::int64_t p, std::int64_t depth,
                    T* few) {
    const std::int64_t first = few_count_ * g / groups, end = few_count_ * (g + 1) / groups;
    T* const to = few + first * depth;
    const std::int64_t count = end - first;
    for (std::int64_t i = 0; i < count; ++i) {
      const T* const from = few_ + (first + i) * few_step_ + p * few_element_step_;
      for (std::int64_t q = 0; q < depth; ++q) to[q * count + i] = from[q * few_element_step_];
    }
  }

  // The gathered columns to where they belong.
  void scatter(std::int64_t j, std::int64_t count) {
    const T beta = problem_.beta;
    for (std::int64_t i = 0; i < count; ++i) {
      T* const c = problem_.c + (part_.row + j + i) * problem_.c_stride + part_.column;
      for (std::int64_t q = 0; q < few_count_; ++q) {
        const T sum = gathered_[q * plan_.nc + i];
        c[q] = beta == 0 ? sum : beta * c[q] + sum;
      }
    }
  }

  static constexpr std::int64_t kPiece = 1024 / static_cast<std::int64_t>(sizeof(T));

  const Product<T>& problem_;
  const Plan& plan_;
  const Part& part_;
  T* const gathered_;  // few × nc
  // Element p of the short factor's vector i is few_[i·few_step_ + p·few_element_step_]; row p of the
  // long factor begins at many_ + p·many_step_.
  const T *few_ = nullptr, *many_ = nullptr;
  std::int64_t few_step_ = 0, few_element_step_ = 0, few_count_ = 0;
  std::int64_t many_step_ = 0, many_count_ = 0;
};

}  // namespace

template <class T>
std::size_t stream_buffer_bytes(const Product<T>& problem, const Plan& plan, const Part& part) {
  static_cast<void>(problem);
  if (!plan.turned) return 0;
  return static_cast<std::size_t>((part.column_end - part.column) * plan.nc) * sizeof(T);
}

template <class T>
void multiply_stream(const Product<T>& problem, const Plan& plan, const Part& part,
                     std::byte* buffer) {
  Stream<T>(problem, plan, part, reinterpret_cast<T*>(buffer)).run();
}

template std::size_t stream_buffer_bytes(const ProblemF32&, const Plan&, const Part&);
template std::size_t stream_buffer_bytes(const ProblemF64&, const Plan&, const Part&);
template void multiply_stream(const ProblemF32&, const Plan&, const Part&, std::byte*);
template void multiply_stream(const ProblemF64&, const Plan&, const Part&, std::byte*);

}  // namespace tilewise::cpu
