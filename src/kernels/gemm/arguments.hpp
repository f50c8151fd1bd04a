// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library's GPU kernels are told: one plain value, the same for host and device.
//
// C is in row-major order (a column-major C is the row-major Cᵀ = Bᵀ·Aᵀ). A kernel's catalogue entry says
// which order of A and B it reads: *along k*, where the elements of a row of A or of a column of B are
// neighbours in memory, or across it.
#pragma once

#include <array>

namespace tilewise::kernels {

/// alpha or beta: the value itself, or where it stands in device memory (f64 for f64 products, else f32).
struct GemmScalar {
  double value;
  const void* address;  ///< null: `value` counts
};

/// A or B. Element (x, l), x a row of A or a column of B and l along k, is element
/// x·leading_dimension + l of the memory where k is contiguous, else l·leading_dimension + x.
struct GemmFactor {
  const void* address;
  long long leading_dimension;  ///< elements
  long long stride;             ///< elements from one matrix of a batch to the next
  const void* const*
      pointers;  ///< one a matrix of the batch, in device memory; null: the stride counts
};

/// C, as GemmFactor: element (i, j) is element i·leading_dimension + j. Or where parts of k are left, times alpha, each a
/// matrix of C's shape.
struct GemmResult {
  void* address;
  long long leading_dimension;
  long long stride;
  void* const* pointers;
  long long
      part_stride;  ///< elements from one part of k to the next; 0 where all are added up to C
};

/// How the sum over k is divided among blocks. Part p computes k from p·k_each on, and either
///   the parts are the blocks of a cluster, which add up what lies in their shared memory; or
///   C is where parts are left (GemmResult::part_stride), and another kernel adds them up (parts.cu); or
///   of strips, all are left in `partials` as registers have them, and another kernel adds them up.
/// Or, of persistent kernels, the steps of kBK k of the first `streamed` tiles (clusters of tiles) are dealt out
/// evenly among all blocks (units.cuh): these leave their sums of a tile in `partials`, and the last to arrive adds
/// them up, in the order of k.
struct GemmSplit {
  int parts;         ///< 1: undivided, or streamed
  long long k_each;  ///< a multiple of the kernel's BK
  /// f32 (f64 for f64): of strips [batch][tile][part][BM·BN], streamed [block][2][BM·BN]
  void* partials;
  unsigned* arrivals;  ///< streamed: [tile], all 0 before the launch and after it
  long long streamed;
};

/// A number that kernels divide by (units.cuh): x / divisor is x·multiplier / 2^shift for x below 2^31.
struct GemmDivisor {
  unsigned divisor = 1, multiplier = 1, shift = 0;
};

/// `divisor`: 1 to 2^31.
constexpr GemmDivisor divide_by(unsigned divisor) {
  unsigned bits = 0;  // 2^bits is the first power of two that is not smaller
  while (1ull << bits < divisor) ++bits;
  const unsigned long long power = 1ull << (31 + bits);
  // At most 1 / 2^31 too large, so that no whole number below 2^31 gets into the next quotient.
  return {divisor, static_cast<unsigned>((power + divisor - 1) / divisor), 31 + bits};
}

/// How many tiles, one below the other and side by side, the blocks of a cluster compute. Neighbours below share
/// columns of B, those beside rows of A: what several read one of them fetches for all.
struct TileCluster {
  unsigned short down = 1, across = 1;

