// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/launch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "core/divide.hpp"
#include "core/phrase.hpp"
#include "gemm/gpu/ahead.hpp"
#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/estimate.hpp"
#include "gemm/gpu/outer_rounds.hpp"
#include "gemm/gpu/prepare.hpp"
#include "gemm/gpu/rounds.hpp"
#include "gemm/gpu/tall_any.hpp"
#include "kernels/gemm/parts.hpp"
#include "kernels/gemm/split_f32.hpp"
#include "kernels/gemm/strip.hpp"
#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

using kernels::FactorBox;
using kernels::GemmArguments;
using kernels::GemmFactor;
using kernels::GemmKernel;

// The part of a batch from matrix `first` on.
GemmArguments from_matrix(GemmArguments arguments, std::int64_t first, std::size_t operand,
                          std::size_t result) {
  const auto shift = [&](auto& x, std::size_t element) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(x.address)>>,
                                    const std::byte, std::byte>;
    if (x.pointers != nullptr) x.pointers += first;
    else if (x.address != nullptr)
      x.address =
          static_cast<Byte*>(x.address) + first * x.stride * static_cast<std::int64_t>(element);
  };
  shift(arguments.a, operand);
  shift(arguments.b, operand);
  shift(arguments.c, result);
  const auto shift_pairs = [&](kernels::GemmPairs& pairs, std::int64_t lines) {
    if (pairs.unscale == nullptr || pairs.is_shared != 0) return;
    pairs.unscale += first * lines;
    pairs.suspect += first * divide_up(lines, kernels::kSplitX) *
                     divide_up(static_cast<std::int64_t>(arguments.k), kernels::kSuspectK);
    pairs.halves += first * 2 * lines * pairs.pitch;
  };
  shift_pairs(arguments.pairs_a, arguments.m);
  shift_pairs(arguments.pairs_b, arguments.n);
  return arguments;
}

TensorType tensor_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return TensorType::kF16;
    case Dtype::kBF16: return TensorType::kBf16;
    case Dtype::kF32: return TensorType::kF32;
    case Dtype::kF64: return TensorType::kF64;
    default: throw Error(ErrorCode::kInternal, "no tensor maps of integers");
  }
}

// What a tensor map describes: matrices of `lines` times `k` elements.
struct Mapped {
  device::Address address = 0;
  TensorType type = TensorType::kF16;
  bool along_k = true;
  std::int64_t lines = 0, k = 0, leading_dimension = 0, matrices = 1, stride = 0;  // elements
};

// Dimension 0 is whichever is contiguous, dimension 2 the batch.
TensorMap map_of(device::Device& device, const Mapped& what, const FactorBox& box) {
  const auto unsign = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const std::uint64_t element = size_of(what.type);
  const auto box_lines = static_cast<std::uint32_t>(box.lines),
             box_k = static_cast<std::uint32_t>(box.k);
  TensorMapRequest request;
  request.type = what.type;
  request.rank = 3;
  request.address = what.address;
  request.dimensions = {unsign(what.along_k ? what.k : what.lines),
                        unsign(what.along_k ? what.lines : what.k), unsign(what.matrices)};
  const std::uint64_t line_bytes = unsign(what.leading_dimension) * element;
  request.strides = {line_bytes, what.matrices > 1 ? unsign(what.stride) * element : line_bytes};
  const auto inner = static_cast<std::uint32_t>(128 / element);
  request.box = {std::min(what.along_k ? box_k : box_lines, inner),
                 what.along_k ? box_lines : box_k, 1};
  request.swizzle = TensorSwizzle::k128B;
  request.l2_promotion = 128;  // with 256 what streams from memory is up to 8 % slower
  return device.make_tensor_map(request);
}

Mapped mapped(const GemmFactor& factor, const PreparedFactor& prepared, device::Address workspace,
              bool along_k, std::int64_t lines, const Problem& oriented) {
  if (prepared.preparation == kernels::Preparation::kPairs) {
    return {workspace + prepared.place.offset,
            TensorType::kF16,
            true,
            lines,
            oriented.k(),
            prepared.leading_dimension,
            prepared.matrices * 2,
            lines * prepared.leading_dimension};
  }
  return {reinterpret_cast<device::Address>(factor.address),
          tensor_type_of(oriented.operand),
          along_k,
          lines,
          oriented.k(),
          factor.leading_dimension,
          factor.stride == 0 ? 1 : oriented.count,
          factor.stride};
}

