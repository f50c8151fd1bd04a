// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tiles of C, or which parts of their sums, a block of a persistent kernel computes, one after the other.
//
// Tiles are numbered in bands, of these in groups (GemmTiles). So those at work at one time are nearly a square of C, whose
// rows of A and columns of B stay in the second-level cache (rounds.cuh sees to the one time). And so are each sixteen of
// neighbouring numbers: a GPU places blocks one group of multiprocessors after the other, and what several of a group ask
// for at nearly the same time is read from the cache once. Where tiles alone do not fill the GPU evenly, k is divided
// (GemmSplit), in one of three ways:
//   in parts       every tile in as many; parts of a tile lie far apart, matrices of a batch farther
//   in clusters    the parts of a tile are the blocks of a cluster, or of several, which have no other work
//   streamed       all steps of the first tiles in one row, of which every block gets an equal stretch; it may
//                  begin and end within tiles. The other tiles are whole, and come after them
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/cluster.cuh"

namespace gemm {

// x / by.divisor, for x below 2^31.
__device__ __forceinline__ unsigned quotient(unsigned x, const GemmDivisor& by) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * by.multiplier >> by.shift);
}

// One piece of work: a tile of C, or a part of its sum.
struct Unit {
  int row, column;     // the tile's first
  int matrix;          // of the batch
  int part;            // of the sum, where all tiles have as many
  int first_k, steps;  // of the sum over k
  bool is_whole;
  bool is_streamed;  // it belongs to the block's stretch of streamed tiles
};

// The same unit, or place in C, of which the compiler does not know that: what is worked out of it early, to ask for what C
// holds, is not kept in registers until the sums are there.
template <class At> __device__ __forceinline__ At anew(At at) {
  asm volatile("" : "+r"(at.matrix), "+r"(at.row), "+r"(at.column));
  return at;
}

// Which of the tiles, or clusters of tiles.
struct Spot {
  unsigned down, across;
};

// Number `place` of a band whose groups are divided by `by_group` (GemmTiles).
__device__ __forceinline__ Spot spot_in_band(const GemmTiles& tiles, unsigned place,
                                             const GemmDivisor& by_group) {
  const unsigned group = quotient(place, by_group), rows = 1u << tiles.group_rows_log2;
  const unsigned in_group = place - group * by_group.divisor;
  const unsigned first = group << tiles.group_rows_log2;
  if (tiles.down - first >= rows)
    return {first + (in_group & (rows - 1)), in_group >> tiles.group_rows_log2};
  const unsigned across = quotient(in_group, tiles.by_last_rows);
  return {first + in_group - across * tiles.by_last_rows.divisor, across};
}

// A block's first unit where GemmTiles::first_unit says what it is, as Units would give it, by fewer instructions: they
// are what a small product waits for.
template <int kBM, int kBK>
__device__ __forceinline__ Unit first_unit(const GemmArguments& g, int columns) {
  const GemmTiles& tiles = g.tiles;
  unsigned place = blockIdx.x, part = 0;
  if (tiles.first_unit == FirstUnit::kPart) {
    part = quotient(place, tiles.by_tiles);
    place -= part * tiles.by_tiles.divisor;
  } else if (tiles.first_unit == FirstUnit::kPartOfCluster) {
    place = ptx::cluster_number(), part = ptx::cluster_rank();
  }
  const Spot spot = spot_in_band(tiles, place, tiles.by_group);
  Unit unit{};
  unit.row = static_cast<int>(spot.down * kBM);
  unit.column = static_cast<int>(spot.across) * columns;
  unit.part = static_cast<int>(part);
  const int k = static_cast<int>(g.k);
  unit.is_whole = tiles.first_unit == FirstUnit::kTile;
  const int k_each = unit.is_whole ? k : static_cast<int>(g.split.k_each);
  unit.first_k = unit.part * k_each;
  unit.steps = (min(k_each, k - unit.first_k) + kBK - 1) / kBK;
  return unit;
}

// The parts of a streamed tile's sum, and where they meet.
struct Parts {
  int count, own;
  long long arrivals;  // place in GemmSplit.arrivals
  long long first, next,
      step;  // places in GemmSplit.partials: of part 0, of part 1, from there to the next

  __device__ __forceinline__ long long place_of(int part) const {
    return part == 0 ? first : next + (part - 1) * step;
  }
};

