// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile kernel, for any instruction set: included by the files that compile it for one, inside that
// set's namespace, after its vector types.
//
// Why it is fast: a tile of rows × vectors accumulators stays in registers for the whole sum. Each step
// of k loads `vectors` vectors of B and one element of each row of A (broadcast), and does
// rows·vectors fused multiply-adds with them: at 8×3, 11 loads for 24 FMAs, which the load ports keep up
// with, and 24 independent sums, which hide the FMA's latency.
// Edges: a narrower tile is another instantiation; the columns that do not fill the last vector are
// masked, so nothing is copied and nothing beyond the matrices is touched.

template <class S, int kRows, int kVectors> struct TileSum {
  using T = typename S::Element;
  using V = typename S::Vector;

  V sums[kRows][kVectors];

  [[gnu::always_inline]] inline void clear() {
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[i][v] = S::zero();
    }
  }

  // One step of k: `element(i)` is where row i's element of A is.
  template <class Where>
  [[gnu::always_inline]] inline void step(Where element, const T* b, typename S::Mask last) {
    V row[kVectors];
    TILEWISE_UNROLL
    for (int v = 0; v + 1 < kVectors; ++v) row[v] = S::load(b + v * S::kLanes);
    row[kVectors - 1] = S::load(b + (kVectors - 1) * S::kLanes, last);
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V a = S::all(*element(i));
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[i][v] = S::multiply_add(a, row[v], sums[i][v]);
    }
  }

  // C = alpha·sums + beta·C.
  [[gnu::always_inline]] inline void put(const Tile<T>& tile, typename S::Mask last) {
    // What follows must not move into the loop before it.
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) S::settle(sums[i][v]);
    }
    if (tile.beta == 0) {
      put<false>(tile.c, tile.c_step, S::all(tile.alpha), S::zero(), last);
    } else {
      put<true>(tile.c, tile.c_step, S::all(tile.alpha), S::all(tile.beta), last);
    }
  }

  template <bool kAdds>
  [[gnu::always_inline]] inline void put(T* c, std::int64_t c_step, V alpha, V beta,
                                         typename S::Mask last) {
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i, c += c_step) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const bool is_last = v + 1 == kVectors;
        T* const to = c + v * S::kLanes;
        V result = S::multiply(alpha, sums[i][v]);
        if (kAdds) {
          result = S::multiply_add(beta, is_last ? S::load(to, last) : S::load(to), result);
        }
        if (is_last) {
          S::store(to, result, last);
        } else {
          S::store(to, result);
        }
      }
    }
  }
};

// C's tile is needed at the end of the sum: asked for so many steps before, it has arrived by then, and
// A and B have not yet driven it out of the first-level cache again.
constexpr std::int64_t kStepsAfterAskingForC = 64;

// Steps of k an iteration.
constexpr int kUnroll = 4;

template <class S, int kRows, int kVectors, class T>
[[gnu::always_inline]] inline void ask_for_c(const Tile<T>& tile) {
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    const T* const c = tile.c + i * tile.c_step;
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) __builtin_prefetch(c + v * S::kLanes, 1);
    __builtin_prefetch(c + kVectors * S::kLanes - 1, 1);
  }
}

// Where the elements of a column of A are when its rows are `step` apart: x86 addresses reach three rows
// from one pointer (base, base + step, base + 2·step), so a third as many pointers move along.
template <class T, int kRows> class Rows {
 public:
  Rows(const T* a, std::int64_t step) : step_(step) {
    TILEWISE_UNROLL
    for (int g = 0; g < kPointers; ++g) {
      pointers_[g] = a + 3 * g * step;
      asm(""
          : "+r"(pointers_[g]));  // or the compiler computes them from one another again, each time
    }
  }
  [[gnu::always_inline]] inline const T* at(int row, int ahead) const {
    return pointers_[row / 3] + (row % 3) * step_ + ahead;
  }
  [[gnu::always_inline]] inline void advance(int steps) {
    TILEWISE_UNROLL
    for (int g = 0; g < kPointers; ++g) pointers_[g] += steps;
  }

 private:
  static constexpr int kPointers = (kRows + 2) / 3;
  const T* pointers_[kPointers];
  const std::int64_t step_;
};