// Steps of a narrow single tile whose sums stay in tensor cores, which truncate: cuBLAS's errors are those of all k by them,
// or of some parts. Where factors are copied first, it has other kernels, of smaller errors.
unsigned char steps_together(const Plan& plan) {
  constexpr int kMostK = 1024, kMostKOfCopies = 256;
  const bool copies = plan.a.preparation != kernels::Preparation::kNone ||
                      plan.b.preparation != kernels::Preparation::kNone;
  return static_cast<unsigned char>((copies ? kMostKOfCopies : kMostK) / plan.kernel->bk);
}

// Whether the last single tile across ends with the matrix: lines that are not there take TMA so long that all wait for that
// tile. Where there are some of them, k is long, and the kernel stores a part of the columns as they are, nothing added (but
// 16 bits that are not turned round, of which all tiles took 1 to 3 % longer for it).
bool ends_across(const Plan& plan, const Problem& oriented, const GemmArguments& arguments) {
  constexpr std::int64_t kLeastK = 2048, kLeastLines = 8;
  const GemmKernel& kernel = *plan.kernel;
  const bool turns = kernel.transposes_result, is_wide = size_of(oriented.result) == 4,
             stores_part =
                 (turns && is_wide) || (arguments.result_is_aligned && (turns || is_wide));
  const std::int64_t over = arguments.n % kernel.bn;
  return kernel.operand != Dtype::kF64 && oriented.b_along_k && plan.parts == 1 &&
         arguments.k >= kLeastK && over > 0 && kernel.bn - over >= kLeastLines &&
         arguments.beta.address == nullptr && arguments.beta.value == 0 && stores_part;
}

// Of single tiles two or four, one below the other or side by side, come next to each other in the grid: blocks are placed in
// the order of their numbers, and neighbours should be a square (docs/lab/gpu_gemm.md). As many as divide all, so that
// there is no block without a tile.
struct SingleGrid {
  kernels::GemmSingle single;
  Dim3 grid;
};
SingleGrid single_grid(const Plan& plan, const Problem& oriented, std::int64_t first,
                       std::int64_t matrices) {
  constexpr int kMostLog2 = 2;
  const auto down =
      static_cast<std::uint32_t>(divide_up(oriented.m(), std::int64_t{plan.kernel->bm}));
  const auto across =
      static_cast<std::uint32_t>(divide_up(oriented.n(), std::int64_t{plan.kernel->bn}));
  const int of_down = std::min(kMostLog2, std::countr_zero(down)),
            of_across = std::min(kMostLog2, std::countr_zero(across));
  const bool by_columns = of_across > of_down && across <= kMostMatrices;
  const int log2 = by_columns ? of_across : of_down;
  const std::uint32_t grouped = by_columns ? across : down, other = by_columns ? down : across;
  return {{static_cast<unsigned char>(log2), static_cast<unsigned char>(by_columns ? 1 : 0),
           steps_together(plan), 0, static_cast<std::uint32_t>(first),
           kernels::divide_by(static_cast<std::uint32_t>(plan.parts))},
          {other << log2, grouped >> log2, static_cast<std::uint32_t>(plan.parts * matrices)}};
}

Dim3 grid_of(const Plan& plan, const Problem& oriented, std::int64_t matrices,
             const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const std::int64_t tiles = tiles_of(plan, oriented);
  if (plan.cluster_parts > 1)
    return {static_cast<std::uint32_t>(tiles * plan.parts * matrices), 1, 1};
  if (kernel.is_single) return single_grid(plan, oriented, 0, matrices).grid;
  if (kernel.tiles_of_block > 0)
    return {static_cast<std::uint32_t>(
                divide_up(tiles * matrices, std::int64_t{kernel.tiles_of_block})),
            1, 1};
  if (kernel.strides_tiles) {
    const std::int64_t places = std::int64_t{gpu.sm_count} * kernel.blocks_per_sm;
    return {static_cast<std::uint32_t>(std::min(tiles, divide_up(places, matrices))), 1,
            static_cast<std::uint32_t>(matrices)};
  }
  if (!kernel.persistent) {
    return {static_cast<std::uint32_t>(tiles), static_cast<std::uint32_t>(plan.parts),
            static_cast<std::uint32_t>(matrices)};
  }
  const std::int64_t places = blocks_at_a_time(plan, gpu) * kernel.blocks_per_sm;
  const std::int64_t blocks =
      plan.streamed > 0 ? places : std::min(tiles * plan.parts * matrices, places);
  const std::int64_t in_cluster = plan.cluster.blocks();
  return {static_cast<std::uint32_t>(std::max(blocks / in_cluster * in_cluster, in_cluster)), 1, 1};
}

