// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Transposing a block of B while it is packed, lanes × lanes elements at a time in registers: reading
// runs along the rows of memory, writing along the rows of the panel.

// Two to four elements of each row.
template <class S, int kDepth>
void transpose_few(std::int64_t columns, const typename S::Element* from, std::int64_t from_step,
                   typename S::Element* to, std::int64_t to_step) {
  constexpr std::int64_t kFour = 4;
  for (std::int64_t j = 0; j < columns; j += kFour, from += kFour * from_step) {
    typename S::Four rows[kFour];
    TILEWISE_UNROLL
    for (int i = 0; i < kFour; ++i)
      rows[i] = S::load_some(from + i * from_step, j + i < columns ? kDepth : 0);
    S::transpose(rows);
    TILEWISE_UNROLL
    for (int p = 0; p < kDepth; ++p) S::store_some(to + p * to_step + j, rows[p], kFour);
  }
  for (std::int64_t j = (columns + kFour - 1) / kFour * kFour; j % S::kLanes != 0; ++j) {
    for (int p = 0; p < kDepth; ++p) to[p * to_step + j] = 0;
  }
}

template <class S>
void transpose_block(std::int64_t k, std::int64_t columns, const typename S::Element* from,
                     std::int64_t from_step, typename S::Element* to, std::int64_t to_step) {
  using T = typename S::Element;
  if (k == 2) return transpose_few<S, 2>(columns, from, from_step, to, to_step);
  if (k == 3) return transpose_few<S, 3>(columns, from, from_step, to, to_step);
  if (k == 4) return transpose_few<S, 4>(columns, from, from_step, to, to_step);
  constexpr int kLanes = S::kLanes;
  for (std::int64_t j = 0; j < columns; j += kLanes) {
    const std::int64_t width = columns - j < kLanes ? columns - j : kLanes;
    for (std::int64_t p = 0; p < k; p += kLanes) {
      const std::int64_t depth = k - p < kLanes ? k - p : kLanes;
      const T* const corner = from + j * from_step + p;
      T* const target = to + p * to_step + j;
      typename S::Vector rows[kLanes];
      if (width == kLanes && depth == kLanes) {
        TILEWISE_UNROLL
        for (int i = 0; i < kLanes; ++i) rows[i] = S::load(corner + i * from_step);
        S::transpose(rows);
        TILEWISE_UNROLL
        for (int i = 0; i < kLanes; ++i) S::store(target + i * to_step, rows[i]);
      } else {
        const typename S::Mask mask = S::first(depth);
        TILEWISE_UNROLL
        for (int i = 0; i < kLanes; ++i) {
          rows[i] = i < width ? S::load(corner + i * from_step, mask) : S::zero();
        }
        S::transpose(rows);
        TILEWISE_UNROLL
        for (int i = 0; i < kLanes; ++i) {
          if (i < depth) S::store(target + i * to_step, rows[i]);
        }
      }
    }
  }
}
