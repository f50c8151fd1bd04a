// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/stream.hpp"

#include <algorithm>

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
  void multiply(std::int64_t j, std::int64_t count, std::int64_t p, std::int64_t depth) {
    T few[kStreamDepth * Kernels<T>::kMostStreamRows];
    for (std::int64_t q = 0; q < depth; ++q) {
      for (std::int64_t i = 0; i < few_count_; ++i) {
        few[q * few_count_ + i] = few_[i * few_step_ + (p + q) * few_element_step_];
      }
    }
    StreamTile<T> tile;
    tile.k = depth;
    tile.columns = count;
    tile.a = few;
    tile.b = many_ + p * many_step_ + j;
    tile.b_step = many_step_;
    if (plan_.turned) {
      tile.c = gathered_;
      tile.c_step = plan_.nc;
      tile.beta = p == 0 ? T{0} : T{1};
    } else {
      tile.c = problem_.c + part_.row * problem_.c_stride + part_.column + j;
      tile.c_step = problem_.c_stride;
      tile.beta = p == 0 ? problem_.beta : T{1};
    }
    tile.alpha = problem_.alpha;
    kernels<T>().stream[few_count_](tile);
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