// `follows`: the product's own kernel is the one before in the stream. Then this one may begin early, as it waits
// for the end of that by itself. Behind the caller's work it would gain nothing and takes half a microsecond more.
device::Launch launch_of(const GemmKernel& kernel, const device::Device& device, const Dim3& grid,
                         std::span<const void* const> values, bool follows) {
  device::Launch launch;
  launch.grid = grid;
  launch.block = {static_cast<std::uint32_t>(kernel.threads), 1, 1};
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel.dynamic_shared_bytes);
  launch.arguments = values;
  launch.overlaps_previous = follows && kernel.overlaps_previous && device.gpu().compute_major >= 9;
  return launch;
}

// Of how many bytes all places where C's rows begin are multiples, as they lie in memory: 32, or 16, or 1 for fewer, and where
// they are not multiples of 16 bytes long.
int alignment_of_rows(const GemmArguments& arguments, const Problem& oriented, bool is_transposed) {
  const kernels::GemmResult& c = arguments.c;
  if (c.pointers != nullptr || (oriented.count > 1 && c.stride < 0)) return 1;
  const std::int64_t bytes = arguments.result_bytes;
  const std::int64_t begin =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(c.address)) |
      c.leading_dimension * bytes | (oriented.count > 1 ? c.stride * bytes : 0);
  const std::int64_t length = (is_transposed ? oriented.m() : oriented.n()) * bytes;
  if ((begin | length) % 16 != 0) return 1;
  return begin % 32 == 0 ? 32 : 16;
}

// The same of rounds, of which it also tells the kernel.
Dim3 grid_of_rounds(const Plan& plan, const Problem& oriented, std::int64_t matrices,
                    const model::Gpu& gpu, GemmArguments& product) {
  const int alignment = alignment_of_rows(product, oriented, plan.kernel->transposes_result);
  const OuterRounds shape = outer_rounds(plan, oriented, matrices, alignment, gpu);
  product.tiles.units = static_cast<std::uint32_t>(shape.rounds);
  product.tile_columns = static_cast<unsigned short>(shape.columns);
  return {static_cast<std::uint32_t>(shape.across), static_cast<std::uint32_t>(shape.down),
          static_cast<std::uint32_t>(matrices)};
}

// C of a kernel that leaves its parts of k.
void leave_parts(const Plan& plan, const Problem& oriented, GemmArguments& arguments) {
  const PartShape shape = part_shape_of(plan, oriented);
  const std::int64_t part = shape.rows * shape.pitch;
  arguments.c = {arguments.split.partials, shape.pitch, plan.parts * part, nullptr, part};
  arguments.result_bytes = static_cast<int>(sum_bytes_of(oriented));
  arguments.beta = {0, nullptr};  // alpha stays: where it is 0, A and B are not read
}

// C, as `arguments` has it, with the problem's rows or columns as its rows. These are lines, what they consist of takes the place
// of k.
Mapped mapped_result(const GemmArguments& arguments, const Problem& oriented, bool transposes) {
  const kernels::GemmResult& c = arguments.c;
  return {reinterpret_cast<device::Address>(c.address),
          tensor_type_of(oriented.result),
          true,
          transposes ? oriented.n() : oriented.m(),
          transposes ? oriented.m() : oriented.n(),
          c.leading_dimension,
          oriented.count,
          c.stride};
}

