// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of the library's GPU kernels: plain host code, one entry a kernel. What plans choose from;
// a new family is new entries here and new files beside them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/dim3.hpp"
#include "core/dtype.hpp"
#include "core/tensor_map.hpp"
#include "kernels/gemm/arguments.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::kernels {

/// What a GPU multiplies with: which of model::Gpu's rates bounds a kernel. kMma…: tensor cores by mma.sync, which on
/// Hopper is slower than its own instructions.
enum class Pipe {
  kF32,
  kF64,
  kTensorF64,
  kTensorTF32,
  kTensorF16,
  kTensorBF16,
  kMmaTF32,
  kMmaF16,
  kMmaBF16
};

/// The box of a tensor map: `lines` of the factor (rows of A, columns of B) times `k`, both in elements, whichever
/// are neighbours in memory. The innermost extent of a box is at most 128 bytes: wider ones take several copies.
struct FactorBox {
  int lines = 0, k = 0;
};

inline constexpr int kMostClusterTiles = 8;  ///< that every Hopper GPU can hold

/// What is done to A and B before a kernel reads them.
enum class Preparation {
  kNone,
  /// Copied into the workspace, in their order, with a leading dimension of a multiple of `alignment`.
  kRestride,
  /// Always, both: split into pairs of f16 (split_f32.hpp), which the tensor maps then describe.
  kPairs,
  /// B as kPairs. Of A the scales are found, and it is copied where it does not fit, as kRestride.
  kPairsOfB,
};

/// One kernel, or up to four versions of it by the orders of A and B that share everything else. Each is
///   (const __grid_constant__ GemmArguments)          or, with tensor maps,
///   (const __grid_constant__ GemmArguments, const __grid_constant__ CUtensorMap a, … b)
/// and computes C = alpha·A·B + beta·C as arguments.hpp says. The grid: x tiles, y parts of k, z matrices of the batch;
/// of persistent kernels x alone, as many blocks as there is work or the GPU has places; of single tiles as GemmSingle
/// says; of batch.cuh x alone, the tiles of all matrices, tiles_of_block a block; of outer.cuh x tiles side by side, y rounds of those
/// below each other.
struct GemmKernel {
  std::string_view name = {};  ///< "simt_f32_128x128": what TILEWISE_PLAN takes
  std::string_view unit = {};  ///< file stem in src/kernels/gemm/
  /// Kernels in the image, empty where an order is not read: [A along k][B along k].
  std::array<std::array<std::string_view, 2>, 2> entries = {};
  /// The same kernels for beta other than 0, where those above are for 0; empty where they are for any.
  std::array<std::array<std::string_view, 2>, 2> adding_entries = {};
  /// What adds up parts of k behind it; empty where they are left as matrices of C's shape (parts.hpp).
  std::array<std::array<std::string_view, 2>, 2> part_entries = {};
  /// The same kernel for whole tiles whose results all go in boxes (GemmBoxes): m is a multiple of bm, beta is 0. Empty where
  /// there is none.
  std::string_view boxes_entry = {};
  /// Stages of that kernel for long k (stages_of_boxes()), for which each warp has one box instead of two; 0: always `stages`.
  int boxes_stages = 0;
  Dtype operand = Dtype::kF32, result = Dtype::kF32;
  ComputeMode mode = ComputeMode::kIeee;
  int compute_major = 8;  ///< 8: and later; 9: 9.0 alone (sm_90a)

