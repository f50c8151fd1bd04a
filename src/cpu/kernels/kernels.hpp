// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an instruction set brings to the engine: its kernels, as plain functions. The engine never knows
// more of an instruction set than this table; blocking, threads and the choice of a path stand above.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tilewise::cpu {

/// Memory that will be read soon: `segments` of `bytes` each, `stride` bytes apart. It is asked for a few
/// cache lines at a time, because many at once would keep the operands at hand waiting.
struct Fetch {
  const char* at = nullptr;
  std::int64_t bytes = 0, stride = 0, segments = 0;
  int lines = 1;  ///< asked for at a time, every kStepsOfFetch steps of k

  static constexpr std::int64_t kStepsOfFetch = 4;
  /// How many lines at a time bring `all` of them in the first 5/8 of a tile's `k` products.
  static int lines_at_a_time(std::int64_t all, std::int64_t k) {
    return static_cast<int>(all / std::max<std::int64_t>(1, k * 5 / 8 / kStepsOfFetch) + 1);
  }
};

/// One tile of C, at most Kernels::rows_of[vectors] × vectors·lanes, over `k` products:
///   C = alpha·A·B + beta·C
/// The sum of one element runs over ascending k in one accumulator, fused multiply-adds where the
/// instruction set has them, whatever the tile's shape is.
template <class T> struct Tile {
  std::int64_t k = 0;
  const T* a = nullptr;  ///< element (i, p) at a[i·a_step + p] (rows) or a[i + p·a_step] (columns)
  std::int64_t a_step = 0;  ///< of no use in a panel
  const T* b = nullptr;     ///< element (p, j) at b[p·b_step + j]
  std::int64_t b_step = 0;
  T* panel = nullptr;  ///< where the kernels that pack copy B to, vectors·lanes elements a row
  T* c = nullptr;      ///< element (i, j) at c[i·c_step + j]
  std::int64_t c_step = 0;
  T alpha = 1, beta = 0;         ///< beta = 0 does not read C
  std::int64_t last_lanes = 0;   ///< columns of the last vector, 1 .. lanes
  const Fetch* fetch = nullptr;  ///< asked for on the way by what reads A's panels; null: nothing
  bool c_is_near = false;        ///< in the first-level cache: it need not be asked for
  bool a_is_near = false;        ///< the same of rows of A below, where it is read in place
};

/// A tile of dot products: rows of A times rows of Bᵀ, both contiguous along k.
///   C = alpha·A·Bᵀ + beta·C
template <class T> struct DotTile {
  std::int64_t k = 0;
  const T* a = nullptr;  ///< element (i, p) at a[i·a_step + p]
  std::int64_t a_step = 0;
  const T* b = nullptr;  ///< element (p, j) at b[j·b_step + p]
  std::int64_t b_step = 0;
  T* c = nullptr;  ///< element (i, j) at c[i·c_row_step + j·c_column_step]
  std::int64_t c_row_step = 0, c_column_step = 1;
  T alpha = 1, beta = 0;
  /// Where the tile's sums stay between blocks of k, rows·columns vectors; null: there is one block.
  T* sums = nullptr;
  bool is_first = true, is_last = true;  ///< of the blocks of k; C is written after the last
  const T* next =
      nullptr;           ///< the B of later tiles, as this one's, of which the memory is asked for
  int next_columns = 0;  ///< this many columns
};

/// A few rows of C, over as many columns as wanted, and a few products each.
///   C = alpha·A·B + beta·C
template <class T> struct StreamTile {
  std::int64_t k = 0, columns = 0;
  const T* a = nullptr;  ///< element (i, p) at a[p·rows + i]
  const T* b = nullptr;  ///< element (p, j) at b[p·b_step + j]
  std::int64_t b_step = 0;
  const T* next =
      nullptr;  ///< the B of a later tile, as this one's, that memory is asked for; null: nothing
  static constexpr std::int64_t kSideBySide = 8;
  bool side_by_side =
      false;  ///< B's rows are read in step, not one after the other; k is kSideBySide, next not null
  T* c = nullptr;  ///< element (i, j) at c[i·c_step + j]
  std::int64_t c_step = 0;
  T alpha = 1, beta = 0;
};