// Whether a tensor map can describe C.
bool has_map(const GemmArguments& arguments, const Problem& oriented) {
  constexpr std::int64_t kMostBytes =
      (std::int64_t{1} << 40) - 1;  // from row to row, or from matrix to matrix
  const std::int64_t most = kMostBytes / arguments.result_bytes;
  const kernels::GemmResult& c = arguments.c;
  return arguments.result_is_aligned && c.leading_dimension <= most &&
         (oriented.count == 1 || (c.stride > 0 && c.stride <= most));
}

// What adds up the parts that strips leave.
device::Launch launch_of_strip_parts(const Plan& plan, const Problem& oriented,
                                     std::int64_t matrices) {
  const std::int64_t sums = tiles_of(plan, oriented) * plan.kernel->bm * plan.kernel->bn;
  device::Launch launch;
  launch.grid = {static_cast<std::uint32_t>(sums / kernels::kStripSumsOfBlock), 1,
                 static_cast<std::uint32_t>(matrices)};
  launch.block = {kernels::kStripSumThreads, 1, 1};
  return launch;
}

// The same of parts that others leave.
device::Launch launch_of_parts(const Plan& plan, const Problem& oriented,
                               const GemmArguments& arguments, std::int64_t matrices,
                               const model::Gpu& gpu, kernels::PartsArguments& parts) {
  const PartShape shape = part_shape_of(plan, oriented);
  parts.m = shape.rows, parts.n = shape.columns, parts.pitch = shape.pitch;
  parts.partials = arguments.split.partials;
  parts.parts = plan.parts;
  parts.beta = arguments.beta;
  parts.c = arguments.c;
  const std::int64_t pieces = shape.rows * shape.pitch *
                              static_cast<std::int64_t>(sum_bytes_of(oriented)) /
                              kernels::kPartsPiece;
  // Threads for half of the GPU, where each has four parts, which it asks for at once.
  const std::int64_t threads = std::int64_t{gpu.sm_count} * 1024;
  parts.groups_log2 = 0;
  while (parts.groups_log2 < kernels::kMostPartGroupsLog2 && 4 << parts.groups_log2 < plan.parts &&
         (pieces * matrices) << (parts.groups_log2 + 1) <= threads)
    ++parts.groups_log2;
  device::Launch launch;
  const std::int64_t each = kernels::kPartsThreads >> parts.groups_log2;
  launch.grid = {static_cast<std::uint32_t>(divide_up(pieces, each)), 1,
                 static_cast<std::uint32_t>(matrices)};
  launch.block = {kernels::kPartsThreads, 1, 1};
  return launch;
}

// Adds up what was left of the parts of k of `matrices`.
void launch_parts(const Plan& plan, const Problem& oriented, const GemmArguments& arguments,
                  std::int64_t matrices, device::Device& device, Kernels& kernels,
                  device::Stream& stream) {
  kernels::PartsArguments parts;
  device::Launch launch =
      plan.leaves_parts ? launch_of_parts(plan, oriented, arguments, matrices, device.gpu(), parts)
                        : launch_of_strip_parts(plan, oriented, matrices);
  const std::array<const void*, 1> values{plan.leaves_parts ? static_cast<const void*>(&parts)
                                                            : &arguments};
  launch.arguments = values;
  launch.overlaps_previous = device.gpu().compute_major >= 9;
  device.launch(kernels.find(plan.parts_unit, plan.parts_entry), launch, stream);
}

kernels::FirstUnit first_unit_of(const Plan& plan, const Problem& oriented) {
  using enum kernels::FirstUnit;
  if (plan.streamed > 0 || oriented.count > 1 || plan.cluster.blocks() > 1) return kAny;
  if (plan.parts == 1) return kTile;
  return plan.cluster_parts == 1 ? kPart : kPartOfCluster;
}

