// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where TMA puts doubles, and which of them the lanes of a warp take.
//
// Tiles lie in shared memory in rows of 128 bytes as they lie in global memory: 16 k of a line where k is
// contiguous, else 16 lines (rows of A, columns of B) of one k. TMA exchanges the eight pieces of 16 bytes of
// a row by the row's number modulo 8.
//
// mma.sync wants of a lane two lines of its first factor, four k of each, and what is of one k side by side in
// registers; of its second the four k of a line. So two lines of the first that are neighbours in memory can come by one
// load, and two k of the second. Anything else would have to be moved between registers, and comes by words. Which
// lines are the instruction's first, second, … is free, and so is which k are, if both factors agree: here, so that no
// load meets a bank of shared memory twice.
#pragma once

namespace gemm::f64 {

// Asks for kBK k of kLines lines from `first` and `k` on.
template <bool kAlongK, int kLines, int kBK, class Load>
__device__ __forceinline__ void ask(double* to, int first, int k, const Load& load) {
  if constexpr (kAlongK) {
#pragma unroll
    for (int i = 0; i < kBK; i += 16) load(to + i * kLines, k + i, first);
  } else {
#pragma unroll
    for (int i = 0; i < kLines; i += 16) load(to + i * kBK, first + i, k);
  }
}

// How the lanes of a warp read 16 lines, two halves of eight, and 16 k. Lane 4g + t has of each half line number g, and of
// that four k:
//
//   line(half, g)        of 16 lines
//   kHalvesAreNeighbours lines of two halves are neighbours; else those of an even g and the next are, or none
//   kWidth               doubles that a load brings
//   half(x, y), k(x, y)  what double y of load x is: of which half, which of the four k
//   place(first, g, t)   where load 0 is of the lines from `first` on, a multiple of 16, in doubles
//   flip(x)              what is exchanged in that for load x
//   offset(x, block, from)  how far behind it is load x of 16 lines further on by `block`, k from `from` on

struct OfWords {
  static constexpr int kWidth = 1;
  static constexpr __device__ int half(int x, int /*y*/) { return x % 2; }
  static constexpr __device__ int k(int x, int /*y*/) { return x / 2; }
};

// The four k are t, t + 4, t + 8, t + 12.
template <bool kAlongK, int kLines, int kBK> struct ByWords;

template <int kLines, int kBK> struct ByWords<true, kLines, kBK> : OfWords {
  static constexpr bool kHalvesAreNeighbours = true;

  static __device__ __forceinline__ int line(int half, int g) { return g * 2 + half; }
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return (first + line(0, g)) * 16 + (t / 2 ^ line(0, g) % 8) * 2 + t % 2;
  }
  static constexpr __device__ int flip(int x) { return x / 2 * 4 + x % 2 * 2; }
  static constexpr __device__ int offset(int x, int block, int from) {
    return x % 2 * 16 + block * 256 + from / 16 * (kLines * 16);
  }
};
template <int kLines, int kBK> struct ByWords<false, kLines, kBK> : OfWords {
  static constexpr bool kHalvesAreNeighbours = false;

  static __device__ __forceinline__ int line(int half, int g) {
    return half * 4 + g / 4 * 2 + g / 2 % 2 * 8 + g % 2;
  }
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return first * kBK + t * 16 + (line(0, g) / 2 ^ t) * 2 + line(0, g) % 2;
  }
  static constexpr __device__ int flip(int x) { return x / 2 % 2 * 8 + x % 2 * 4; }
  static constexpr __device__ int offset(int x, int block, int from) {
    return block * (kBK * 16) + (from + x / 2 * 4) * 16;
  }
};

// By pairs the four k are 2t, 2t + 1, 2t + 8, 2t + 9.
template <int kLines, int kBK> struct AcrossByPairs {
  static constexpr bool kHalvesAreNeighbours = true;
  static constexpr int kWidth = 2;

  static __device__ __forceinline__ int line(int half, int g) { return g * 2 + half; }
  static constexpr __device__ int half(int /*x*/, int y) { return y; }
  static constexpr __device__ int k(int x, int /*y*/) { return x; }
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return first * kBK + t * 32 + (g ^ t * 2) * 2;
  }
  static constexpr __device__ int flip(int x) { return x % 2 * 2; }
  static constexpr __device__ int offset(int x, int block, int from) {
    return block * (kBK * 16) + (from + x / 2 * 8 + x % 2) * 16;
  }
};
struct OfPairsAlong {
  static constexpr int kWidth = 2;
  static constexpr __device__ int half(int x, int /*y*/) { return x % 2; }
  static constexpr __device__ int k(int x, int y) { return x / 2 * 2 + y; }
};
template <int kLines, int kBK> struct AlongByPairs : OfPairsAlong {
  static constexpr bool kHalvesAreNeighbours = true;

  static __device__ __forceinline__ int line(int half, int g) {
    return g / 4 * 8 + g % 2 * 4 + g / 2 % 2 * 2 + half;
  }
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return (first + line(0, g)) * 16 + (t ^ line(0, g) % 8) * 2;
  }
  static constexpr __device__ int flip(int x) { return x / 2 * 8 + x % 2 * 2; }
  static constexpr __device__ int offset(int x, int block, int from) {
    return x % 2 * 16 + block * 256 + from / 16 * (kLines * 16);
  }
};
// The same without neighbours, for half as many addresses: lines of a half are eight apart from those of the other.
template <int kLines, int kBK> struct AlongByPairsApart : OfPairsAlong {
  static constexpr bool kHalvesAreNeighbours = false;

  static __device__ __forceinline__ int line(int half, int g) {
    return half * 8 + g % 2 * 4 + g / 2;
  }
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return (first + line(0, g)) * 16 + (t ^ line(0, g)) * 2;
  }
  static constexpr __device__ int flip(int x) { return x / 2 * 8; }
  static constexpr __device__ int offset(int x, int block, int from) {
    return x % 2 * 128 + block * 256 + from / 16 * (kLines * 16);
  }
};
// Beside a factor by pairs.
template <int kLines, int kBK> struct AcrossByWords : OfWords {
  static constexpr bool kHalvesAreNeighbours = false;

  static __device__ __forceinline__ int line(int half, int g) { return half * 8 + g; }
  static __device__ __forceinline__ int place(int first, int g, int t) {
    return first * kBK + t * 32 + (g / 2 ^ t * 2) * 2 + g % 2;
  }
  static constexpr __device__ int flip(int x) { return x % 2 * 8 + x / 2 % 2 * 2; }
  static constexpr __device__ int offset(int x, int block, int from) {
    return block * (kBK * 16) + (from + x / 4 * 8 + x / 2 % 2) * 16;
  }
};

}  // namespace gemm::f64
