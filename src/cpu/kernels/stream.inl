// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Few rows of A, long rows of B: the product is as slow as B comes out of memory, so B must come in the
// way memory likes best: a few whole rows side by side, from left to right, each element once. The sums
// go back to C after these rows, and C, being short, stays in a cache.
//
// Two ways to read those rows. Some vectors of one row after the other (stream_columns), which leaves most sums for what is
// loaded; or two vectors of each row, then the next two of each (stream_line). With 16 registers the second is up to
// twice as fast out of memory and the third-level cache (measured on a Zen 2); with 32 it is from three
// rows on, where the third level is far (plan_stream.cpp).
//
// The processor foresees a row's next lines, but no page before the first of its lines is read. The first way therefore
// asks for the rows that come next with those that are read, so that there are always pages on the way; the second is
// faster without.

template <class S, int kRows, bool kFull, bool kFetch>
[[gnu::always_inline]] inline void stream_columns(const StreamTile<typename S::Element>& tile,
                                                  std::int64_t j, typename S::Mask last) {
  using T = typename S::Element;
  using V = typename S::Vector;
  constexpr int kVectors = 4;
  V sums[kRows][kVectors];
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[i][v] = S::zero();
  }
  const T *a = tile.a, *b = tile.b + j;
  const int vectors =
      kFull ? kVectors : static_cast<int>((tile.columns - j + S::kLanes - 1) / S::kLanes);
  const std::int64_t ahead = kFetch ? tile.next - tile.b : 0;
  for (std::int64_t p = 0; p < tile.k; ++p, a += kRows, b += tile.b_step) {
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (!kFull && v >= vectors) break;
      if constexpr (kFetch) __builtin_prefetch(b + ahead + v * S::kLanes, 0, 2);
      const V row = !kFull && v + 1 == vectors ? S::load(b + v * S::kLanes, last)
                                               : S::load(b + v * S::kLanes);
      TILEWISE_UNROLL
      for (int i = 0; i < kRows; ++i) sums[i][v] = S::multiply_add(S::all(a[i]), row, sums[i][v]);
    }
  }
  const V alpha = S::all(tile.alpha), beta = S::all(tile.beta);
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    T* const c = tile.c + i * tile.c_step + j;
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (!kFull && v >= vectors) break;
      const bool masked = !kFull && v + 1 == vectors;
      T* const to = c + v * S::kLanes;
      V result = S::multiply(alpha, sums[i][v]);
      if (tile.beta != 0) {
        result = S::multiply_add(beta, masked ? S::load(to, last) : S::load(to), result);
      }
      if (masked) {
        S::store(to, result, last);
      } else {
        S::store(to, result);
      }
    }
  }
}

// The columns that fill vectors, a vector of each row of B at a time: then every load of the loop goes along a row of
// its own, which the processor foresees. Returns how many.
template <class S, int kRows>
[[gnu::always_inline]] inline std::int64_t stream_side_by_side(
    const StreamTile<typename S::Element>& tile) {
  using T = typename S::Element;
  using V = typename S::Vector;
  const V alpha = S::all(tile.alpha), beta = S::all(tile.beta);
  const std::int64_t ahead = tile.next - tile.b;
  std::int64_t j = 0;
  for (; j + S::kLanes <= tile.columns; j += S::kLanes) {
    V sums[kRows];
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) sums[i] = S::zero();
    TILEWISE_UNROLL
    for (int p = 0; p < StreamTile<T>::kSideBySide; ++p) {
      const T* const b = tile.b + p * tile.b_step + j;
      __builtin_prefetch(b + ahead, 0, 2);
      const V row = S::load(b);
      TILEWISE_UNROLL
      for (int i = 0; i < kRows; ++i)
        sums[i] = S::multiply_add(S::all(tile.a[p * kRows + i]), row, sums[i]);
    }
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      T* const to = tile.c + i * tile.c_step + j;
      V result = S::multiply(alpha, sums[i]);
      if (tile.beta != 0) result = S::multiply_add(beta, S::load(to), result);
      S::store(to, result);
    }
  }
  return j;
}

