// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Transposing a block of B while it is packed, lanes × lanes elements at a time in registers: reading
// runs along the rows of memory, writing along the rows of the panel.

template <class S>
void transpose_block(std::int64_t k, std::int64_t columns, const typename S::Element* from,
                     std::int64_t from_step, typename S::Element* to, std::int64_t to_step) {
  using T = typename S::Element;
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
