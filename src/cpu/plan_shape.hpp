// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the choice of a plan looks at, for the files that choose.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/caches.hpp"
#include "cpu/plan.hpp"

namespace tilewise::cpu {

constexpr std::uint64_t kPage = 4096;  // bytes

/// A product, and the kernels of the instruction set in use.
struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t element = 4;  // bytes, in the type that is computed in
  bool widens = false;       // the factors are narrower
  bool a_by_rows = true;     // A's neighbours lie along k
  bool b_by_rows = true;     // B's neighbours lie along n
  bool a_straddles = false;  // vectors of A, where it is, lie across two cache lines
  bool b_straddles = false;  // the same of B
  std::uint64_t a_step = 0,
                b_step = 0;  // bytes from a row of A, or column, to the next one; the same of B
  bool is_far = false;       // A and B are, as those of a batch
  bool has_turned_tiles = false;   // kernels that store a tile turned
  bool has_rows_by_panel = false;  // kernels that read rows of A beside a panel of B
  std::int64_t lanes = 1, tile_rows = 1, tile_columns = 1, widest_tile = 1;
  std::int64_t stream_rows = 1;       // that a kernel takes at a time
  std::int64_t line_rows = 0;         // the same of kernels by line; 0: there are none
  bool streams_only_by_line = false;  // there are no other ones

  // Lines of A, or of B, begin whole pages apart, and meet in a cache set.
  bool a_is_paged() const { return a_step % kPage == 0; }
  bool b_is_paged() const { return b_step % kPage == 0; }
  double products() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

constexpr std::int64_t kLongVector = 64;  // bytes

/// As large as not to ask for copies of what the second-level cache holds.
inline bool has_large_l1(const Caches& caches) { return caches.l1 >= 48 << 10; }

/// Whether a core would wait for B out of the third-level cache, near as that is. Zen 5 multiplies twice as fast as
/// Zen 4, on 16 bytes of B a cycle, and has 48 KiB of first-level cache where Zen 4 has 32.
inline bool outruns_l3(const Caches& caches) { return caches.l3_is_near && has_large_l1(caches); }

/// Whether the long factor is larger than what caches keep of it.
inline bool is_from_memory(const Shape& s, const Caches& caches) {
  return s.k * std::max(s.m, s.n) * s.element > std::max(2 * caches.l2, caches.l3 / 2);
}

/// Whether memory is asked for pages before they are read (stream.inl). Measured where the third level is near, and not with
/// AVX2: on a Zen 2 one row or two are a tenth faster without.
inline bool fetches_ahead(const Shape& s, const Caches& caches) {
  return caches.l3_is_near && !s.streams_only_by_line && (s.is_far || is_from_memory(s, caches));
}

/// All rows of A in few tiles, and all of B near: tiles read B once, as a stream does, and keep their sums over all of k. A
/// second tile finds it in a cache, but not where rows of B meet in one set.
inline bool has_few_rows_near(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kMostTiles = 3;
  if (s.widens || !s.b_by_rows || s.m < 2) return false;
  if (s.m > (s.b_is_paged() ? 1 : kMostTiles) * s.tile_rows) return false;
  const bool streams_sooner = s.lanes * s.element < kLongVector && (s.m == 2 || s.b_is_paged());
  const std::int64_t near =
      caches.l3_is_near ? (streams_sooner ? 1 : 4) * caches.l2 : caches.l2 * 5 / 8;
  return s.k * s.n * s.element <= near;
}

/// Streams (plan_stream.cpp): whether one is the plan, and what it is then.
bool wants_stream(const Shape& shape, const Caches& caches);
void plan_stream(const Shape& shape, const Caches& caches, Plan& plan);
/// Columns of a transposed A, at most, that a stream of it is ahead for.
std::int64_t most_columns_streamed(const Shape& shape, const Caches& caches);

}  // namespace tilewise::cpu
