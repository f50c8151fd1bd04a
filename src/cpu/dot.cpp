// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/dot.hpp"

#include <algorithm>
#include <cstring>

#include "core/divide.hpp"

namespace tilewise::cpu {
namespace {

// One factor's vectors along k: element p of vector i is data[i·step + p·element_step].
template <class T> struct Vectors {
  const T* data = nullptr;
  std::int64_t step = 0, element_step = 1, count = 0;
};

template <class T> Vectors<T> rows_of_a(const Problem<T, T, T, T>& problem, const Part& part) {
  const Factor<T>& a = problem.a;
  return {a.data + part.row * a.row_stride, a.row_stride, a.column_stride, part.row_end - part.row};
}

template <class T> Vectors<T> columns_of_b(const Problem<T, T, T, T>& problem, const Part& part) {
  const Factor<T>& b = problem.b;
  return {b.data + part.column * b.column_stride, b.column_stride, b.row_stride,
          part.column_end - part.column};
}

// The short factor is copied, a span of k at a time: in order along k, and with vectors that begin in
// different cache sets, which those of a matrix whose leading dimension is a power of two do not.
template <class T> struct Span {
  Span(const Problem<T, T, T, T>& problem, const Plan& plan, bool rows_are_few) {
    constexpr std::int64_t kElements = kDotSpanBytes / static_cast<std::int64_t>(sizeof(T));
    length = problem.k;
    if (problem.k > plan.kc) {
      const std::int64_t few = rows_are_few ? problem.m : problem.n;
      const std::int64_t blocks = std::max(kElements / few / plan.kc, std::int64_t{1});
      length = std::min(problem.k, blocks * plan.kc);
    }
    step = round_up(length, 16) + 16;
  }
  std::int64_t length = 0, step = 0;
};

// The long factor streams past in place, so it must be the one whose vectors are contiguous. Asked of the
// whole product, not of a thread's part, so that every thread sums in the same order.
template <class T> bool rows_are_few(const Problem<T, T, T, T>& problem) {
  if (problem.a.column_stride != 1) return true;
  if (problem.b.row_stride != 1) return false;
  return problem.m <= problem.n;
}

template <class T> class Dots {
 public:
  Dots(const Problem<T, T, T, T>& problem, const Plan& plan, const Part& part, T* buffer)
      : problem_(problem),
        plan_(plan),
        kernels_(kernels<T>()),
        rows_are_few_(rows_are_few(problem)),
        few_(rows_are_few_ ? rows_of_a(problem, part) : columns_of_b(problem, part)),
        many_(rows_are_few_ ? columns_of_b(problem, part) : rows_of_a(problem, part)),
        span_(problem, plan, rows_are_few_),
        copy_(buffer),
        sums_(buffer + few_.count * span_.step) {
    tile_.a = copy_;
    tile_.a_step = span_.step;
    tile_.b_step = many_.step;
    tile_.c_row_step = rows_are_few_ ? problem.c_stride : 1;
    tile_.c_column_step = rows_are_few_ ? 1 : problem.c_stride;
    tile_.alpha = problem.alpha;
    c_ = problem.c + part.row * problem.c_stride + part.column;
  }

  static std::int64_t buffer_elements(const Problem<T, T, T, T>& problem, const Plan& plan,
                                      const Part& part) {
    const std::int64_t few =
        rows_are_few(problem) ? part.row_end - part.row : part.column_end - part.column;
    return few * (Span<T>(problem, plan, rows_are_few(problem)).step +
                  Kernels<T>::kMostDotColumns * static_cast<std::int64_t>(kernels<T>().lanes));
  }

  void run() {
    for (first_ = 0; first_ < problem_.k; first_ += span_.length) {
      length_ = std::min(span_.length, problem_.k - first_);
      tile_.beta = first_ == 0 ? problem_.beta : T{1};
      copy_few();
      const std::int64_t most =
          few_.count == 1 ? Kernels<T>::kLoneDotColumns : kernels_.dot_columns;
      for (std::int64_t j = 0, columns = 0; j < many_.count; j += columns) {
        columns = std::min(most, many_.count - j);
        multiply(j, columns);
      }
    }
  }

 private:
  void copy_few() {
    if (few_.step == 1 && few_.element_step != 1 && few_.count > 1) {
      // Neighbours lie across k. Whole vectors are written, for which there is room behind each.
      kernels_.transpose(few_.count, length_, few_.data + first_ * few_.element_step,
                         few_.element_step, copy_, span_.step);
      return;
    }
    for (std::int64_t i = 0; i < few_.count; ++i) {
      const T* const from = few_.data + i * few_.step + first_ * few_.element_step;
      T* const to = copy_ + i * span_.step;
      if (few_.element_step == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(length_) * sizeof(T));
      } else {
        for (std::int64_t p = 0; p < length_; ++p) to[p] = from[p * few_.element_step];
      }
    }
  }

