// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 as pairs of f16: x·scale = upper + lower, up to 2^-22 of x, with a power of two that brings what is
// large near the end of f16. Its end is 65504; its smallest step is 2^-24, so that lower halves lose bits
// where x·scale is below 2^-3.
#pragma once

namespace gemm {

constexpr float kLossless = 0.125f;  // |x·scale| from which on both halves have all their bits
// Of what scales are made from, either way: scales and their products with sums stay within f32.
constexpr int kMostExponent = 90;

struct Scale {
  float scale = 1, unscale = 1;
  bool suspect = false;
};

__device__ __forceinline__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7FFFFFFF; }

// Brings `largest`, the bits of |x|, to [2^10, 2^11). Suspect where it is not finite or near the ends of f32.
__device__ __forceinline__ Scale scale_for(unsigned largest) {
  constexpr int kTarget = 10;
  const int exponent = static_cast<int>(largest >> 23) - 127;
  if (largest == 0) return {};
  if (exponent > kMostExponent || exponent < -kMostExponent) return {1, 1, true};
  return {__int_as_float((127 + kTarget - exponent) << 23),
          __int_as_float((127 - kTarget + exponent) << 23), false};
}

// What has been seen of x·scale in a line.
struct Seen {
  int lossy = 0, nonzero = 0;
  bool outside = false;  // of f16

  // More than a sixteenth, of more than a few.
  __device__ __forceinline__ bool suspect() const { return outside || lossy * 16 > nonzero + 32; }
};

// Counts it, by four instructions an element of the floating-point pipes. Counts are of f16 as long as these are exact, and
// of f32. (NaN are not looked for: products with them are NaN, whatever computes them.)
class SeenPairs {
 public:
  // Two neighbours and their upper halves.
  __device__ __forceinline__ void count(float first, float second, unsigned upper) {
    float one, other;  // 1 where x·scale is not 0
    asm("mul.sat.f32 %0, %1, 0f7E800000;" : "=f"(one) : "f"(fabsf(first)));  // 2^126
    asm("mul.sat.f32 %0, %1, 0f7E800000;" : "=f"(other) : "f"(fabsf(second)));
    nonzero_ += one, nonzero_ += other;
    // 1 from kLossless on, below it 0: of |x|·2^14 - 2047, held between 0 and 1.
    asm("{\n.reg .b32 size, is;\nand.b32 size, %2, 0x7FFF7FFF;\nmax.f16x2 %1, %1, size;\n"
        "fma.rn.sat.f16x2 is, size, %3, %4;\nadd.rn.f16x2 %0, %0, is;\n}"
        : "+r"(lossless_), "+r"(largest_)
        : "r"(upper), "r"(0x74007400u), "r"(0xE7FFE7FFu));
  }
  // Before f16 can no longer count, after at most 1024 calls of count().
  __device__ __forceinline__ void carry() {
    all_lossless_ += lossless();
    lossless_ = 0;
  }
  // Of this thread.
  __device__ __forceinline__ Seen seen() const {
    constexpr unsigned kInfinity = 0x7C00;
    const int nonzero = static_cast<int>(nonzero_);
    return {nonzero - static_cast<int>(all_lossless_ + lossless()), nonzero,
            (largest_ & 0xFFFF) >= kInfinity || largest_ >> 16 >= kInfinity};
  }

 private:
  __device__ __forceinline__ float lossless() const {
    float low, high;
    asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\n"
        "cvt.f32.f16 %0, low;\ncvt.f32.f16 %1, high;\n}"
        : "=f"(low), "=f"(high)
        : "r"(lossless_));
    return low + high;
  }
  unsigned lossless_ = 0, largest_ = 0;  // pairs of f16
  float all_lossless_ = 0, nonzero_ = 0;
};

// Two neighbours: their upper halves in one word, their lower ones in another.
struct Pair {
  unsigned upper, lower;
};

// Of x·scale.
__device__ __forceinline__ Pair split(float first, float second) {
  Pair pair;
  float first_upper, second_upper;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair.upper) : "f"(second), "f"(first));
  asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\n"
      "cvt.f32.f16 %0, low;\ncvt.f32.f16 %1, high;\n}"
      : "=f"(first_upper), "=f"(second_upper)
      : "r"(pair.upper));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;"
      : "=r"(pair.lower)
      : "f"(second - second_upper), "f"(first - first_upper));
  return pair;
}

}  // namespace gemm
