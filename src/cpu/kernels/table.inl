// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of one instruction set's kernels: included by the file that compiles them, inside that set's
// namespace, after its vector types and its Limits.

#define TILEWISE_UNROLL _Pragma("GCC unroll 32")
#include "cpu/kernels/dot.inl"
#include "cpu/kernels/panel.inl"
#include "cpu/kernels/stream.inl"
#include "cpu/kernels/tile.inl"
#include "cpu/kernels/transpose.inl"

template <class S, int kVectors, int... kIndex>
constexpr void list_tiles(Kernels<typename S::Element>& table,
                          std::integer_sequence<int, kIndex...>) {
  ((table.by_rows[kVectors][kIndex + 1] = &tile_by_rows<S, kIndex + 1, kVectors>), ...);
  ((table.by_columns[kVectors][kIndex + 1] = &tile_by_columns<S, kIndex + 1, kVectors>), ...);
}

template <class S, int kVectors, int... kIndex>
constexpr void list_tiles_by_panel(Kernels<typename S::Element>& table,
                                   std::integer_sequence<int, kIndex...> rows) {
  ((table.by_panel[kVectors][kIndex + 1] = &tile_by_panel<S, kIndex + 1, kVectors>), ...);
  ((table.packing_by_panel[kVectors][kIndex + 1] = &packing_tile_by_panel<S, kIndex + 1, kVectors>),
   ...);
  if constexpr (Limits::kReadsRowsBesidePanels) {
    ((table.rows_by_panel[kVectors][kIndex + 1] =
          &tile_of_rows_by_panel<false, S, kIndex + 1, kVectors>),
     ...);
    ((table.packing_rows_by_panel[kVectors][kIndex + 1] =
          &tile_of_rows_by_panel<true, S, kIndex + 1, kVectors>),
     ...);
  }
  if constexpr (kVectors < Limits::kBestVectors) list_tiles_by_panel<S, kVectors + 1>(table, rows);
}

template <class S, int kVectors, int... kIndex>
constexpr void list_turned_tiles(Kernels<typename S::Element>& table,
                                 std::integer_sequence<int, kIndex...>) {
  ((table.turned_by_rows[kVectors][kIndex + 1] = &turned_tile_by_rows<S, kIndex + 1, kVectors>),
   ...);
  ((table.turned_by_columns[kVectors][kIndex + 1] =
        &turned_tile_by_columns<S, kIndex + 1, kVectors>),
   ...);
}

// Tiles of kVectors vectors and of more.
template <class S, int kVectors = 1>
constexpr void list_all_tiles(Kernels<typename S::Element>& table) {
  constexpr int kRows = Limits::kTileRows[kVectors];
  if constexpr (kRows > 0) {
    table.rows_of[kVectors] = kRows;
    if (kRows > 2) table.most_vectors = kVectors;
    table.most_of_two = kVectors;
    list_tiles<S, kVectors>(table, std::make_integer_sequence<int, kRows>());
    if constexpr (requires { S::kTurnedRows; }) {
      constexpr int kTurnedRows = std::min(kRows, S::kTurnedRows);
      list_turned_tiles<S, kVectors>(table, std::make_integer_sequence<int, kTurnedRows>());
    }
    if constexpr (kVectors < Kernels<typename S::Element>::kMostVectors) {
      list_all_tiles<S, kVectors + 1>(table);
    }
  }
}

template <class S, int kRows, int... kIndex>
constexpr void list_dots(Kernels<typename S::Element>& table,
                         std::integer_sequence<int, kIndex...> columns) {
  ((table.dot[kRows][kIndex + 1] = &dot_tile<S, kRows, kIndex + 1>), ...);
  if constexpr (kRows < Limits::kDotRows) list_dots<S, kRows + 1>(table, columns);
}

template <class S, int... kIndex>
constexpr void list_lone_dots(Kernels<typename S::Element>& table,
                              std::integer_sequence<int, kIndex...>) {
  ((table.dot[1][kIndex + 1] = &dot_tile<S, 1, kIndex + 1>), ...);
}

template <class S, int... kIndex>
constexpr void list_streams(Kernels<typename S::Element>& table,
                            std::integer_sequence<int, kIndex...>) {
  ((table.stream[kIndex + 1] = &stream_tile<S, kIndex + 1>), ...);
}

template <class S, int... kIndex>
constexpr void list_stream_lines(Kernels<typename S::Element>& table,
                                 std::integer_sequence<int, kIndex...>) {
  ((table.stream_lines[kIndex + 1] = &stream_tile_by_line<S, kIndex + 1>), ...);
}

template <class S> constexpr Kernels<typename S::Element> make_kernels() {
  Kernels<typename S::Element> table;
  table.name = Limits::kName;
  table.lanes = S::kLanes;
  table.best_vectors = Limits::kBestVectors;
  list_all_tiles<S>(table);
  table.copy_into_panel = &copy_into_panel<S>;
  list_tiles_by_panel<S, 1>(table, std::make_integer_sequence<int, kPanelRows>());
  if constexpr (requires { S::kTurnedRows; }) {
    table.turned_rows = S::kTurnedRows;
  }
  table.dot_rows = Limits::kDotRows;
  table.dot_columns = Limits::kDotColumns;
  list_dots<S, 1>(table, std::make_integer_sequence<int, Limits::kDotColumns>());
  list_lone_dots<S>(
      table, std::make_integer_sequence<int, Kernels<typename S::Element>::kLoneDotColumns>());
  table.stream_rows = Limits::kStreamRows;
  list_streams<S>(table, std::make_integer_sequence<int, Limits::kStreamRows>());
  table.line_rows = Limits::kLineRows;
  list_stream_lines<S>(table, std::make_integer_sequence<int, Limits::kLineRows>());
  table.transpose = &transpose_block<S>;
  return table;
}