// The same of one row or two, kVectors of each row of B at a time: all elements of A are in vectors beforehand, and with so few
// instructions to a line of B a core waits for more lines at one time. Nothing is asked for in advance, which would take
// their places.
template <class S, int kRows, int kVectors, bool kAddsC, class Result>
[[gnu::always_inline]] inline std::int64_t stream_from_registers(
    const StreamTile<typename S::Element>& tile, Result result) {
  using T = typename S::Element;
  using V = typename S::Vector;
  constexpr int kSide = StreamTile<T>::kSideBySide, kColumns = kVectors * S::kLanes;
  V a[kRows][kSide];
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    TILEWISE_UNROLL
    for (int p = 0; p < kSide; ++p) a[i][p] = S::all(tile.a[p * kRows + i]);
  }
  const std::int64_t columns = tile.columns, b_step = tile.b_step, c_step = tile.c_step;
  const T* const b = tile.b;
  T* const c = tile.c;
  std::int64_t j = 0;
  for (; j + kColumns <= columns; j += kColumns) {
    V sums[kRows][kVectors];
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[i][v] = S::zero();
    }
    TILEWISE_UNROLL
    for (int p = 0; p < kSide; ++p) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const V row = S::load(b + p * b_step + j + v * S::kLanes);
        TILEWISE_UNROLL
        for (int i = 0; i < kRows; ++i) sums[i][v] = S::multiply_add(a[i][p], row, sums[i][v]);
      }
    }
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        T* const to = c + i * c_step + j + v * S::kLanes;
        S::store(to, result(sums[i][v], kAddsC ? S::load(to) : S::zero()));
      }
    }
  }
  return j;
}

template <class S, int kRows, int kVectors>
[[gnu::always_inline]] inline std::int64_t stream_from_registers(
    const StreamTile<typename S::Element>& tile) {
  using V = typename S::Vector;
  const V alpha = S::all(tile.alpha), beta = S::all(tile.beta);
  if (tile.alpha == 1 && tile.beta == 1) {
    return stream_from_registers<S, kRows, kVectors, true>(
        tile, [](V sum, V c) { return S::add(sum, c); });
  }
  if (tile.beta == 0) {
    return stream_from_registers<S, kRows, kVectors, false>(
        tile, [alpha](V sum, V) { return S::multiply(alpha, sum); });
  }
  return stream_from_registers<S, kRows, kVectors, true>(
      tile, [=](V sum, V c) { return S::multiply_add(beta, c, S::multiply(alpha, sum)); });
}

template <class S, int kRows, bool kFetch>
[[gnu::always_inline]] inline void stream_rows(const StreamTile<typename S::Element>& tile) {
  constexpr std::int64_t kColumns = 4 * S::kLanes;
  std::int64_t j = 0;
  if constexpr (kFetch) {
    constexpr bool kFitsRegisters = kRows <= 2;  // three gain as often as they lose
    if (tile.side_by_side) {
      if constexpr (kFitsRegisters) j = stream_from_registers<S, kRows, 1>(tile);
      else j = stream_side_by_side<S, kRows>(tile);
    }
  }
  for (; j + kColumns <= tile.columns; j += kColumns)
    stream_columns<S, kRows, true, kFetch>(tile, j, S::first(0));
  if (j < tile.columns) {
    const std::int64_t over = (tile.columns - j) % S::kLanes;
    stream_columns<S, kRows, false, kFetch>(tile, j, S::first(over == 0 ? S::kLanes : over));
  }
}

