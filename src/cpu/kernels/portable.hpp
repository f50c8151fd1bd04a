// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The portable set: 16-byte vectors as the compiler offers them everywhere (SSE2, NEON, …), products and
// sums rounded separately, masks by element. No processor is too old for it.
#pragma once

#include <cstdint>
#include <utility>

namespace tilewise::cpu::portable {

/// The largest kernels that the registers hold.
struct Limits {
  static constexpr const char* kName = "portable";
  static constexpr int kBestVectors = 2, kTileRows[] = {0, 8, 4, 0, 0};  // [vectors]
  static constexpr int kDotRows = 2, kDotColumns = 4, kStreamRows = 3, kLineRows = 0;
  static constexpr bool kReadsRowsBesidePanels = false;
};

template <class T> struct Lanes16 {
  using Element = T;
  static constexpr int kLanes = 16 / static_cast<int>(sizeof(T));
  static constexpr int kRegisters = 16;
  using Vector [[gnu::vector_size(16)]] = T;
  using Unaligned [[gnu::vector_size(16), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
  using Mask = std::int64_t;  ///< the number of lanes

  static Mask first(std::int64_t count) { return count; }
  static Vector zero() { return Vector{}; }
  static Vector all(T value) { return Vector{} + value; }
  static Vector load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static Vector load(const T* from, Mask count) {
    if (count == kLanes) return load(from);
    Vector v = {};
    for (std::int64_t i = 0; i < count; ++i) v[i] = from[i];
    return v;
  }
  static void store(T* to, Vector v) { *reinterpret_cast<Unaligned*>(to) = v; }
  static void store(T* to, Vector v, Mask count) {
    if (count == kLanes) return store(to, v);
    for (std::int64_t i = 0; i < count; ++i) to[i] = v[i];
  }
  static Vector multiply(Vector a, Vector b) { return a * b; }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
  static void accumulate(Vector& sum, Vector a, Vector b) { sum = multiply_add(a, b, sum); }
  static void clear(Vector& v) { v = zero(); }
  static void settle(Vector&) {}
  /// totals[i] = the sum of v[i]'s lanes.
  struct Four {
    T elements[4];
  };
  static Four load_some(const T* from, int count) {
    Four four = {};
    for (int i = 0; i < count; ++i) four.elements[i] = from[i];
    return four;
  }
  static void store_some(T* to, const Four& four, int count) {
    for (int i = 0; i < count; ++i) to[i] = four.elements[i];
  }
  static Four add_lanes(const Vector (&v)[4], T alpha) {
    Four four;
    for (int i = 0; i < 4; ++i) {
      T sum = v[i][0];
      for (int lane = 1; lane < kLanes; ++lane) sum += v[i][lane];
      four.elements[i] = alpha * sum;
    }
    return four;
  }
  static void transpose(Four (&rows)[4]) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < i; ++j) std::swap(rows[i].elements[j], rows[j].elements[i]);
    }
  }
  static void transpose(Vector (&rows)[kLanes]) {
    for (int i = 0; i < kLanes; ++i) {
      for (int j = 0; j < i; ++j) {
        const T kept = rows[i][j];
        rows[i][j] = rows[j][i];
        rows[j][i] = kept;
      }
    }
  }
};

using F32 = Lanes16<float>;
using F64 = Lanes16<double>;

}  // namespace tilewise::cpu::portable
