// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copying rows of A into a panel, as the tile kernel reads them: the rows' elements of one k side by side, then
// those of the next. Rows whose distance is a power of two would otherwise drive each other out of the first-level
// cache, and need a pointer for every three of them.

// The tile kernel's rows at its best width: so many elements are there for each k.
constexpr int kPanelRows = Limits::kTileRows[Limits::kBestVectors];

// to[p·kPanelRows + i] = from[i·step + p] for p < k, i < rows; rows from there on are filled with 0. What it writes
// behind the panel is less than a vector.
template <class S>
void copy_into_panel(std::int64_t k, std::int64_t rows, const typename S::Element* from,
                     std::int64_t step, typename S::Element* to) {
  using V = typename S::Vector;
  constexpr int kLanes = S::kLanes;
  // kPanelRows rows of kLanes k, turned: half a square, where two k fit into a vector, or one or more squares of
  // which the last may have empty rows.
  constexpr bool kHalf = 2 * kPanelRows == kLanes;
  constexpr int kGroups = kHalf ? 1 : (kPanelRows + kLanes - 1) / kLanes;
  constexpr int kRowsOfGroup = kHalf ? kPanelRows : kLanes;
  for (std::int64_t p = 0; p < k; p += kLanes, from += kLanes, to += kLanes * kPanelRows) {
    const std::int64_t depth = k - p < kLanes ? k - p : kLanes;
    const auto mask = S::first(depth);
    V turned[kGroups][kRowsOfGroup];
    TILEWISE_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      TILEWISE_UNROLL
      for (int i = 0; i < kRowsOfGroup; ++i) {
        const int row = g * kRowsOfGroup + i;
        V& to_be_turned = turned[g][i];
        if (row >= kPanelRows || row >= rows) to_be_turned = S::zero();
        else if (depth == kLanes) to_be_turned = S::load(from + row * step);
        else to_be_turned = S::load(from + row * step, mask);
      }
      S::transpose(turned[g]);
    }
    if constexpr (kHalf) {
      TILEWISE_UNROLL
      for (int i = 0; i < kPanelRows; ++i)
        if (2 * i < depth) S::store(to + i * kLanes, turned[0][i]);
    } else {
      // In order of k: what a vector has beyond the panel's rows is overwritten by the next.
      TILEWISE_UNROLL
      for (int i = 0; i < kLanes; ++i) {
        TILEWISE_UNROLL
        for (int g = 0; g < kGroups; ++g)
          if (i < depth) S::store(to + i * kPanelRows + g * kLanes, turned[g][i]);
      }
    }
  }
}