// The tiles of a cluster's blocks, which are numbered downwards first: kDown, one below the other, or as the launch
// says (GemmTiles::cluster). Not meant where the blocks of a cluster compute parts of one tile.
constexpr int kAsLaunched = 0;
template <int kDown> struct Cluster {
  static __device__ __forceinline__ unsigned down(const GemmArguments& g) {
    return kDown == kAsLaunched ? g.tiles.cluster.down : kDown;
  }
  static __device__ __forceinline__ unsigned across(const GemmArguments& g) {
    return kDown == kAsLaunched ? g.tiles.cluster.across : 1;
  }
  static __device__ __forceinline__ unsigned blocks(const GemmArguments& g) {
    return down(g) * across(g);
  }
  // This block's. Both extents are powers of two.
  static __device__ __forceinline__ unsigned own_down(const GemmArguments& g) {
    if (kDown == kAsLaunched) return ptx::cluster_rank() & (down(g) - 1);
    return kDown == 1 ? 0 : ptx::cluster_rank();
  }
  static __device__ __forceinline__ unsigned own_across(const GemmArguments& g) {
    if (kDown != kAsLaunched || across(g) == 1) return 0;
    return ptx::cluster_rank() >> (31 - __clz(down(g)));
  }
  // Which blocks read the same rows of A, or columns of B, as this one: a bit each.
  static __device__ __forceinline__ unsigned same_rows(const GemmArguments& g) {
    const unsigned every = down(g) == 1 ? 0xFF : down(g) == 2 ? 0x55 : down(g) == 4 ? 0x11 : 0x01;
    return (every & ((1u << blocks(g)) - 1)) << own_down(g);
  }
  static __device__ __forceinline__ unsigned same_columns(const GemmArguments& g) {
    return ((1u << down(g)) - 1) << own_across(g) * down(g);
  }
  // Where this block's part of `count` begins, which it fetches for those that read the same rows, or columns.
  static __device__ __forceinline__ int first_across(const GemmArguments& g, int count) {
    return static_cast<int>(own_across(g)) * count >> (31 - __clz(across(g)));
  }
  static __device__ __forceinline__ int first_down(const GemmArguments& g, int count) {
    return static_cast<int>(own_down(g)) * count >> (31 - __clz(down(g)));
  }
  // How many read the one or the other, and number `i` of them.
  static __device__ __forceinline__ unsigned neighbours(const GemmArguments& g) {
    return down(g) + across(g) - 1;
  }
  static __device__ __forceinline__ unsigned neighbour(const GemmArguments& g, unsigned i) {
    if (i < down(g)) return own_across(g) * down(g) + i;
    const unsigned other = i - down(g);  // beside
    return (other + (other >= own_across(g))) * down(g) + own_down(g);
  }
};

