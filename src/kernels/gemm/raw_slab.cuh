// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A step's share of a factor of any alignment. A row comes by cp.async in pieces of 16 bytes, from the one in which it
// begins to the one in which it ends, and lies in shared memory at the same place within 16 bytes as in global memory:
// nothing is shifted, and elements are read one by one.
#pragma once

#include "kernels/gemm/raw_slab.hpp"
#include "kernels/gemm/slab.cuh"
#include "kernels/ptx/cp_async.cuh"

namespace gemm {

// How a step's rows of one factor lie in shared memory.
template <class T, bool kAlongK, int kLines, int kDepth> struct RawSlab {
  static constexpr int kRows = kAlongK ? kLines : kDepth, kWidth = kAlongK ? kDepth : kLines;
  static constexpr int kRowBytes = kWidth * static_cast<int>(sizeof(T));
  static constexpr int kRowPieces = tilewise::kernels::raw_row_pieces(kRowBytes);
  static constexpr int kBytes = tilewise::kernels::raw_slab_bytes(kRows, kRowBytes);
  static_assert(kRowBytes % kPiece == 0);
};

// What a step has of one factor: line x and k l of it.
template <class T, bool kAlongK> struct RawView {
  const unsigned char* first;
  int pitch;
  bool is_aligned;  // all rows begin at multiples of 16 bytes
  __device__ __forceinline__ const unsigned char* place(int x, int l) const {
    const int row = kAlongK ? x : l, column = kAlongK ? l : x;
    return first + row * pitch + column * static_cast<int>(sizeof(T));
  }
  __device__ __forceinline__ T at(int x, int l) const {
    return *reinterpret_cast<const T*>(place(x, l));
  }
};

// A thread's share of the copies of one factor by kThreads, step by step from the first on, each of kDepth k and kStride
// behind the one before. What is outside the matrix becomes 0.
template <class T, bool kAlongK, int kLines, int kDepth, int kThreads, int kStride = kDepth>
class RawCourier {
  using Of = RawSlab<T, kAlongK, kLines, kDepth>;
  using Address = unsigned long long;
  static constexpr int kElement = static_cast<int>(sizeof(T));
  // Pieces that every row has, so many rows at a time; a row that begins within a piece has another.
  static constexpr int kWhole = Of::kRowBytes / kPiece, kTogether = kThreads / kWhole;
  static constexpr int kGoes = (Of::kRows + kTogether - 1) / kTogether,
                       kLastGoes = (Of::kRows + kThreads - 1) / kThreads;
  static constexpr bool kSame =
      kTogether * kElement % kPiece == 0;  // a thread's begin at the same place
  static_assert(kThreads % kWhole == 0 && kStride * kElement % kPiece == 0);
  static_assert(kLastGoes == 1 || kThreads * kElement % kPiece == 0);

 public:
  __device__ __forceinline__ RawCourier(const T* matrix, long long leading_dimension,
                                        long long first_line, long long lines, long long first_k)
      : row_bytes_(leading_dimension * kElement),
        pitch_(Of::kRowPieces * kPiece + static_cast<int>(row_bytes_ % kPiece)),
        lines_(static_cast<int>(min(lines - first_line, static_cast<long long>(kLines)))) {
    const auto first =
        reinterpret_cast<Address>(matrix + (kAlongK ? first_line : first_k) * leading_dimension +
                                  (kAlongK ? first_k : first_line));
    const int thread = static_cast<int>(threadIdx.x) % kThreads;
    first_begin_ = static_cast<int>(first % kPiece);
    row_ = thread / kWhole, piece_ = thread % kWhole * kPiece;
    from_ = first + row_ * row_bytes_ + piece_;
    to_ = first_begin_ + row_ * pitch_ + piece_;
    begin_ = to_ % kPiece;
    if (kSame) from_ -= begin_, to_ -= begin_;
    last_to_ = first_begin_ + thread * pitch_;
    last_begin_ = last_to_ % kPiece;
    last_from_ = first + thread * row_bytes_ + Of::kRowBytes - last_begin_;
    last_to_ += Of::kRowBytes - last_begin_;
  }

  __device__ __forceinline__ RawView<T, kAlongK> view(const unsigned char* slab) const {
    return {slab + first_begin_, pitch_, is_aligned()};
  }

  // Asks for the next kDepth k, of which there are `left`.
  __device__ __forceinline__ void copy(unsigned char* slab, int left) {
    const int rows = kAlongK ? lines_ : left, width = (kAlongK ? left : lines_) * kElement;
    const auto bytes_from = [](int bytes) { return max(0, min(bytes, kPiece)); };
    const int bytes = bytes_from(begin_ + width - piece_), rows_left = rows - row_;
    Address from = from_;
    int to = to_;
#pragma unroll
    for (int i = 0; i < kGoes; ++i) {
      const int begin = kSame ? 0 : to % kPiece;
      const int there = kSame ? bytes : bytes_from(begin + width - piece_);
      if (kGoes * kTogether == Of::kRows || row_ + i * kTogether < Of::kRows)
        ptx::cp_async_up_to_16(slab + to - begin, reinterpret_cast<const void*>(from - begin),
                               i * kTogether < rows_left ? there : 0);
      from += kTogether * row_bytes_, to += kTogether * pitch_;
    }
    if (!is_aligned()) {
      const int thread = static_cast<int>(threadIdx.x) % kThreads;
      const int last_bytes = bytes_from(last_begin_ + width - Of::kRowBytes);
#pragma unroll
      for (int i = 0; i < kLastGoes; ++i) {
        const int row = thread + i * kThreads;
        if (kLastGoes * kThreads == Of::kRows || row < Of::kRows)
          ptx::cp_async_up_to_16(
              slab + last_to_ + i * kThreads * pitch_,
              reinterpret_cast<const void*>(last_from_ + i * kThreads * row_bytes_),
              row < rows ? last_bytes : 0);
      }
    }
    const long long advance = kAlongK ? kStride * kElement : kStride * row_bytes_;
    from_ += advance, last_from_ += advance;
  }

 private:
  __device__ __forceinline__ bool is_aligned() const {
    return (first_begin_ | pitch_) % kPiece == 0;
  }

  long long row_bytes_;
  Address from_, last_from_;
  int pitch_, lines_, first_begin_;
  int row_, piece_, to_, begin_, last_to_, last_begin_;
};

}  // namespace gemm
