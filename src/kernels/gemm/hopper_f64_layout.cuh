// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where TMA puts doubles, and which of them the lanes of a warp take.
//
// Tiles lie in shared memory in rows of 128 bytes as they lie in global memory: 16 k of a line where k is
// contiguous, else 16 lines (rows of A, columns of B) of one k. TMA exchanges the eight pieces of 16 bytes of
// a row by the row's number modulo 8. A warp reads doubles in two phases of 16 lanes, and a phase is 4 lines
// times 4 k. Which lines are an mma.sync's first, second, … is free: here, so that a phase meets all 32 banks.
#pragma once

namespace gemm::f64 {

// Of one factor, of which a stage has kLines lines and kBK of k.
template <bool kAlongK, int kLines, int kBK> struct StageLayout;

template <int kLines, int kBK> struct StageLayout<true, kLines, kBK> {
  // Of 16 lines, the one that number `g` of the half's eight is.
  static __device__ __forceinline__ int line(int half, int g) { return g * 2 + half; }

  // Where line(half, g) of the 16 number `block` behind line `first`, k = `from` + t, stands in a stage, in
  // elements: (place(first, g, t) ^ flip(half, from)) + offset(half, block, from). `first` is a multiple of 16,
  // `from` of 4.
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return (first + line(0, g)) * 16 + (t / 2 ^ line(0, g) % 8) * 2 + t % 2;
  }
  static constexpr __device__ int flip(int half, int from) { return from % 16 + half * 2; }
  static constexpr __device__ int offset(int half, int block, int from) {
    return half * 16 + block * 256 + from / 16 * (kLines * 16);
  }
  // Of 16 columns of C, the first of a lane's pairs of neighbours, which are of both halves then.
  static __device__ __forceinline__ int pair_column(int pair, int t) { return t * 4 + pair * 2; }

  // Asks for the lines from `first` on, from `k` on.
  template <class Load>
  static __device__ __forceinline__ void ask(double* to, int first, int k, const Load& load) {
#pragma unroll
    for (int i = 0; i < kBK; i += 16) load(to + i * kLines, k + i, first);
  }
};

template <int kLines, int kBK> struct StageLayout<false, kLines, kBK> {
  static __device__ __forceinline__ int line(int half, int g) {
    return half * 4 + g / 4 * 2 + g / 2 % 2 * 8 + g % 2;
  }

  static __device__ __forceinline__ int place(int first, int g, int t) {
    return first * kBK + t * 16 + (line(0, g) / 2 ^ t) * 2 + line(0, g) % 2;
  }
  static constexpr __device__ int flip(int half, int from) { return from % 8 * 2 + half * 4; }
  static constexpr __device__ int offset(int /*half*/, int block, int from) {
    return block * (kBK * 16) + from * 16;
  }
  static __device__ __forceinline__ int pair_column(int pair, int t) {
    return pair * 4 + t / 2 * 2 + t % 2 * 8;
  }

  template <class Load>
  static __device__ __forceinline__ void ask(double* to, int first, int k, const Load& load) {
#pragma unroll
    for (int i = 0; i < kLines; i += 16) load(to + i * kBK, first + i, k);
  }
};

}  // namespace gemm::f64
