// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The last pieces of a matrix. cp.async of fewer bytes than 16 reads no more than those. But in machine code the low
// bits of the address say how many they are: LDGSTS gets the address of the 16th byte from the last one's on. (Of 6 bytes
// at 0x100 it is 0x10A.) compute-sanitizer's memcheck takes that for a read of 16 bytes there, and where memory ends with
// the matrix reports it. So what is less than a piece of the last two rows is read and stored element by element.
#pragma once

#include "kernels/gemm/slab.cuh"

namespace gemm {

constexpr int kLastRows = 2;  // if rows are a piece long or longer

// Puts the first `bytes` of a piece, a multiple of an element's, and zeros behind them into shared memory. At once:
// cp_async_wait() has nothing to do with it.
template <class T> __device__ __forceinline__ void put_piece(void* to, const T* from, int bytes) {
  constexpr int kEach = kPiece / static_cast<int>(sizeof(T));
  struct alignas(kPiece) {
    T of[kEach];
  } elements;
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    elements.of[i] = i * static_cast<int>(sizeof(T)) < bytes ? from[i] : T(0);
  *static_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(&elements);
}

// Whether a row has more than nothing and less than all of a piece.
__device__ __forceinline__ bool is_partial(int bytes) { return bytes % kPiece != 0; }

}  // namespace gemm