  // All the short factor's vectors with `columns` of the long one's: a block of k, which then is in the
  // first-level cache, meets them all before the next one.
  void multiply(std::int64_t j, std::int64_t columns) {
    for (std::int64_t p = 0; p < length_; p += plan_.kc) {
      DotTile<T> tile = tile_;
      tile.k = std::min(plan_.kc, length_ - p);
      tile.is_first = p == 0;
      tile.is_last = p + tile.k == length_;
      tile.b = many_.data + j * many_.step + first_ + p;
      const T* const next = next_of(j, columns, p);
      int fetched = 0;
      for (std::int64_t i = 0, rows = 0; i < few_.count; i += rows) {
        rows = std::min<std::int64_t>(kernels_.dot_rows, few_.count - i);
        tile.a = copy_ + i * span_.step + p;
        tile.c = c_ + i * tile.c_row_step + j * tile.c_column_step;
        tile.sums = sums_ + i * columns * kernels_.lanes;
        // Every tile fetches its share, so that the memory is busy throughout.
        const int due = static_cast<int>(next == nullptr ? 0 : columns * (i + rows) / few_.count);
        tile.next = next == nullptr ? nullptr : next + fetched * tile.b_step;
        tile.next_columns = due - fetched;
        fetched = due;
        kernels_.dot[rows][columns](tile);
      }
    }
  }

  // What follows this block in the long factor, when it is to be fetched meanwhile: because the short one keeps
  // the processor busy for long enough, or so that memory always has pages on the way.
  const T* next_of(std::int64_t j, std::int64_t columns, std::int64_t p) const {
    if (few_.count <= kernels_.dot_rows && !plan_.fetch_ahead) return nullptr;
    if (p + plan_.kc < length_) return many_.data + j * many_.step + first_ + p + plan_.kc;
    if (j + 2 * columns > many_.count) return nullptr;
    return many_.data + (j + columns) * many_.step + first_;
  }

  const Problem<T, T, T, T>& problem_;
  const Plan& plan_;
  const Kernels<T>& kernels_;
  const bool rows_are_few_;
  const Vectors<T> few_, many_;
  const Span<T> span_;
  T *const copy_, *const sums_;
  T* c_ = nullptr;
  std::int64_t first_ = 0, length_ = 0;  // the span's, of k
  DotTile<T> tile_;                      // what the tiles of a span have in common
};

}  // namespace

template <class T>
std::size_t dot_buffer_bytes(const Problem<T, T, T, T>& problem, const Plan& plan,
                             const Part& part) {
  if (part.row == part.row_end || part.column == part.column_end) return 0;
  return static_cast<std::size_t>(Dots<T>::buffer_elements(problem, plan, part)) * sizeof(T);
}

template <class T>
void multiply_dots(const Problem<T, T, T, T>& problem, const Plan& plan, const Part& part,
                   std::byte* buffer) {
  Dots<T>(problem, plan, part, reinterpret_cast<T*>(buffer)).run();
}

template std::size_t dot_buffer_bytes(const ProblemF32&, const Plan&, const Part&);
template std::size_t dot_buffer_bytes(const ProblemF64&, const Plan&, const Part&);
template void multiply_dots(const ProblemF32&, const Plan&, const Part&, std::byte*);
template void multiply_dots(const ProblemF64&, const Plan&, const Part&, std::byte*);

}  // namespace tilewise::cpu