// Of `matrices` from the first on, for a launch of `blocks`.
kernels::GemmTiles tiles_from(const Plan& plan, const Problem& oriented, std::int64_t first,
                              std::int64_t matrices, std::uint32_t blocks) {
  const GemmKernel& kernel = *plan.kernel;
  const TileOrder order = tile_order(plan, oriented, blocks);
  const std::uint32_t rows = 1u << order.group_rows_log2;
  const std::int64_t parts = plan.parts / plan.cluster_parts;  // launched one by one
  kernels::GemmTiles tiles;
  tiles.cluster = plan.cluster;
  // A first unit is looked for in the first band.
  const bool is_in_first_band = order.band_columns == order.across ||
                                (parts == 1 && order.down * order.band_columns >= blocks);
  tiles.first_unit = is_in_first_band ? first_unit_of(plan, oriented) : kernels::FirstUnit::kAny;
  tiles.round_slack = plan.rounds.bytes > 0 ? round_slack(plan) : 0;
  tiles.units =
      static_cast<std::uint32_t>(std::int64_t{order.down} * order.across * parts * matrices);
  tiles.first_matrix = static_cast<std::uint32_t>(first);
  tiles.by_tiles = kernels::divide_by(order.down * order.across);
  tiles.down = order.down;
  tiles.group_rows_log2 = order.group_rows_log2;
  tiles.by_group = kernels::divide_by(rows * order.band_columns);
  tiles.by_last_rows = kernels::divide_by(std::max(order.down % rows, 1u));
  tiles.band_columns = order.band_columns;
  tiles.by_band = kernels::divide_by(order.down * order.band_columns);
  tiles.by_last_group = kernels::divide_by(rows * ((order.across - 1) % order.band_columns + 1));
  tiles.by_parts = kernels::divide_by(static_cast<std::uint32_t>(parts));
  if (plan.streamed > 0) {
    const std::int64_t steps = divide_up(oriented.k(), std::int64_t{kernel.bk});
    tiles.by_blocks =
        kernels::divide_by(blocks / static_cast<std::uint32_t>(plan.cluster.blocks()));
    tiles.by_steps = kernels::divide_by(static_cast<std::uint32_t>(steps));
    tiles.by_streamed = kernels::divide_by(static_cast<std::uint32_t>(plan.streamed * steps));
  }
  return tiles;
}

// Of a batch, matrices whose units of work a persistent kernel takes in one launch, as GemmDivisor divides no more; or
// single tiles, of which a grid has no more one behind the other.
std::int64_t matrices_at_once(const Plan& plan, const Problem& oriented) {
  if (plan.kernel->is_single || plan.kernel->strides_tiles)
    return std::max<std::int64_t>(kMostMatrices / plan.parts, 1);
  constexpr std::int64_t kMostUnits = std::numeric_limits<std::int32_t>::max();
  const std::int64_t units = tiles_of(plan, oriented) * plan.parts;
  return std::max<std::int64_t>(kMostUnits / units, 1);
}

// Teams of warps, each for a tile of its own (kernels/gemm/batch.cuh).
void launch_teams(const Plan& plan, const Problem& oriented, GemmArguments arguments,
                  device::Device& device, device::Kernel& entry, device::Stream& stream,
                  bool follows) {
  const std::int64_t tiles = tiles_of(plan, oriented), most = matrices_at_once(plan, oriented);
  for (std::int64_t first = 0; first < oriented.count; first += most) {
    const std::int64_t matrices = std::min(most, oriented.count - first);
    arguments.tiles.units = static_cast<std::uint32_t>(tiles * matrices);
    arguments.tiles.first_matrix = static_cast<std::uint32_t>(first);
    arguments.tiles.by_tiles = kernels::divide_by(static_cast<std::uint32_t>(tiles));
    const std::array<const void*, 1> values{&arguments};
    const Dim3 grid = grid_of(plan, oriented, matrices, device.gpu());
    device.launch(entry, launch_of(*plan.kernel, device, grid, values, follows), stream);
  }
}

