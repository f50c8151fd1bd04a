// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How the rungs 23 to 26 fill a stage of shared memory: in pieces of 16 bytes, copied by cp.async. Each
// of those rungs is compiled twice: kVector = true needs row lengths that are multiples of a piece;
// kVector = false takes any shape, element by element.
#pragma once

#include "kernels/ladder/half.cuh"
#include "kernels/ptx/cp_async.cuh"

// Copies the first `count` elements of a piece (all, where there are more); zeros take the place of the
// others. kVector: `from` is aligned and `count` is a multiple of the piece. cp.async takes no less than
// four bytes: single halves go by way of registers.
template <bool kVector, typename T>
__device__ __forceinline__ void copy_piece(T* to, const T* from, int count) {
  if constexpr (kVector) {
    ptx::cp_async_16(to, from, count > 0);
  } else if constexpr (sizeof(T) == 2) {
    *reinterpret_cast<uint4*>(to) = load_8_or_zero<false>(from, 0, 0, 1, max(count, 0));
  } else {
    for (int i = 0; i < 16 / sizeof(T); ++i) {
      if constexpr (sizeof(T) == 4) ptx::cp_async_4(to + i, from + i, i < count);
      else ptx::cp_async_8(to + i, from + i, i < count);
    }
  }
}

// A thread's share of the copies of each step: kGoes pieces of each tile, kRows rows apart. Stage says
// its sizes and where a piece of a tile lies: a_at(row, k) and b_at(k, column).
template <typename Stage, bool kVector> struct Copier {
  using T = typename Stage::Element;
  static constexpr int kPiece = 16 / sizeof(T);
  static constexpr int kPiecesA = Stage::kBK / kPiece, kPiecesB = Stage::kBN / kPiece;  // of a row
  static constexpr int kRowsA = Stage::kThreads / kPiecesA, kRowsB = Stage::kThreads / kPiecesB;
  static constexpr int kGoesA = Stage::kBM / kRowsA, kGoesB = Stage::kBK / kRowsB;
  static_assert(kGoesA * kRowsA == Stage::kBM && kGoesB * kRowsB == Stage::kBK);
  static constexpr int kUnroll = kVector ? 8 : 1;  // single elements take too many registers
  const T *from_a, *from_b;
  int row, k_a, k_b, column;
  int rows_left, columns_left, k_left;  // inside the matrices from this thread's first piece on

  __device__ __forceinline__ Copier(const T* A, const T* B, unsigned row0, unsigned column0, int m,
                                    int n, int k)
      : k_left(k) {
    const int thread = threadIdx.x;
    row = thread / kPiecesA, k_a = thread % kPiecesA * kPiece;
    k_b = thread / kPiecesB, column = thread % kPiecesB * kPiece;
    rows_left = m - static_cast<int>(row0) - row;
    columns_left = n - static_cast<int>(column0) - column;
    from_a = A + size_t{row0 + row} * k + k_a;
    from_b = B + size_t(k_b) * n + column0 + column;
  }

  // Asks for the next kBK of k.
  __device__ __forceinline__ void copy_to(Stage& stage, int n, int k) {
#pragma unroll kUnroll
    for (int i = 0; i < kGoesA; ++i)
      copy_piece<kVector>(stage.a_at(row + i * kRowsA, k_a), from_a + size_t(i * kRowsA) * k,
                          i * kRowsA < rows_left ? k_left - k_a : 0);
#pragma unroll kUnroll
    for (int i = 0; i < kGoesB; ++i)
      copy_piece<kVector>(stage.b_at(k_b + i * kRowsB, column), from_b + size_t(i * kRowsB) * n,
                          k_b + i * kRowsB < k_left ? columns_left : 0);
    from_a += Stage::kBK;
    from_b += size_t{Stage::kBK} * n;
    k_left -= Stage::kBK;
    ptx::cp_async_commit();
  }
};
