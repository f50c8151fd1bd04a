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
#include "core/tensor_map.hpp"

namespace tilewise::kernels {

/// Tile sizes in elements. 0 where a rung has no such level.
struct TileShape {
  int bm = 0, bn = 0, bk = 0;  ///< block tile
  int wm = 0, wn = 0;          ///< warp tile
  int tm = 0, tn = 0;          ///< thread tile
};

/// What the products of a rung are made of, and so how exact it can be: the type of A and B, and for f32
/// whether it is multiplied as it is or by tensor cores that read 19 bits of it.
enum class Arithmetic { kF16, kBF16, kTF32, kF32, kF64 };

/// "f16", "bf16", "tf32", "f32", "f64": what tables, JSON and --dtype say.
std::string_view name_of(Arithmetic arithmetic);
/// Of A and B in memory: f32 for tf32.
Dtype operand_dtype(Arithmetic arithmetic);
/// Of C, alpha, beta and the sums: f64 for f64, else f32.
Dtype result_dtype(Arithmetic arithmetic);

/// What TMA copies at a time.
struct Box {
  int rows = 0, columns = 0;  ///< of elements; rows of 128 bytes, whose pieces it swizzles
};

/// One step of the ladder. Every GPU rung is a kernel
///   (int m, int n, int k, T alpha, const U* A, const U* B, T beta, T* C)
/// that computes C = alpha·A·B + beta·C for any m, n, k >= 0 (A m×k, B k×n, C m×n, packed in
/// `order`); beta = 0 does not read C. T is result_dtype(), U operand_dtype(). With `box_a`, A and B are
/// tensor maps instead of pointers.
struct Rung {
  std::string_view name = {};    ///< "tile_2d": what --rungs takes
  std::string_view title = {};   ///< "2D tile"
  std::string_view idea = {};    ///< one sentence: what is new here
  std::string_view source = {};  ///< the founding documents that describe it: "000 004"
  Arithmetic arithmetic = Arithmetic::kF32;
  Order order = Order::kRowMajor;
  bool on_cpu = false;  ///< runs on the host: no kernel, no counters
  TileShape tile = {};
  Dim3 block = {};                ///< threads
  bool grid_x_over_rows = false;  ///< blockIdx.x walks the rows of C instead of its columns
  int shared_bytes = 0;           ///< static shared memory a block, by the source
  int dynamic_shared_bytes = 0;   ///< asked for at the launch
  /// The compute capability it needs: 8 and later, or 9 alone, whose own instructions (sm_90a) no later
  /// GPU has.
  int compute_major = 8;
  std::string_view unit = {};   ///< file stem in src/kernels/ladder/: "09_tile_2d"
  std::string_view entry = {};  ///< kernel name in the image
  /// `entry` moves so many elements at a time and needs n and k to be multiples of this. 1: any shape.
  int multiple = 1;
  std::string_view entry_any = {};  ///< the kernel for every other shape; empty when multiple is 1
  // Of `entry` alone. `entry_any` takes pointers, has no cluster, and a block for each tile.
  Box box_a = {}, box_b = {};  ///< of the tensor maps it takes; none where rows is 0
  int cluster = 1;             ///< blocks, one below the other
  bool persistent = false;     ///< blocks in x, as many as the GPU has multiprocessors at most
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

/// The rungs of these arithmetics: names separated by commas. Throws Error{kInvalidArgument} for an unknown
/// name, and when none of `rungs` is left.
std::vector<const Rung*> select_dtypes(std::vector<const Rung*> rungs, std::string_view expression);

/// Whether a GPU of this compute capability has the rung's instructions.
bool can_run_on(const Rung& rung, int compute_major, int compute_minor);

/// The kernel of `rung` that handles this shape.
std::string_view entry_for(const Rung& rung, std::int64_t n, std::int64_t k);

/// Blocks that cover an m×n result; none (count() == 0: nothing to launch) when m or n is 0. y holds
/// at most 65535 blocks: taller results go on in z, and the kernels put the two together again.
/// Throws Error{kInvalidArgument} for a rung that runs on the host.
Dim3 grid_for(const Rung& rung, std::int64_t m, std::int64_t n);

/// How a rung's kernel is launched on m×n×k.
struct LaunchShape {
  std::string_view entry;
  Dim3 grid;
  bool tensor_maps = false;  ///< A and B are passed as tensor maps
};

/// The grid is that of grid_for(), but for clusters, which it holds whole, and for persistent kernels. m
/// and n are not 0.
LaunchShape launch_shape(const Rung& rung, std::int64_t m, std::int64_t n, std::int64_t k,
                         int sm_count);

/// The tensor map of a packed row-major matrix at `address`, of the rung's operands, copied by boxes.
TensorMapRequest map_of(const Rung& rung, const Box& box, std::uint64_t address, std::int64_t rows,
                        std::int64_t columns);

}  // namespace tilewise::kernels
