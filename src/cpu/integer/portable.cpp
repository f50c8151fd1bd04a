// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 8-bit integers on any processor: vectors of 16 bytes as the compiler understands them. Every x86-64
// has SSE2's multiplication of pairs.
#include <cstdint>
#include <utility>

#include "cpu/integer/tables.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilewise::cpu::integer {
namespace {

#define TILEWISE_UNROLL _Pragma("GCC unroll 8")
#include "cpu/integer/halves.inl"

/// Unsigned lanes: they wrap. A tile of 4 × 2 vectors leaves registers for copies: SSE2 overwrites.
struct Pairs {
  using Vector = std::uint32_t __attribute__((vector_size(16)));
  static constexpr int kLanes = 4, kVectors = 2, kRows = 4;

  static int first(int count) { return count; }
  static Vector zero() { return Vector{}; }
  static Vector all(Word word) { return Vector{word, word, word, word}; }
  static Vector load(const void* from) { return load(from, kLanes); }
  static Vector load(const void* from, int count) {
    Vector v{};
    __builtin_memcpy(&v, from, sizeof(Word) * static_cast<std::size_t>(count));
    return v;
  }
  static void store(void* to, Vector v) { store(to, v, kLanes); }
  static void store(void* to, Vector v, int count) {
    __builtin_memcpy(to, &v, sizeof(Word) * static_cast<std::size_t>(count));
  }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply(Vector a, Vector b) { return a * b; }
#if defined(__SSE2__)
  static Vector dot(Vector sum, Vector a, Vector b) {
    return sum + reinterpret_cast<Vector>(
                     _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
  }
#else
  using Signed = std::int32_t __attribute__((vector_size(16)));
  static Vector one(Vector v) {
    return reinterpret_cast<Vector>(reinterpret_cast<Signed>(v) >> 16);
  }
  static Vector other(Vector v) { return one(v << 16); }
  static Vector dot(Vector sum, Vector a, Vector b) {
    return sum + one(a) * one(b) + other(a) * other(b);
  }
#endif
};

}  // namespace

constexpr Kernel kPortableKernels[3] = TILEWISE_KERNELS_OF_HALVES(Pairs, "portable");

}  // namespace tilewise::cpu::integer
