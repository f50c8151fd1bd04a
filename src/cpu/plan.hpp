// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a product is to be computed: plain values, chosen from the problem and the machine alone, before
// anything is allocated or written. The same problem gets the same plan for any number of threads.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/caches.hpp"
#include "cpu/engine.hpp"
#include "cpu/kernels/kernels.hpp"

namespace tilewise::cpu {

/// Bytes of the short factor that dot products copy at a time.
constexpr std::int64_t kDotSpanBytes = 2 << 20;

/// The products that a pass of a stream does: so many rows of the long factor are read side by side.
/// Eight rows whose distance is a power of two still fit in one set of a first-level cache. Of short rows there are
/// more, up to the most, so that a pass has something to do; and where lines of them are read, in other cases as well.
constexpr std::int64_t kStreamDepth = 8, kMostStreamDepth = 64;
/// The most rows (or columns) that a stream feeds.
constexpr std::int64_t kMostStreamed = 48;

/// Rows of A that are copied at a time where its columns are contiguous: a cache line's.
constexpr std::int64_t kRowsOfColumns = 16;

enum class Path {
  kScale,    ///< no products: C = beta·C
  kBlocked,  ///< tiles over blocks of k and n (blocked.hpp)
  kTurned,   ///< few columns, A transposed: BA by blocks, then turned (turned.hpp)
  kTurnedTiles,  ///< A transposed, few columns or B as well: BA by tiles that are stored turned (turned.hpp)
  kStream,  ///< very few rows or columns: the long factor's rows stream past (stream.hpp)
  kDot,     ///< few rows or columns, k contiguous in both factors (dot.hpp)
};

struct Plan {
  Path path = Path::kScale;
  std::int64_t kc = 0, nc = 0;  ///< block of k, block of columns
  bool pack_b = false;          ///< B's block is copied into panels; else it is read in place
  bool copy_a = false;  ///< A is copied into panels: as many rows as a tile has, side by side
  /// kStream, kDot: the long factor's vectors come out of memory, each to be asked for before its turn.
  bool fetch_ahead = false;
  bool turned = false;  ///< kStream: few columns, not few rows
  bool by_line =
      false;  ///< kStream: two vectors of each of the long factor's rows, then the next two
  bool side_by_side = false;  ///< kStream: a vector of each of the long factor's rows at a time
  /// A strip of B's columns meets all of A before the next one. With pack_b only a panel of B at a time is
  /// copied.
  bool columns_outside = false;
  /// B's block is small enough for the second-level cache, so that there are many: A's panels are kept for all of them.
  bool small_blocks = false;
  /// C is in a cache, and tiles come along its rows, which a processor foresees: it is not asked for where k is short.
  bool c_is_near = false;
  /// Rows of A, whole panels, that are copied at a time and all meet a panel of B before the next one does; 0: each panel of A
  /// meets all of B's block before the next one.
  std::int64_t group = 0;
  int row_parts = 1, column_parts = 1;  ///< how threads divide C
};

/// Where factors are before a product reads them, as far as it is known.
enum class Factors {
  kNear,  ///< in caches, if they fit: what a product that is alone is planned for
  kFar,   ///< a batch reads others each time
};

/// The plan for one of the products of engine.hpp that are computed in floats. Where the factors are changes no bit.
template <class P>
Plan make_plan(const P& problem, const Caches& caches, int threads,
               Factors factors = Factors::kNear);

std::string to_string(const Plan& plan);

}  // namespace tilewise::cpu