// Divisions are multiplications by what the host knows (GemmDivisor): the first request for a tile waits for them.
// `columns`: of a tile.
template <int kBM, int kBK, int kDown> class Units {
  using C = Cluster<kDown>;

 public:
  __device__ __forceinline__ Units(const GemmArguments& g, int columns)
      : tiles_(g.tiles),
        columns_(columns),
        down_(C::down(g)),
        across_(C::across(g)),
        own_down_(C::own_down(g)),
        own_across_(C::own_across(g)),
        parts_(g.split.parts),
        k_(static_cast<int>(g.k)),
        k_each_(static_cast<int>(g.split.parts > 1 ? g.split.k_each : g.k)),
        in_cluster_(parts_ > 1 && cluster() == 1 && ptx::cluster_blocks() > 1),
        streamed_(static_cast<unsigned>(g.split.streamed)),
        steps_((static_cast<unsigned>(k_) + kBK - 1) / kBK),
        next_(in_cluster_ ? ptx::cluster_number() : streamed_ + own()) {
    if (streamed_ > 0) at_ = begin_of(own()), end_ = begin_of(own() + 1);
  }

  // Of a launch without streams and clusters of parts: goes on from a unit that the caller knows.
  __device__ __forceinline__ void go_to(unsigned unit) { next_ = unit; }
  // Whether the unit is part of the block's stretch of streamed tiles.
  __device__ __forceinline__ bool streams() const { return at_ < end_; }
  // Of the launch, or clusters of tiles.
  __device__ __forceinline__ unsigned blocks() const { return in_clusters(gridDim.x); }
  __device__ __forceinline__ bool more() const { return at_ < end_ || next_ < tiles_.units; }
  // Of a launch without streams and clusters of parts: how many more there are.
  __device__ __forceinline__ int left() const {
    return next_ < tiles_.units ? static_cast<int>((tiles_.units - next_ - 1) / blocks()) + 1 : 0;
  }
  __device__ __forceinline__ void advance() {
    if (at_ < end_) at_ = min(end_, (tile_at() + 1) * steps_);
    else next_ = in_cluster_ ? tiles_.units : next_ + blocks();
  }

  __device__ __forceinline__ Unit get() const {
    const unsigned number = streams() ? tile_at() : next_, tiles = tiles_.by_tiles.divisor;
    const unsigned slab = number < tiles ? 0 : quotient(number, tiles_.by_tiles);
    const unsigned place = number - slab * tiles;
    const unsigned band = quotient(place, tiles_.by_band), before = band * tiles_.by_band.divisor;
    const bool is_last = tiles - before < tiles_.by_band.divisor;
    Spot spot =
        spot_in_band(tiles_, place - before, is_last ? tiles_.by_last_group : tiles_.by_group);
    spot.down = spot.down * down_ + own_down_;
    spot.across = (band * tiles_.band_columns + spot.across) * across_ + own_across_;
    Unit unit;
    unit.row = static_cast<int>(spot.down * kBM);
    unit.column = static_cast<int>(spot.across) * columns_;
    unsigned matrix = slab;
    unsigned part = 0;
    if (parts_ > 1) {
      matrix = quotient(slab, tiles_.by_parts);
      part = slab - matrix * tiles_.by_parts.divisor;
      if (in_cluster_) part = part * ptx::cluster_blocks() + ptx::cluster_rank();
    }
    unit.part = static_cast<int>(part);
    unit.matrix = static_cast<int>(matrix + tiles_.first_matrix);
    unit.is_streamed = streams();
    if (unit.is_streamed) {
      const unsigned first = at_ - number * steps_, steps = min(steps_ - first, end_ - at_);
      unit.first_k = static_cast<int>(first * kBK), unit.steps = static_cast<int>(steps);
      unit.is_whole = steps == steps_;
    } else {
      unit.first_k = unit.part * k_each_;
      unit.steps = max(0, (min(k_each_, k_ - unit.first_k) + kBK - 1) / kBK);
      unit.is_whole = parts_ == 1;
    }
    return unit;
  }

  // Of the streamed unit which get() has returned last and which is not whole.
  __device__ __forceinline__ Parts parts_of() const {
    // Each block has two places: for the part that its stretch begins with, and for that which it ends with.
    const unsigned tile = tile_at(), begin = tile * steps_;
    const unsigned first = owner_of(begin), last = owner_of(begin + steps_ - 1);
    const unsigned ends_with_it = begin_of(first) < begin;
    const auto place = [&](unsigned block, unsigned second) {
      return (block * 2ll + second) * cluster() + rank();
    };
    return {static_cast<int>(last - first + 1),
            static_cast<int>(own() - first),
            static_cast<long long>(tile) * cluster() + rank(),
            place(first, ends_with_it),
            place(first + 1, 0),
            2 * cluster()};
  }

 private:
  __device__ __forceinline__ unsigned cluster() const { return down_ * across_; }
  __device__ __forceinline__ unsigned rank() const { return own_across_ * down_ + own_down_; }
  // Of clusters: what follows counts those as blocks.
  __device__ __forceinline__ unsigned in_clusters(unsigned blocks) const {
    return kDown == kAsLaunched ? blocks >> (31 - __clz(cluster())) : blocks / kConstant;
  }
  __device__ __forceinline__ unsigned own() const { return in_clusters(blockIdx.x); }
  // The tile at which a streaming block is, the first step of a block's stretch, and the block in whose stretch a step is.
  __device__ __forceinline__ unsigned tile_at() const { return quotient(at_, tiles_.by_steps); }
  __device__ __forceinline__ unsigned begin_of(unsigned block) const {
    return quotient(streamed_ * steps_ * block, tiles_.by_blocks);
  }
  __device__ __forceinline__ unsigned owner_of(unsigned step) const {
    const unsigned all = streamed_ * steps_;
    return quotient((step + 1) * tiles_.by_blocks.divisor + all - 1, tiles_.by_streamed) - 1;
  }

  static constexpr unsigned kConstant = kDown == kAsLaunched ? 1 : kDown;

  const GemmTiles& tiles_;
  int columns_;
  unsigned down_, across_, own_down_, own_across_;  // of the cluster's tiles; this block's of these
  unsigned parts_;
  int k_, k_each_;
  bool in_cluster_;
  unsigned streamed_, steps_;  // tiles; steps of a tile
  unsigned at_ = 0, end_ = 0;  // steps of this block's stretch
  unsigned next_;              // of the other units
};

}  // namespace gemm