// Two vectors of each row of a pass, from column j on, or what there is of them. Their lines after the next of each row are asked
// for: a core looks ahead over the FMAs of a dozen of them, and here they are many. kOnePass: of kSideBySide rows, without a
// loop.
template <class S, int kRows, bool kFull, bool kAddsC, bool kOnePass = false>
[[gnu::always_inline]] inline void stream_line(const StreamTile<typename S::Element>& tile,
                                               std::int64_t j, int vectors, typename S::Mask last) {
  using T = typename S::Element;
  using V = typename S::Vector;
  constexpr int kVectors = 2, kSteps = StreamTile<T>::kSideBySide;
  constexpr int kToLine = std::max(1, 64 / static_cast<int>(S::kLanes * sizeof(T)));
  V sums[kRows][kVectors];
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) S::clear(sums[i][v]);
  }
  const std::int64_t step = tile.b_step, depth = tile.k;
  const T *a = tile.a, *b = tile.b + j;
  const auto multiply = [&]() __attribute__((always_inline)) {
    if constexpr (kFull && kRows > 2) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; v += kToLine)
        __builtin_prefetch(b + (2 * kVectors + v) * S::kLanes, 0, 2);
    }
    V row[kVectors];
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      row[v] = kFull || v + 1 < vectors ? S::load(b + v * S::kLanes)
               : v + 1 == vectors       ? S::load(b + v * S::kLanes, last)
                                        : S::zero();
    }
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V element = S::all(a[i]);
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) S::accumulate(sums[i][v], element, row[v]);
    }
    a += kRows;
    b += step;
  };
  if constexpr (kOnePass) {
    TILEWISE_UNROLL
    for (int u = 0; u < kSteps; ++u) multiply();
  } else {
    std::int64_t p = 0;
    for (; p + kSteps <= depth; p += kSteps) {
      TILEWISE_UNROLL
      for (int u = 0; u < kSteps; ++u) multiply();
    }
    for (; p < depth; ++p) multiply();
  }
  const V alpha = S::all(tile.alpha), beta = S::all(tile.beta);
  T* c = tile.c + j;
  const std::int64_t c_step = tile.c_step;
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i, c += c_step) {
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (!kFull && v >= vectors) break;
      const bool masked = !kFull && v + 1 == vectors;
      T* const to = c + v * S::kLanes;
      V result = S::multiply(alpha, sums[i][v]);
      if (kAddsC) result = S::multiply_add(beta, masked ? S::load(to, last) : S::load(to), result);
      if (masked) S::store(to, result, last);
      else S::store(to, result);
    }
  }
}

// The columns from j on.
template <class S, int kRows, bool kAddsC>
[[gnu::always_inline]] inline void stream_lines(const StreamTile<typename S::Element>& tile,
                                                std::int64_t j) {
  constexpr std::int64_t kColumns = 2 * S::kLanes;
  if constexpr (kRows > 2) {
    if (tile.k == StreamTile<typename S::Element>::kSideBySide) {
      for (; j + kColumns <= tile.columns; j += kColumns)
        stream_line<S, kRows, true, kAddsC, true>(tile, j, 2, S::first(0));
    }
  }
  for (; j + kColumns <= tile.columns; j += kColumns)
    stream_line<S, kRows, true, kAddsC>(tile, j, 2, S::first(0));
  if (j == tile.columns) return;
  const std::int64_t left = tile.columns - j, over = left % S::kLanes;
  stream_line<S, kRows, false, kAddsC>(tile, j, left > S::kLanes ? 2 : 1,
                                       S::first(over == 0 ? S::kLanes : over));
}

template <class S, int kRows>
[[gnu::always_inline]] inline void stream_lines(const StreamTile<typename S::Element>& tile,
                                                std::int64_t j) {
  if (tile.beta != 0) stream_lines<S, kRows, true>(tile, j);
  else stream_lines<S, kRows, false>(tile, j);
}

// One row or two take the rows of B in several passes, the columns that do not fill a line as well, so that no bit depends on where
// C is divided.
template <class S, int kRows> void stream_tile_of_few(const StreamTile<typename S::Element>& tile) {
  constexpr std::int64_t kSide = StreamTile<typename S::Element>::kSideBySide;
  const std::int64_t whole = tile.columns / (2 * S::kLanes) * (2 * S::kLanes);
  StreamTile<typename S::Element> pass = tile;
  std::int64_t left = tile.k;
  for (; left >= kSide; left -= kSide) {
    pass.k = kSide;
    pass.columns = whole;
    stream_from_registers<S, kRows, 2>(pass);
    pass.columns = tile.columns;
    if (whole < tile.columns) stream_lines<S, kRows>(pass, whole);
    pass.a += kSide * kRows;
    pass.b += kSide * tile.b_step;
    pass.beta = 1;
  }
  pass.k = left;
  if (left > 0) stream_lines<S, kRows>(pass, 0);
}

template <class S, int kRows> void stream_tile(const StreamTile<typename S::Element>& tile) {
  if (tile.next != nullptr) stream_rows<S, kRows, true>(tile);
  else stream_rows<S, kRows, false>(tile);
}

template <class S, int kRows>
void stream_tile_by_line(const StreamTile<typename S::Element>& tile) {
  if constexpr (kRows <= 2) stream_tile_of_few<S, kRows>(tile);
  else stream_lines<S, kRows>(tile, 0);
}
