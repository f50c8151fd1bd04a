// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The fragments of wmma, and the machine accesses that load and store them. Read off an H200: registers of
// lanes after loads of numbered elements, and the machine code that ptxas 13.0 makes of each spelling.
#include <algorithm>

#include "vgpu/exec/matrix_op.hpp"

namespace tilewise::vgpu {
namespace {

constexpr int kWarpLanes = 32;

/// A fragment is made of tiles of eight lines by 4·E elements: lane / 4 is the line, lane % 4 says which E
/// neighbours along it. Lines are rows of A, columns of B; rows of C, or its columns when there are more.
struct Tile {
  int line, along;
};

struct Tiling {
  std::vector<Tile> tiles;
  int neighbours = 1;  ///< E
  bool lines_are_rows = true;
};

Tiling tiling_of(FragmentRole role, const MatrixProduct& p, MatrixType type) {
  Tiling t;
  const int bits = bits_of(type);
  const bool is_sum = role == FragmentRole::kC;
  const bool columns_first = role == FragmentRole::kB || (is_sum && p.n > p.m);
  t.lines_are_rows = !columns_first;
  t.neighbours = is_sum ? 2 : std::max(1, 32 / bits);
  const int lines = role == FragmentRole::kA   ? p.m
                    : role == FragmentRole::kB ? p.n
                                               : std::max(p.m, p.n);
  const int length = is_sum ? std::min(p.m, p.n) : p.k;
  const int step = 4 * t.neighbours;
  if (role == FragmentRole::kB && lines == 16) {
    for (int line = 0; line < lines; line += 8)
      for (int along = 0; along < length; along += step) t.tiles.push_back({line, along});
    return t;
  }
  for (int first = 0; first < lines; first += 16) {
    for (int along = 0; along < length; along += step) {
      for (int line = first; line < std::min(first + 16, lines); line += 8)
        t.tiles.push_back({line, along});
    }
  }
  return t;
}

// Fragments of f16 A and B always have eight registers; what is left over repeats the others.
int copies_of(FragmentRole role, MatrixType type, const Tiling& t) {
  const bool eight = role != FragmentRole::kC && type == MatrixType::kF16;
  return eight ? 8 / static_cast<int>(t.tiles.size()) : 1;
}

template <class Place>
Fragment fragment_of(const Tiling& t, MatrixType type, int copies, Place place) {
  Fragment f;
  f.element_bits = bits_of(type);
  f.copies = copies;
  f.elements = f.element_bits == 64 ? 1 : std::min(t.neighbours, 32 / f.element_bits);
  const int registers_per_tile = t.neighbours / f.elements;
  for (int copy = 0; copy < copies; ++copy) {
    for (const Tile& tile : t.tiles) {
      for (int r = 0; r < registers_per_tile; ++r) {
        ++f.registers;
        for (int lane = 0; lane < kWarpLanes; ++lane) {
          for (int e = 0; e < f.elements; ++e) {
            const int along = tile.along + lane % 4 * t.neighbours + r * f.elements + e;
            f.cells.push_back(static_cast<std::uint16_t>(place(tile.line + lane / 4, along)));
          }
        }
      }
    }
  }
  return f;
}

MatrixType type_of(FragmentRole role, const MatrixProduct& p) {
  return role == FragmentRole::kA ? p.a : role == FragmentRole::kB ? p.b : p.accumulator;
}

/// The accesses of one move, tile by tile.
class AccessList {
 public:
  AccessList(const Tiling& tiling, MatrixType type, bool along_memory)
      : t_(tiling), bytes_(bits_of(type) / 8), along_memory_(along_memory) {}

