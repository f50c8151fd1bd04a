// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the lanes of a warp find their operands of mma.sync m16n8k16 in a stage of single tiles of f64.
//
// Stages lie as hopper_f64_layout.cuh says, in rows of 128 bytes, 16 k of a line or 16 lines of a k, whose pieces of 16 bytes
// TMA exchanges by the row's number modulo 8. Here all comes by words, in units of eight neighbouring lines, whichever way a
// factor lies, so that any number of units makes a tile. Lane 4g + t has of each unit one line and of 16 k four:
// 2t + t % 2 and its neighbour, and the same eight further on. With that, and the lines in an order of their own along k, no
// load meets a bank of shared memory twice.
#pragma once

#include "kernels/ptx/shared.cuh"

namespace gemm::f64 {

template <bool kAlongK> struct Operands {
  // Of a unit's eight lines.
  static __device__ __forceinline__ int line(int g) {
    return kAlongK ? g % 2 + g / 2 % 2 * 4 + g / 4 * 2 : g;
  }
  // Where the pair of neighbours begins that a lane has of a unit's eight sums in a row.
  static __device__ __forceinline__ int pair(int t) { return line(t * 2); }

  // Bytes from a unit of an even number to this lane's number 0 of its four k.
  static __device__ __forceinline__ unsigned place(int lane) {
    const int g = lane / 4, t = lane % 4, k = t * 2 + t % 2;
    return kAlongK ? line(g) * 128 + (t ^ line(g)) * 16 + t % 2 * 8
                   : k * 128 + (g / 2 ^ k) * 16 + g % 2 * 8;
  }
  // What is exchanged in that for number `of_k`, and how much further on it is. In the other unit of 16 lines across k:
  static constexpr __device__ unsigned flip(int of_k) {
    return kAlongK ? of_k % 2 * 8 + of_k / 2 * 64 : of_k % 2 * (128 + 16);
  }
  static constexpr __device__ unsigned offset(int of_k) { return kAlongK ? 0 : of_k / 2 * 1024; }
  static constexpr unsigned kFlipOfOther = kAlongK ? 0 : 64;
  static constexpr unsigned kUnit = 1024;  // bytes, so that two are 16 lines
};

// A warp's 32 lines of the first factor: mma.sync's rows.
template <bool kAlongK> class FirstReader {
 public:
  using Own = Operands<kAlongK>;

  // `begin`: bytes from the stage to the warp's first line.
  __device__ __forceinline__ explicit FirstReader(unsigned begin) {
    const unsigned place = Own::place(threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      // Across k the two units of 16 lines differ as k do.
      const unsigned flip =
          kAlongK ? Own::flip(i) : Own::flip(i % 2) ^ (i / 2 ? Own::kFlipOfOther : 0);
      ways_[i] = begin + (place ^ flip);
    }
  }
  // 16 k of 16 lines, number `block` of two, in mma.sync's order.
  __device__ __forceinline__ void read(double (&a)[8], unsigned stage, int block) const {
#pragma unroll
    for (int of_k = 0; of_k < 4; ++of_k)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        double value[1];
        const unsigned way = kAlongK ? ways_[of_k] : ways_[half * 2 + of_k % 2];
        ptx::load_shared(value, stage + way + block * 2 * Own::kUnit + Own::offset(of_k) +
                                    (kAlongK ? half * Own::kUnit : 0));
        a[of_k * 2 + half] = value[0];
      }
  }

 private:
  unsigned ways_[4];
};

// A warp's units of the second factor, mma.sync's columns: every kAcross'th of the tile's, which is for 1, 2 or 4 warps.
template <bool kAlongK, int kAcross> class SecondReader {
 public:
  using Own = Operands<kAlongK>;

  // `begin`: bytes from the stage to the factor. `number`: of the warp among those side by side.
  __device__ __forceinline__ SecondReader(unsigned begin, int number) {
    const unsigned place = Own::place(threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kAlongK) {
        ways_[i] = begin + number * Own::kUnit + (place ^ Own::flip(i));
      } else {
        // The second unit of 16 lines: every other of one warp's, all or none of several warps'.
        const bool is_other = kAcross == 1 ? i / 2 == 1 : number % 2 == 1;
        ways_[i] = begin + number / 2 * 2 * Own::kUnit +
                   (place ^ Own::flip(i % 2) ^ (is_other ? Own::kFlipOfOther : 0));
      }
    }
  }
  // 16 k of the warp's unit number `unit`.
  __device__ __forceinline__ void read(double (&b)[4], unsigned stage, int unit) const {
    // Across k both units of 16 lines begin at the same place.
    const int begin = kAlongK || kAcross > 1 ? unit * kAcross : unit / 2 * 2;
#pragma unroll
    for (int of_k = 0; of_k < 4; ++of_k) {
      const unsigned way = kAlongK        ? ways_[of_k]
                           : kAcross == 1 ? ways_[unit % 2 * 2 + of_k % 2]
                                          : ways_[of_k % 2];
      double value[1];
      ptx::load_shared(value, stage + way + begin * Own::kUnit + Own::offset(of_k));
      b[of_k] = value[0];
    }
  }

 private:
  unsigned ways_[4];
};

}  // namespace gemm::f64