// One launch for each kMostMatrices matrices, or for persistent kernels, single tiles and teams for as many as can be.
void launch_kernel(const Plan& plan, const Problem& oriented, GemmArguments arguments,
                   device::Device& device, Kernels& kernels, device::Stream& stream,
                   device::Address workspace, bool follows) {
  const GemmKernel& kernel = *plan.kernel;
  device::Kernel* entry = &kernels.find(kernel.unit, entry_of(plan, oriented));
  const model::Gpu& gpu = device.gpu();
  arguments.result_bytes = static_cast<int>(size_of(oriented.result));
  arguments.a_across_k = oriented.a_along_k ? 0 : 1;
  arguments.b_across_k = oriented.b_along_k ? 0 : 1;
  const GemmArguments to_c = arguments;
  if (plan.leaves_parts) leave_parts(plan, oriented, arguments);
  arguments.result_is_aligned =
      alignment_of_rows(arguments, oriented, kernel.transposes_result) >= 16;
  arguments.tile_columns = static_cast<unsigned short>(kernel.bn);
  arguments.tile_stages = static_cast<unsigned char>(kernel.stages);
  arguments.tile_rows = static_cast<unsigned char>(kernel.bm);  // 256 for none that asks
  if (kernel.tiles_of_block > 0)
    return launch_teams(plan, oriented, arguments, device, *entry, stream, follows);
  if (kernel.persistent || kernel.is_single || kernel.box_a.lines > 0) {
    arguments.is_shared_a = arguments.a.stride == 0;
    arguments.is_shared_b = arguments.b.stride == 0;
    TensorMap map_a, map_b;
    const bool has_maps = kernel.box_a.lines > 0;
    // What is shared is fetched by as many.
    const auto box_of = [&](const Mapped& what, const FactorBox& tile, int blocks) {
      return kernels::shared_box(kernel, tile, what.along_k, blocks);
    };
    if (has_maps && arguments.k > 0) {
      const Mapped a =
          mapped(arguments.a, plan.a, workspace, oriented.a_along_k, arguments.m, oriented);
      const Mapped b =
          mapped(arguments.b, plan.b, workspace, oriented.b_along_k, arguments.n, oriented);
      map_a = map_of(device, a, box_of(a, kernel.box_a, plan.cluster.across));
      map_b = map_of(device, b, box_of(b, kernel.box_b, plan.cluster.down));
      if (kernel.persistent) {
        const Ahead ahead = ahead_of(plan, oriented);
        arguments.ahead_a = ahead.a, arguments.ahead_b = ahead.b;
      }
    }
    if (stores_boxes(plan, oriented, gpu) && has_map(arguments, oriented)) {
      const kernels::FactorBox box{kernels::kBoxRows, kernels::kBoxBytes / arguments.result_bytes};
      const TensorMap map =
          map_of(device, mapped_result(arguments, oriented, kernel.transposes_result), box);
      arguments.boxes = {std::bit_cast<std::array<unsigned long long, 16>>(map), 1};
      if (has_kernel_of_boxes(kernel, arguments)) {
        entry = &kernels.find(kernel.unit, kernel.boxes_entry);
        arguments.tile_stages = static_cast<unsigned char>(stages_of_boxes(kernel, arguments.k));
      }
    }
    const std::array<const void*, 3> all{&arguments, &map_a, &map_b};
    const std::span<const void* const> values(all.data(), has_maps ? 3 : 1);
    const std::int64_t most = matrices_at_once(plan, oriented);
    for (std::int64_t first = 0; first < oriented.count; first += most) {
      const std::int64_t matrices = std::min(most, oriented.count - first);
      const Dim3 grid = grid_of(plan, oriented, matrices, gpu);
      if (kernel.is_single) {
        arguments.single = single_grid(plan, oriented, first, matrices).single;
        arguments.single.ends_across = ends_across(plan, oriented, arguments) ? 1 : 0;
      } else arguments.tiles = tiles_from(plan, oriented, first, matrices, grid.x);
      const bool early = follows && !wants_order(plan, oriented, gpu);
      device::Launch launch = launch_of(kernel, device, grid, values, early);
      const int blocks = std::max(plan.cluster_parts, plan.cluster.blocks());
      if (blocks > 1 && kernel.cluster.blocks() == 1)  // else the kernel says so itself
        launch.cluster = {static_cast<std::uint32_t>(blocks), 1, 1};
      device.launch(*entry, launch, stream);
    }
    if (plan.parts_entry.empty()) return;
    for (std::int64_t first = 0; first < oriented.count; first += kMostMatrices) {
      GemmArguments some =
          from_matrix(to_c, first, size_of(oriented.operand), size_of(oriented.result));
      some.split.partials = static_cast<std::byte*>(some.split.partials) +
                            first * arguments.c.stride * arguments.result_bytes;
      launch_parts(plan, oriented, some, std::min(kMostMatrices, oriented.count - first), device,
                   kernels, stream);
    }
    return;
  }
  for (std::int64_t first = 0; first < oriented.count; first += kMostMatrices) {
    const std::int64_t matrices = std::min(kMostMatrices, oriented.count - first);
    const GemmArguments some =
        from_matrix(to_c, first, size_of(oriented.operand), size_of(oriented.result));
    GemmArguments product = some;
    product.result_is_aligned = arguments.result_is_aligned;
    if (plan.leaves_parts) leave_parts(plan, oriented, product);
    kernels::TallAny any{};
    const bool is_any = is_tall_of_any_alignment(kernel);
    const Dim3 grid = kernel.goes_by_rounds ? grid_of_rounds(plan, oriented, matrices, gpu, product)
                                            : grid_of(plan, oriented, matrices, gpu);
    if (is_any) any = tall_any_of(product, kernel, grid.x);
    const std::array<const void*, 2> all{&product, &any};
    const std::span<const void* const> values(all.data(), is_any ? 2 : 1);
    device.launch(*entry, launch_of(kernel, device, grid, values, follows), stream);
    if (!plan.parts_entry.empty())
      launch_parts(plan, oriented, some, matrices, device, kernels, stream);
  }
}