  // Rows of 16 bytes, up to `most` tiles at a time.
  void matrices(std::size_t most) {
    for (std::size_t first = 0; first < t_.tiles.size(); first += most) {
      const std::size_t count = std::min(most, t_.tiles.size() - first);
      TileAccess a;
      a.tiles = static_cast<int>(count);
      a.bytes = 4 * a.tiles;
      for (std::size_t i = 0; i < count; ++i) {
        const Tile at = in_memory(t_.tiles[first + i]);
        for (std::size_t row = 0; row < 8; ++row)
          set(a, 8 * i + row, at.line + static_cast<int>(row), at.along);
      }
      accesses_.push_back(a);
    }
  }

  // Four bytes a lane in the order of memory, whichever way the fragment lies (the machine transposes).
  void words() {
    for (const Tile& tile : t_.tiles) {
      const Tile at = in_memory(tile);
      add(4, [&](int lane) { return Tile{at.line + lane / 4, at.along + lane % 4 * 4 / bytes_}; });
    }
  }

  // All neighbours of a lane at once.
  void neighbours() {
    for (const Tile& tile : t_.tiles) {
      add(t_.neighbours * bytes_, [&](int lane) {
        return Tile{tile.line + lane / 4, tile.along + lane % 4 * t_.neighbours};
      });
    }
  }

  // Each element alone: what is a neighbour in the fragment is a line away in memory.
  void single() {
    for (const Tile& tile : t_.tiles) {
      for (int e = 0; e < t_.neighbours; ++e) {
        add(bytes_, [&](int lane) {
          return Tile{tile.along + lane % 4 * t_.neighbours + e, tile.line + lane / 4};
        });
      }
    }
  }

  std::vector<TileAccess> take() { return std::move(accesses_); }

 private:
  Tile in_memory(const Tile& tile) const {
    return along_memory_ ? tile : Tile{tile.along, tile.line};
  }

  static void set(TileAccess& a, std::size_t lane, int line, int position) {
    a.line[lane] = static_cast<std::uint8_t>(line);
    a.position[lane] = static_cast<std::uint8_t>(position);
  }

  template <class Where> void add(int bytes, Where where) {
    TileAccess a;
    a.bytes = bytes;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const Tile at = where(lane);
      set(a, static_cast<std::size_t>(lane), at.line, at.along);
    }
    accesses_.push_back(a);
  }

  const Tiling& t_;
  int bytes_;
  bool along_memory_;
  std::vector<TileAccess> accesses_;
};

}  // namespace

Fragment wmma_fragment(FragmentRole role, const MatrixProduct& p) {
  const MatrixType type = type_of(role, p);
  const Tiling t = tiling_of(role, p, type);
  const int length = role == FragmentRole::kC ? p.n : p.k;
  const bool swapped = role == FragmentRole::kC && !t.lines_are_rows;
  return fragment_of(t, type, copies_of(role, type, t), [&](int line, int along) {
    return swapped ? along * length + line : line * length + along;
  });
}

FragmentMove wmma_move(FragmentRole role, const MatrixProduct& p, MatrixType type, bool by_rows,
                       bool in_shared) {
  const Tiling t = tiling_of(role, p, type);
  const bool along_memory = by_rows == t.lines_are_rows;
  const bool is_sum = role == FragmentRole::kC;
  const int rows = role == FragmentRole::kB ? p.k : p.m;
  const int columns = role == FragmentRole::kA ? p.k : p.n;
  FragmentMove move;
  move.element_bytes = bits_of(type) / 8;
  move.lines = by_rows ? rows : columns;
  move.positions = by_rows ? columns : rows;
  move.fragment = fragment_of(t, type, copies_of(role, type, t), [&](int line, int along) {
    return along_memory ? line * kLineCells + along : along * kLineCells + line;
  });
  AccessList list(t, type, along_memory);
  const bool matrices = in_shared && !is_sum;
  if (move.element_bytes == 2) matrices ? list.matrices(4) : list.words();
  else if (!along_memory) list.single();
  else if (move.element_bytes == 1 && matrices) list.matrices(2);
  else list.neighbours();
  move.accesses = list.take();
  return move;
}

}  // namespace tilewise::vgpu
