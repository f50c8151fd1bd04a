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
    for (int j = 0; j < kColumns; ++j) column[j] = load(b + j * b_step);
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
  constexpr int kSums = kRows * kColumns, kTogether = 4;
  T totals[(kSums + kTogether - 1) / kTogether * kTogether];
  TILEWISE_UNROLL
  for (int first = 0; first < kSums; first += kTogether) {
    V four[kTogether];
    TILEWISE_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      const int sum = first + i < kSums ? first + i : kSums - 1;
      four[i] = sums[sum / kColumns][sum % kColumns];
    }
    S::add_lanes(four, totals + first);
  }
  TILEWISE_UNROLL
  for (int i = 0; i < kSums; ++i) totals[i] *= tile.alpha;
  TILEWISE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    T* const c = tile.c + i * tile.c_row_step;
    const T* const row = totals + i * kColumns;
    if (tile.beta != 0) {
      for (int j = 0; j < kColumns; ++j)
        c[j * tile.c_column_step] = row[j] + tile.beta * c[j * tile.c_column_step];
    } else if (tile.c_column_step == 1) {
      __builtin_memcpy(c, row, kColumns * sizeof(T));
    } else {
      for (int j = 0; j < kColumns; ++j) c[j * tile.c_column_step] = row[j];
    }
  }
}
