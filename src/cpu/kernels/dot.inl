// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of dot products, for a factor whose elements along k are neighbours on both sides: no packing,
// no transposing, the operands stream past once. Each step of k/lanes loads rows + columns vectors for
// rows·columns FMAs; the sums of lanes are added up at the end.

template <class S, int kRows, int kColumns>
void dot_tile(const DotTile<typename S::Element>& tile) {
  using T = typename S::Element;
  using V = typename S::Vector;
  V sums[kRows][kColumns];
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    TILEWISE_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      sums[i][j] = tile.is_first ? S::zero() : S::load(tile.sums + (i * kColumns + j) * S::kLanes);
    }
  }
  const std::int64_t a_step = tile.a_step, b_step = tile.b_step;
  const T *a = tile.a, *b = tile.b;
  const auto step = [&](auto load) __attribute__((always_inline)) {
    V column[kColumns];
    TILEWISE_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      column[j] = load(b + j * b_step);
      // Or the compiler has every row load it again, as it must where registers are too few. (Four rows do not gain.)
      constexpr bool kHasRegisters = kRows * kColumns + kColumns < S::kRegisters;
      if constexpr (kHasRegisters && (kRows == 2 || kRows == 3)) S::settle(column[j]);
    }
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V row = load(a + i * a_step);
      TILEWISE_UNROLL
      for (int j = 0; j < kColumns; ++j) sums[i][j] = S::multiply_add(row, column[j], sums[i][j]);
    }
    a += S::kLanes;
    b += S::kLanes;
  };
  const std::int64_t whole = tile.k / S::kLanes;
  const T* next = tile.next;
  if (const int fetched = tile.next_columns; fetched == kColumns) {
    // No loop here: its own instructions would cost as much as asking gains, an eighth.
    for (std::int64_t p = 0; p < whole; ++p, next += S::kLanes) {
      TILEWISE_UNROLL
      for (int j = 0; j < kColumns; ++j) __builtin_prefetch(next + j * b_step, 0, 2);
      step([](const T* from) { return S::load(from); });
    }
  } else if (fetched != 0) {
    for (std::int64_t p = 0; p < whole; ++p, next += S::kLanes) {
      for (int j = 0; j < fetched; ++j) __builtin_prefetch(next + j * b_step, 0, 2);
      step([](const T* from) { return S::load(from); });
    }
  } else {
    for (std::int64_t p = 0; p < whole; ++p) step([](const T* from) { return S::load(from); });
  }
  if (const std::int64_t rest = tile.k - whole * S::kLanes; rest != 0) {
    const typename S::Mask mask = S::first(rest);
    step([mask](const T* from) { return S::load(from, mask); });
  }
  if (!tile.is_last) {
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        S::store(tile.sums + (i * kColumns + j) * S::kLanes, sums[i][j]);
      }
    }
    return;
  }
  // Four sums at a time, the last ones again and again where they are fewer: an element's bits must not depend on its
  // place in a tile.
  constexpr int kSums = kRows * kColumns, kTogether = 4,
                kGroups = (kSums + kTogether - 1) / kTogether;
  typename S::Four totals[kGroups];
  TILEWISE_UNROLL
  for (int g = 0; g < kGroups; ++g) {
    V four[kTogether];
    TILEWISE_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      const int sum = std::min(g * kTogether + i, kSums - 1);
      four[i] = sums[sum / kColumns][sum % kColumns];
    }
    totals[g] = S::add_lanes(four, tile.alpha);
  }
  const std::int64_t row_step = tile.c_row_step, column_step = tile.c_column_step;
  const T beta = tile.beta;
  T* row = tile.c;
  if (kRows == 1 && beta == 0 && column_step == 1) {
    TILEWISE_UNROLL
    for (int g = 0; g < kGroups; ++g)
      S::store_some(row + g * kTogether, totals[g], std::min(kTogether, kSums - g * kTogether));
    return;
  }
  // Then read one by one, which the compiler must not change: a vector across two of those just stored would wait until
  // both have reached the cache.
  T stored[kGroups * kTogether];
  TILEWISE_UNROLL
  for (int g = 0; g < kGroups; ++g) S::store_some(stored + g * kTogether, totals[g], kTogether);
  const volatile T* total = stored;
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i, row += row_step) {
    T* c = row;
    if (beta == 0) {
      TILEWISE_UNROLL
      for (int j = 0; j < kColumns; ++j, c += column_step) *c = *total++;
    } else {
      TILEWISE_UNROLL
      for (int j = 0; j < kColumns; ++j, c += column_step) *c = *total++ + beta * *c;
    }
  }
}