template <class T> struct Kernels {
  static constexpr int kMostVectors = 4, kMostRows = 14, kMostDotRows = 4, kMostDotColumns = 8;
  static constexpr int kMostStreamRows = 6, kMostLineRows = 12;

  const char* name = "";  ///< of the instruction set
  int lanes = 1;          ///< elements of a vector
  int best_vectors = 1;   ///< width of the tile to prefer
  int most_vectors = 1;   ///< width of the widest tile of more than two rows
  int most_of_two = 1;    ///< width of the widest tile of all
  /// Rows of the largest tile that is so many vectors wide; 0: none.
  int rows_of[kMostVectors + 1] = {};
  using TileFunction = void (*)(const Tile<T>&);
  /// [vectors][rows]: the elements of a row of A are neighbours (as in A, not transposed).
  TileFunction by_rows[kMostVectors + 1][kMostRows + 1] = {};
  /// [vectors][rows]: the elements of a column of A are neighbours.
  TileFunction by_columns[kMostVectors + 1][kMostRows + 1] = {};
  int turned_rows = 0;  ///< of the largest tile of the next kernels; 0: there are none
  /// [vectors][rows], up to turned_rows: as by_rows and by_columns, but the tile is one of C's transpose, whose element
  /// (i, j) is at c[i + j·c_step].
  TileFunction turned_by_rows[kMostVectors + 1][kMostRows + 1] = {};
  TileFunction turned_by_columns[kMostVectors + 1][kMostRows + 1] = {};
  /// Vectors of a tile that reads B in place, of a product of `rows`: the width to prefer, and the largest. One row or two
  /// take the most, as caches give longer pieces of B's rows faster, and so that there are sums enough to hide an FMA's
  /// latency. (Of three rows the widest tile is a fifth slower: why is not known.)
  int best_in_place(std::int64_t rows) const { return rows <= 2 ? most_of_two : best_vectors; }
  int most_in_place(std::int64_t rows) const { return rows <= 2 ? most_of_two : most_vectors; }
  /// Rows of A that stand in a panel: those of the largest tile of the best width.
  int panel_rows() const { return rows_of[best_vectors]; }
  /// [vectors][rows], up to best_vectors and panel_rows: A is in a panel, element (i, p) at a[p·panel_rows + i], and B
  /// in one that is as wide as the tile.
  TileFunction by_panel[kMostVectors + 1][kMostRows + 1] = {};
  /// The same, but B is where it was, and copied into a panel on the way, filled up with 0: then the rows that
  /// follow find it there.
  TileFunction packing_by_panel[kMostVectors + 1][kMostRows + 1] = {};
  /// The same two where A is not copied: element (i, p) at a[i·a_step + p], as by_rows. Null where A is always copied.
  TileFunction rows_by_panel[kMostVectors + 1][kMostRows + 1] = {};
  TileFunction packing_rows_by_panel[kMostVectors + 1][kMostRows + 1] = {};
  bool has_rows_by_panel() const { return rows_by_panel[1][1] != nullptr; }
  /// Copies `rows` <= panel_rows rows of A into a panel: to[p·panel_rows + i] = from[i·step + p] for p < k, filled up
  /// with 0. Less than a vector behind the panel is overwritten.
  void (*copy_into_panel)(std::int64_t k, std::int64_t rows, const T* from, std::int64_t step,
                          T* to) = nullptr;

  int dot_rows = 1, dot_columns = 1;  ///< of the largest tile of dot products
  /// Of a row's widest tile: more columns than the sums of dot_rows rows leave registers for, as memory likes it.
  static constexpr int kLoneDotColumns = 8;
  using DotFunction = void (*)(const DotTile<T>&);
  DotFunction dot[kMostDotRows + 1][kMostDotColumns + 1] = {};  ///< [rows][columns]

  using StreamFunction = void (*)(const StreamTile<T>&);
  int stream_rows = 0;  ///< the most rows of the next kernels; 0: there are none
  /// [rows]: some vectors of one row of B after the other.
  StreamFunction stream[kMostStreamRows + 1] = {};
  int line_rows = 0;  ///< the most rows of the next kernels; 0: there are none
  /// [rows]: two vectors of each row of B, then the next two of each; `next` and `side_by_side` mean nothing.
  StreamFunction stream_lines[kMostLineRows + 1] = {};

  /// to[p·to_step + j] = from[j·from_step + p] for p < k, j < columns; columns up to the next multiple
  /// of lanes are filled with 0.
  void (*transpose)(std::int64_t k, std::int64_t columns, const T* from, std::int64_t from_step,
                    T* to, std::int64_t to_step) = nullptr;
};

/// The tables of the instruction sets. Never null; whether the processor can run one is for
/// instruction_set() to say.
const Kernels<float>* avx512_kernels_f32();
const Kernels<double>* avx512_kernels_f64();
const Kernels<float>* avx2_kernels_f32();
const Kernels<double>* avx2_kernels_f64();
const Kernels<float>* portable_kernels_f32();
const Kernels<double>* portable_kernels_f64();

/// The table of the instruction set in use.
template <class T> const Kernels<T>& kernels();

}  // namespace tilewise::cpu
