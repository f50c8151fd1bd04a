// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The integer tile kernel, for any instruction set: included by the files that compile it for one, inside
// an unnamed namespace, after the vector type S.
//
// Why it is fast: the sums of a tile stay in registers for all of k. A step loads the words of a row of B
// once and one word of each row of A, and adds kDepth products to each of rows × columns sums.
// A narrower tile is another instantiation; the columns that do not fill its last vector are masked.

template <int kCount> struct Table { void (*tiles[kCount])(const TileCall&); };

template <class S, int kRows, int kVectors> void tile_of(const TileCall& call) {
  using V = typename S::Vector;
  constexpr int kPitch = S::kVectors * S::kLanes;
  const auto last = S::first(call.columns - (kVectors - 1) * S::kLanes);

  V sums[kRows][kVectors];
  TILEWISE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const V start = call.start == nullptr ? S::zero() : S::load(call.start + v * S::kLanes);
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) sums[i][v] = start;
  }

  for (int i = 0; i < kRows; ++i) {  // C is wanted when the sums are done
    const std::int32_t* const c = call.c + i * call.c_stride;
    for (int j = 0; j < call.columns; j += 16) __builtin_prefetch(c + j, 1);
  }

  const Word *a = call.a, *b = call.b;
  for (std::int64_t step = 0; step < call.steps; ++step, a += S::kRows, b += kPitch) {
    V row[kVectors];
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) row[v] = S::load(b + v * S::kLanes);
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V element = S::all(a[i]);
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[i][v] = S::dot(sums[i][v], element, row[v]);
      asm volatile(
          "" ::
              : "memory");  // all words of A at once would need more registers than there are
    }
  }

  const V alpha = S::all(static_cast<Word>(call.alpha));
  const V beta = S::all(static_cast<Word>(call.beta));
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    std::int32_t* const c = call.c + i * call.c_stride;
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      V result = S::multiply(alpha, sums[i][v]);
      const bool whole = v + 1 < kVectors;
      std::int32_t* const to = c + v * S::kLanes;
      if (call.beta != 0) {
        const V old = whole ? S::load(to) : S::load(to, last);
        result = S::add(result, S::multiply(beta, old));
      }
      if (whole) {
        S::store(to, result);
      } else {
        S::store(to, result, last);
      }
    }
  }
}

/// Calls the instantiation that fits the tile's rows and columns.
template <class S> void tile(const TileCall& call) {
  static constexpr auto kTiles = []<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    return Table<sizeof...(kIndex)>{
        &tile_of<S, kIndex / S::kVectors + 1, kIndex % S::kVectors + 1>...};
  }
  (std::make_integer_sequence<int, S::kRows * S::kVectors>());
  const int vector = (call.columns - 1) / S::kLanes;
  kTiles.tiles[(call.rows - 1) * S::kVectors + vector](call);
}