void clear(device::Device& device, Kernels& kernels, device::Stream& stream, device::Address words,
           std::uint64_t bytes) {
  constexpr std::int64_t kThreads = 256, kMostBlocks = 1024;
  auto count = static_cast<long long>(bytes / sizeof(unsigned));
  auto* address = reinterpret_cast<unsigned*>(words);
  const std::array<const void*, 2> values{&address, &count};
  device::Launch launch;
  launch.grid = {
      static_cast<std::uint32_t>(std::min<std::int64_t>(kMostBlocks, divide_up(count, kThreads))),
      1, 1};
  launch.block = {kThreads, 1, 1};
  launch.arguments = values;
  device.launch(kernels.find("clear", "gemm_clear"), launch, stream);
}

}  // namespace

device::Kernel& Kernels::find(std::string_view unit, std::string_view entry) {
  const std::scoped_lock lock(loading_);
  const auto known = kernels_.find(entry);
  if (known != kernels_.end()) return *known->second;
  std::unique_ptr<device::Module>& module = modules_[unit];
  if (!module) {
    const model::Gpu& gpu = device_.gpu();
    module = device_.load(
        kernels::find_image(unit, gpu.compute_major, gpu.compute_minor, kernels::gemm_images()));
  }
  device::Kernel& kernel = module->kernel(entry);
  kernels_.emplace(entry, &kernel);
  return kernel;
}

void launch(const Plan& plan, const Problem& problem, device::Device& device, Kernels& kernels,
            device::Stream& stream, device::Address workspace) {
  const Problem oriented = oriented_for(*plan.kernel, problem);
  GemmArguments arguments = prepare(plan, oriented, device, kernels, stream, workspace);
  arguments.split.parts = plan.parts;
  arguments.split.k_each = plan.k_each;
  arguments.result_is_transposed = plan.kernel->transposes_result ? 1 : 0;
  arguments.split.streamed = plan.streamed;
  const bool is_prepared = plan.a.preparation != kernels::Preparation::kNone ||
                           plan.b.preparation != kernels::Preparation::kNone;
  if (plan.partials.bytes > 0)
    arguments.split.partials = reinterpret_cast<void*>(workspace + plan.partials.offset);
  if (plan.arrivals.bytes > 0) {
    arguments.split.arrivals = reinterpret_cast<unsigned*>(workspace + plan.arrivals.offset);
    if (!is_prepared)  // preparations clear them, too
      clear(device, kernels, stream, workspace + plan.arrivals.offset, plan.arrivals.bytes);
  }
  if (plan.rounds.bytes > 0) {
    arguments.rounds = {reinterpret_cast<unsigned*>(workspace + plan.rounds.offset),
                        static_cast<int>(plan.rounds.bytes / sizeof(unsigned))};
  }
  const bool follows = plan.arrivals.bytes > 0 || is_prepared;
  launch_kernel(plan, oriented, arguments, device, kernels, stream, workspace, follows);
}

}  // namespace tilewise::gpu
