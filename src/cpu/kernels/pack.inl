// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Packing a block of B whose rows are contiguous: eight rows side by side from left to right, which is
// how memory delivers fastest; what they leave in one panel is contiguous too.

// One panel's piece of kRows rows: `vectors` whole vectors each, the last of them masked.
template <class S, int kRows, int kVectors>
[[gnu::always_inline]] inline void pack_piece(const typename S::Element* from,
                                              std::int64_t from_step, typename S::Element* to) {
  TILEWISE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      S::store(to + (r * kVectors + v) * S::kLanes, S::load(from + r * from_step + v * S::kLanes));
    }
  }
}

template <class S, int kVectors>
void pack_panels(std::int64_t k, std::int64_t panels, const typename S::Element* from,
                 std::int64_t from_step, typename S::Element* to) {
  constexpr int kRows = 8;
  constexpr std::int64_t kWidth = kVectors * S::kLanes;
  const std::int64_t to_step = k * kWidth;
  std::int64_t p = 0;
  for (; p + kRows <= k; p += kRows) {
    const auto* const row = from + p * from_step;
    auto* const target = to + p * kWidth;
    for (std::int64_t j = 0; j < panels; ++j) {
      pack_piece<S, kRows, kVectors>(row + j * kWidth, from_step, target + j * to_step);
    }
  }
  for (; p < k; ++p) {
    for (std::int64_t j = 0; j < panels; ++j) {
      pack_piece<S, 1, kVectors>(from + p * from_step + j * kWidth, 0,
                                 to + p * kWidth + j * to_step);
    }
  }
}

// A panel that the matrix does not fill.
template <class S>
void pack_narrow(std::int64_t k, std::int64_t columns, const typename S::Element* from,
                 std::int64_t from_step, typename S::Element* to, std::int64_t width) {
  for (std::int64_t p = 0; p < k; ++p, from += from_step, to += width) {
    for (std::int64_t j = 0; j < width; j += S::kLanes) {
      const std::int64_t left = columns - j;
      const std::int64_t count = left < 0 ? 0 : left < S::kLanes ? left : S::kLanes;
      S::store(to + j, S::load(from + (left < 0 ? 0 : j), S::first(count)));
    }
  }
}

template <class S>
void pack_rows(std::int64_t k, std::int64_t columns, const typename S::Element* from,
               std::int64_t from_step, typename S::Element* to, std::int64_t width) {
  const std::int64_t panels = columns / width;
  switch (width / S::kLanes) {
    case 1: pack_panels<S, 1>(k, panels, from, from_step, to); break;
    case 2: pack_panels<S, 2>(k, panels, from, from_step, to); break;
    case 3: pack_panels<S, 3>(k, panels, from, from_step, to); break;
    default: pack_panels<S, 4>(k, panels, from, from_step, to); break;
  }
  if (const std::int64_t done = panels * width; done < columns) {
    pack_narrow<S>(k, columns - done, from + done, from_step, to + done * k, width);
  }
}
