// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of the ladder: plain host code, one entry a rung, kept apart from the kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/dim3.hpp"
#include "core/dtype.hpp"

namespace tilewise::kernels {

/// Tile sizes in elements. 0 where a rung has no such level.
struct TileShape {
  int bm = 0, bn = 0, bk = 0;  ///< block tile
  int wm = 0, wn = 0;          ///< warp tile
  int tm = 0, tn = 0;          ///< thread tile
};

/// One step of the ladder. Every GPU rung is a kernel
///   (int m, int n, int k, T alpha, const T* A, const T* B, T beta, T* C)
/// that computes C = alpha·A·B + beta·C for any m, n, k >= 0 (A m×k, B k×n, C m×n, packed in
/// `order`); beta = 0 does not read C.
struct Rung {
  std::string_view name = {};    ///< "tile_2d": what --rungs takes
  std::string_view title = {};   ///< "2D tile"
  std::string_view idea = {};    ///< one sentence: what is new here
  std::string_view source = {};  ///< the founding documents that describe it: "000 004"
  Dtype dtype = Dtype::kF32;
  Order order = Order::kRowMajor;
  bool on_cpu = false;  ///< runs on the host: no kernel, no counters
  TileShape tile = {};
  Dim3 block = {};                ///< threads
  bool grid_x_over_rows = false;  ///< blockIdx.x walks the rows of C instead of its columns
  int shared_bytes = 0;           ///< static shared memory a block, by the source
  std::string_view unit = {};     ///< file stem in src/kernels/ladder/: "09_tile_2d"
  std::string_view entry = {};    ///< kernel name in the image
  /// `entry` moves 4 elements at a time and needs n and k to be multiples of this. 1: any shape.
  int multiple = 1;
  std::string_view entry_any = {};  ///< the kernel for every other shape; empty when multiple is 1
};

/// Every rung, in the order of the ladder.
std::span<const Rung> ladder();

/// The rung of that name. Throws Error{kInvalidArgument} that names the nearest rung.
const Rung& find_rung(std::string_view name, std::span<const Rung> among = ladder());

/// Resolves "--rungs": names or ranges "first..last" (by name, both ends included), separated by
/// commas, in the order given, each rung once. Empty: every rung. Throws Error{kInvalidArgument} for
/// an unknown name or an empty range. `among`: another ladder (bench/cpu_ladder.hpp has the CPU's).
std::vector<const Rung*> select_rungs(std::string_view expression,
                                      std::span<const Rung> among = ladder());

/// The kernel of `rung` that handles this shape.
std::string_view entry_for(const Rung& rung, std::int64_t n, std::int64_t k);

/// Blocks that cover an m×n result; none (count() == 0: nothing to launch) when m or n is 0. y holds
/// at most 65535 blocks: taller results go on in z, and the kernels put the two together again.
/// Throws Error{kInvalidArgument} for a rung that runs on the host.
Dim3 grid_for(const Rung& rung, std::int64_t m, std::int64_t n);

}  // namespace tilewise::kernels