  constexpr int blocks() const { return down * across; }
  friend constexpr bool operator==(const TileCluster&, const TileCluster&) = default;
};

/// What a block of a persistent kernel begins with, where that takes fewer instructions to work out than any unit does.
enum class FirstUnit : short {
  kAny,
  kTile,           ///< the units are the tiles of one matrix
  kPart,           ///< or parts of their sums
  kPartOfCluster,  ///< and all parts of a tile are one cluster
};

/// The tiles of C, for persistent kernels, and how they are numbered: all in a band of some columns of tiles, then in the
/// next band; of a band, in groups of some rows; of a group, downwards, then across. What is counted are clusters of tiles.
struct GemmTiles {
  TileCluster cluster;  ///< for kernels that take any
  FirstUnit first_unit;
  /// Where rounds are kept (GemmRounds): the steps of a unit that its block has not yet asked for when it says that it has. So
  /// nobody who is so much behind or less holds up others. Else 0.
  short round_slack;
  /// Of work, below 2^31: tiles, times parts (or clusters of these) and matrices. Of outer.cuh, rounds of a block.
  unsigned units;
  unsigned first_matrix;      ///< of the batch
  GemmDivisor by_tiles;       ///< of a matrix
  unsigned down;              ///< rows of tiles
  unsigned group_rows_log2;   ///< a group has 2^group_rows_log2 of these, but the last of a band
  GemmDivisor by_group;       ///< tiles of a group, but of the last band
  GemmDivisor by_last_rows;   ///< rows left over below the groups; 1 where there are none
  GemmDivisor by_parts;       ///< or clusters of parts
  unsigned band_columns;      ///< but of the last band
  GemmDivisor by_band;        ///< tiles of a band, but of the last
  GemmDivisor by_last_group;  ///< tiles of a group of the last band
  /// Where tiles are streamed; what is divided is below 2^31.
  GemmDivisor by_blocks;    ///< of the launch, or clusters
  GemmDivisor by_steps;     ///< of a tile
  GemmDivisor by_streamed;  ///< steps of all streamed tiles
};

/// Which tile a block of a single tile (single.cuh) computes: x of the grid are rows of tiles (columns, where by_columns) in
/// groups of 2^group_log2 and then columns (rows), y these groups, z matrices from the first on, and of each the parts of k.
struct GemmSingle {
  unsigned char group_log2, by_columns;
  unsigned char steps_together;  ///< of k, whose sums stay in tensor cores
  /// The last tile across ends with the matrix, and stores what the one beside it does not.
  unsigned char ends_across;
  unsigned first_matrix;
  GemmDivisor by_parts;
};

/// A and B as pairs of f16 (pairs.cuh), for accurate f32: what belongs to the pairs, which tensor maps
/// describe, or which are made where they are multiplied. By matrix of the batch, or one for all.
struct GemmPairs {
  const float*
      unscale;  ///< [matrix][line]: what sums with this row of A or column of B are multiplied by
  /// [matrix][⌈k / kSuspectK⌉][⌈lines / kSplitX⌉]: a byte for each kSplitK k, not 0 where pairs do not do. Of a factor
  /// that is split where it is multiplied there is none.
  const unsigned short* suspect;
  int is_shared;  ///< one matrix for the whole batch
  int along_k;    ///< whether the factor itself lies along k
  /// f16 [matrix][2][line][pitch]: upper halves, then lower ones, along k.
  const unsigned short* halves;
  long long pitch;
};

inline constexpr int kAheadLine = 128;  // bytes

/// Where a factor begins: lines of kAheadLine bytes that the second-level cache is asked for before stages are (ahead.cuh).
struct GemmAhead {
  const void* from = nullptr;
  long long pitch = 0;  ///< bytes from one row, as it lies in memory, to the next
  unsigned lines = 0;
  GemmDivisor by_row;  ///< lines of a row
};

/// How the blocks of a persistent kernel stay together (rounds.cuh): a word for each round of units, which counts blocks
/// (clusters) that have asked for theirs. The kernel sets them to 0 itself.
struct GemmRounds {
  unsigned* ends = nullptr;
  int count = 0;  ///< 0: every block goes on by itself
};

/// C as tensor maps have it, for kernels that leave boxes of sums in shared memory, from where TMA takes them to C
/// (result.cuh): kBoxRows rows of kBoxBytes bytes.
inline constexpr int kBoxRows = 16, kBoxBytes = 128;
struct alignas(64) GemmBoxes {
  std::array<unsigned long long, 16> map{};  ///< a CUtensorMap
  int are_stored = 0;                        ///< else the map says nothing, and threads store C
};

/// What a block needs before it can ask for anything comes first: constants come from memory in lines of 64 bytes, of
/// which no cache holds any when a kernel starts.
struct GemmArguments {
  long long m, n, k;
  GemmScalar alpha;
  /// One matrix for the whole batch, for kernels with tensor maps.
  unsigned char is_shared_a, is_shared_b;
  unsigned char a_across_k, b_across_k;  ///< how they lie, for kernels that read either order
  /// Of a tile, for kernels that take any width, and stages of these; for those that take any number of rows, as well.
  unsigned short tile_columns;
  unsigned char tile_stages, tile_rows;
  GemmSingle single;
  GemmSplit split;
  GemmTiles tiles;
  GemmScalar beta;
  GemmFactor a, b;
  GemmResult c;
  int result_bytes;  ///< of an element of C, for kernels that write two kinds
  /// C's rows, as they lie in memory, begin at multiples of 16 bytes and are multiples of as much long.
  int result_is_aligned;
  int result_is_transposed;    ///< element (i, j) goes to j·leading_dimension + i
  GemmPairs pairs_a, pairs_b;  ///< where A and B come, or are multiplied, as such
  GemmAhead ahead_a, ahead_b;  ///< for kernels with tensor maps
  GemmRounds rounds;           ///< for kernels that keep them
  GemmBoxes boxes;             ///< for kernels of which TMA may store C
};

}  // namespace tilewise::kernels
