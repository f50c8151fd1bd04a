// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a step's share of a factor stands in shared memory where cp.async brings it and ldmatrix reads it.
#pragma once

namespace gemm {

constexpr int kPiece = 16;  // bytes of a copy

// What a step has of one factor: kLines lines of kBK k, in rows as they lie in memory, which are cut into pieces of
// 16 bytes. Pieces are exchanged within a row so that those of eight rows, one below the other, lie in different
// banks.
template <class T, bool kAlongK, int kLines, int kBK> struct Slab {
  static constexpr int kK = kBK;
  static constexpr int kEach = kPiece / sizeof(T);  // elements of a piece
  static constexpr int kRows = kAlongK ? kLines : kBK;
  static constexpr int kPieces = (kAlongK ? kBK : kLines) / kEach;  // of a row
  static constexpr int kBytes = kRows * kPieces * kPiece;
  static constexpr int kPeriod = 8;  // rows as many apart are exchanged the same way

  // Where a piece lies, in bytes.
  static __device__ __forceinline__ int place(int row, int piece) {
    constexpr int kExchanged = kPieces < 8 ? kPieces : 8;
    return (row * kPieces + (piece ^ row * kExchanged / 8 % kExchanged)) * kPiece;
  }
};

}  // namespace gemm