  int bm = 0, bn = 0, bk = 0;  ///< the block's tile
  int steps_together = 1;      ///< of bk that a block's warps multiply at a time, one each
  int stages = 0, threads = 0;
  int dynamic_shared_bytes = 0;
  int blocks_per_sm = 1;  ///< that share a multiprocessor
  /// Tiles of a cluster's blocks, as the kernel itself says (__cluster_dims__); 1×1 where the launch may say.
  TileCluster cluster = {};
  bool takes_clusters = false;  ///< as the launch says, up to kMostClusterTiles
  bool is_planned = true;       ///< else `tilewise tune` and TILEWISE_PLAN alone consider it
  bool persistent = false;      ///< blocks stay for one tile, part, matrix after the other
  bool is_single = false;       ///< a block for each tile (single.cuh)
  /// By teams of warps, of one matrix or several (batch.cuh); 0: it is none of these.
  int tiles_of_block = 0;
  /// Factors of any alignment where they are, in pieces of 16 bytes (thin.cuh, strip_any.cuh).
  bool reads_pieces = false;
  /// The last bytes of a matrix by cp.async of fewer than 16, which memcheck reports though it is right (piece.cuh). To
  /// read them one by one would cost strips and batches up to 15 % of their time, and one 23 %.
  bool copies_partly = false;
  /// As many blocks as have a place, each for one tile after the other, so many apart, by itself (tall.cuh).
  bool strides_tiles = false;
  /// A block for so many tiles, one below the other, that each multiprocessor has as much to do (outer.cuh).
  bool goes_by_rounds = false;
  /// k of B that a block holds (tall.cuh, outer.cuh): it computes no more.
  std::int64_t most_held_k = std::numeric_limits<std::int64_t>::max();
  bool splits = true;   ///< takes GemmSplit with more than one part
  bool streams = true;  ///< where it is persistent and splits: takes GemmSplit::streamed
  /// Where it is persistent: takes GemmRounds, and has a warp to spare for them.
  bool keeps_rounds = false;
  /// There are kernels of compute_major 9 for all that it computes: on 9.0 it is not worth considering, but
  /// TILEWISE_PLAN may ask for it.
  bool yields_to_hopper = false;
  int most_parts_in_cluster = 1;  ///< that add up their sums without workspace and another kernel
  /// Of m, n and k: coordinates of tensor maps have 32 bits, with their sign.
  std::int64_t most_extent = std::numeric_limits<std::int64_t>::max();
  /// Rows of what it computes (columns of C where it transposes the result) up to which it is worth considering;
  /// TILEWISE_PLAN may ask for it beyond.
  std::int64_t most_rows = std::numeric_limits<std::int64_t>::max();
  /// The same of columns of what it computes.
  std::int64_t most_columns = std::numeric_limits<std::int64_t>::max();
  /// Of tiles of any width (any_width.hpp): columns of the next narrower one, 0 for others.
  /// It is not worth considering where that one makes as few tiles.
  int narrower = 0;
  int narrower_across = 0;  ///< the same of those that read B across k
  /// k from which on, and up to which, it is worth considering.
  std::int64_t least_k = 0, most_k = std::numeric_limits<std::int64_t>::max();
  bool takes_pointers = true;  ///< of a batch in device memory; tensor maps cannot
  /// Bytes that the address, the leading dimension and the stride of A and B have to be multiples of; 0: whole
  /// elements are enough.
  int alignment = 0;
  bool takes_any_b = false;  ///< of B whole elements are enough, all the same
  /// How factors are made to fit where they do not (the planner asks for both).
  Preparation preparation = Preparation::kNone;
  /// It is given Cᵀ = Bᵀ·Aᵀ (m and n, A and B exchanged), and element (i, j) of what it computes goes to
  /// j·leading_dimension + i. So B can be to it what A is to others.
  bool transposes_result = false;
  FactorBox box_a = {}, box_b = {};  ///< of the tensor maps it takes; none where lines is 0
  bool hides_result = false;         ///< stores a tile while it multiplies the next
  bool shows_ends =
      false;  ///< all of a block's warps end a tile together, so that nothing hides it
  bool overlaps_previous = false;  ///< waits by itself for the work before (griddepcontrol.wait)

  Pipe pipe = Pipe::kF32;
  int products = 1;  ///< multiplications for one of the problem's (3 for f32 in three f16 products)
  /// Of the pipe's peak, with a full multiprocessor and with one block on it alone: measured, or guessed from the
  /// ladder until then. What the cost estimate stands on.
  double efficiency = 0.5, efficiency_alone = 0.4;
  double overhead =
      0;  ///< µs before its first load and behind its last, beyond those of other kernels
};

/// Whether its blocks may be launched in such clusters.
bool takes(const GemmKernel& kernel, const TileCluster& cluster);

/// What of a factor's tile, of `box`, each of `parts` blocks fetches for all.
FactorBox shared_box(const GemmKernel& kernel, const FactorBox& box, bool along_k, int parts);

/// Every kernel.
std::span<const GemmKernel> gemm_kernels();

/// The kernel of that name; nullptr when there is none.
const GemmKernel* find_gemm_kernel(std::string_view name);

}  // namespace tilewise::kernels