template <class S, int kRows, int kVectors>
void tile_by_rows(const Tile<typename S::Element>& tile) {
  using T = typename S::Element;
  TileSum<S, kRows, kVectors> sum;
  const typename S::Mask last = S::first(tile.last_lanes);
  const std::int64_t b_step = tile.b_step;
  Rows<T, kRows> rows(tile.a, tile.a_step);
  const T* b = tile.b;
  sum.clear();
  const auto step = [&](int ahead) __attribute__((always_inline)) {
    sum.step(
        [&](int i) __attribute__((always_inline)) { return rows.at(i, ahead); }, b, last);
    b += b_step;
  };
  std::int64_t left = tile.k;
  if (const char* segment = tile.fetch; segment != nullptr) {
    ask_for_c<S, kRows, kVectors>(tile);
    for (; left > 0; segment += tile.fetch_stride) {
      const char* line = segment;
      std::int64_t steps = left < tile.fetch_steps ? left : tile.fetch_steps;
      left -= steps;
      for (; steps > 0; --steps, line += 128) {
        __builtin_prefetch(line, 0, 2);
        __builtin_prefetch(line + 64, 0, 2);
        step(0);
        rows.advance(1);
      }
    }
  } else {
    std::int64_t until = left > kStepsAfterAskingForC ? kStepsAfterAskingForC : left;
    for (;; until = 0) {
      for (; left >= until + kUnroll; left -= kUnroll) {
        TILEWISE_UNROLL
        for (int u = 0; u < kUnroll; ++u) step(u);
        rows.advance(kUnroll);
      }
      if (until == 0) break;
      ask_for_c<S, kRows, kVectors>(tile);
    }
    for (; left > 0; --left) {
      step(0);
      rows.advance(1);
    }
  }
  sum.put(tile, last);
}

template <class S, int kRows, int kVectors>
void tile_by_columns(const Tile<typename S::Element>& tile) {
  using T = typename S::Element;
  TileSum<S, kRows, kVectors> sum;
  const typename S::Mask last = S::first(tile.last_lanes);
  const std::int64_t a_step = tile.a_step, b_step = tile.b_step;
  const T *a = tile.a, *b = tile.b;
  sum.clear();
  const auto step = [&]() __attribute__((always_inline)) {
    sum.step(
        [a](int i) __attribute__((always_inline)) { return a + i; }, b, last);
    a += a_step;
    b += b_step;
  };
  std::int64_t left = tile.k;
  std::int64_t until = left > kStepsAfterAskingForC ? kStepsAfterAskingForC : left;
  for (;; until = 0) {
    for (; left >= until + kUnroll; left -= kUnroll) {
      TILEWISE_UNROLL
      for (int u = 0; u < kUnroll; ++u) step();
    }
    if (until == 0) break;
    ask_for_c<S, kRows, kVectors>(tile);
  }
  for (; left > 0; --left) step();
  sum.put(tile, last);
}

template <class S, int kVectors, int... kIndex>
constexpr void list_tiles(Kernels<typename S::Element>& kernels,
                          std::integer_sequence<int, kIndex...>) {
  kernels.rows_of[kVectors] = sizeof...(kIndex);
  if (kVectors > kernels.most_vectors) kernels.most_vectors = kVectors;
  ((kernels.by_rows[kVectors][kIndex + 1] = &tile_by_rows<S, kIndex + 1, kVectors>), ...);
  ((kernels.by_columns[kVectors][kIndex + 1] = &tile_by_columns<S, kIndex + 1, kVectors>), ...);
}
