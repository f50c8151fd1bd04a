// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalogue.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/suggest.hpp"
#include "tilewise/error.hpp"

namespace tilewise::kernels {
namespace {

constexpr TileShape kTile32{.bm = 32, .bn = 32, .bk = 32};
constexpr TileShape kTile128{.bm = 128, .bn = 128, .bk = 8, .tm = 8, .tn = 8};
constexpr TileShape kTileHopper{.bm = 128, .bn = 256, .bk = 64, .wm = 16, .wn = 256};
constexpr int kSharedHopper = 197632;
constexpr Box kBoxA{.rows = 128, .columns = 64}, kBoxB{.rows = 64, .columns = 64};

constexpr std::array kLadder{
    Rung{.name = "cpu_loop",
         .title = "CPU triple loop",
         .idea = "The definition of the product, on the host: one multiply-add at a time.",
         .source = "003",
         .on_cpu = true},
    Rung{.name = "naive_uncoalesced",
         .title = "Naive, x and y exchanged",
         .idea = "A thread an element of C, but the lanes of a warp walk down different rows of A: "
                 "every access touches up to 32 sectors.",
         .source = "000",
         .block = {32, 32},
         .grid_x_over_rows = true,
         .unit = "01_naive_uncoalesced",
         .entry = "ladder_naive_uncoalesced"},
    Rung{.name = "naive",
         .title = "Naive, coalesced",
         .idea = "Neighbouring lanes take neighbouring columns: one request of a warp reads 32 "
                 "consecutive elements of B and one element of A.",
         .source = "000 001 003 004",
         .block = {32, 32},
         .unit = "02_naive",
         .entry = "ladder_naive"},
    Rung{.name = "shared",
         .title = "Shared memory",
         .idea =
             "The block fetches a 32x32 tile of A and of B once, and 32 threads use each element.",
         .source = "000 003 004",
         .tile = kTile32,
         .block = {32, 32},
         .shared_bytes = 8192,
         .unit = "03_shared",
         .entry = "ladder_shared"},
    Rung{.name = "shared_columns",
         .title = "Shared memory, read across rows",
         .idea = "B's tile stored by columns: the lanes of a warp meet in one bank, and the "
                 "conflicts make it slower than it should be.",
         .source = "001",
         .tile = kTile32,
         .block = {32, 32},
         .shared_bytes = 8192,
         .unit = "04_shared_columns",
         .entry = "ladder_shared_columns"},
    Rung{.name = "shared_transposed",
         .title = "Shared memory, transposed store",
         .idea = "Both tiles lie along k: loads are conflict-free, and the stores that transpose A "
                 "collide instead.",
         .source = "001",
         .tile = kTile32,
         .block = {32, 32},
         .shared_bytes = 8192,
         .unit = "05_shared_transposed",
         .entry = "ladder_shared_transposed"},
    Rung{.name = "shared_padded",
         .title = "Shared memory, padded by one",
         .idea = "One unused column shifts every row of A's tile by a bank: the stores no longer "
                 "collide.",
         .source = "001",
         .tile = kTile32,
         .block = {32, 32},
         .shared_bytes = 8320,
         .unit = "06_shared_padded",
         .entry = "ladder_shared_padded"},
    Rung{.name = "ilp2",
         .title = "Two results a thread",
         .idea = "Two independent sums a thread: a value of B serves both, and their FMAs overlap.",
         .source = "003",
         .tile = {.bm = 32, .bn = 32, .bk = 32, .tm = 2, .tn = 1},
         .block = {32, 16},
         .shared_bytes = 8192,
         .unit = "07_ilp2",
         .entry = "ladder_ilp2"},
    Rung{.name = "tile_1d",
         .title = "1D tile",
         .idea = "Eight results a thread, one below the other: a value of B serves eight FMAs.",
         .source = "000",
         .tile = {.bm = 64, .bn = 64, .bk = 8, .tm = 8, .tn = 1},
         .block = {64, 8},
         .shared_bytes = 4096,
         .unit = "08_tile_1d",
         .entry = "ladder_tile_1d"},
    Rung{.name = "tile_2d",
         .title = "2D tile",
         .idea = "8x8 results a thread by outer products; both operands are still read from shared "
                 "memory for every FMA.",
         .source = "000 004",
         .tile = kTile128,
         .block = {16, 16},
         .shared_bytes = 8192,
         .unit = "09_tile_2d",
         .entry = "ladder_tile_2d"},
    Rung{.name = "tile_2d_registers",
         .title = "2D tile in registers",
         .idea =
             "A thread's column of A and row of B are read into registers once: 16 reads for 64 "
             "FMAs instead of 128.",
         .source = "000",
         .tile = kTile128,
         .block = {16, 16},
         .shared_bytes = 8192,
         .unit = "10_tile_2d_registers",
         .entry = "ladder_tile_2d_registers"},
    Rung{.name = "float4",
         .title = "128-bit accesses",
         .idea =
             "Four floats an instruction; A is transposed on its way into shared memory so that "
             "its reads are wide too.",
         .source = "000 004",
         .tile = kTile128,
         .block = {16, 16},
         .shared_bytes = 8192,
         .unit = "11_float4",
         .entry = "ladder_float4",
         .multiple = 4,
         .entry_any = "ladder_float4_any"},
    Rung{.name = "warp_2x16",
         .title = "Warp of 2x16 threads",
         .idea = "The obvious thread order, with A's tile left as it comes: two-way conflicts on "
                 "every read of A and of B.",
         .source = "004",
         .tile = {.bm = 128, .bn = 128, .bk = 8, .wm = 16, .wn = 128, .tm = 8, .tn = 8},
         .block = {256},
         .shared_bytes = 8192,
         .unit = "12_warp_2x16",
         .entry = "ladder_warp_2x16",
         .multiple = 4,
         .entry_any = "ladder_warp_2x16_any"},
    Rung{.name = "warp_4x8",
         .title = "Warp of 4x8 threads",
         .idea = "A squarer warp, counted down its columns: conflict-free reads, and fewer of them "
                 "a warp.",
         .source = "004",
         .tile = {.bm = 128, .bn = 128, .bk = 8, .wm = 32, .wn = 64, .tm = 8, .tn = 8},
         .block = {256},
         .shared_bytes = 8192,
         .unit = "13_warp_4x8",
         .entry = "ladder_warp_4x8",
         .multiple = 4,
         .entry_any = "ladder_warp_4x8_any"},
    Rung{.name = "thread_tile_split",
         .title = "Thread tile in four pieces",
         .idea =
             "A thread's 8x8 results become four 4x4 pieces, so that 8 lanes read 8 neighbouring "
             "quads: the other cure.",
         .source = "004",
         .tile = {.bm = 128, .bn = 128, .bk = 8, .wm = 16, .wn = 128, .tm = 8, .tn = 8},
         .block = {256},
         .shared_bytes = 8192,
         .unit = "14_thread_tile_split",
         .entry = "ladder_thread_tile_split",
         .multiple = 4,
         .entry_any = "ladder_thread_tile_split_any"},
    Rung{.name = "double_buffer",
         .title = "Double buffer",
         .idea = "Two stages in shared memory: one is filled while the other is used, with one "
                 "barrier for 16 k.",
         .source = "000 003",
         .tile = {.bm = 128, .bn = 128, .bk = 16, .wm = 16, .wn = 128, .tm = 8, .tn = 8},
         .block = {256},
         .shared_bytes = 32768,
         .unit = "15_double_buffer",
         .entry = "ladder_double_buffer",
         .multiple = 4,
         .entry_any = "ladder_double_buffer_any"},
    Rung{.name = "padding",
         .title = "Padding by four",
         .idea = "Four unused words behind each k of A's tile: its stores no longer collide.",
         .source = "000",
         .tile = {.bm = 128, .bn = 128, .bk = 16, .wm = 16, .wn = 128, .tm = 8, .tn = 8},
         .block = {256},
         .shared_bytes = 33280,
         .unit = "16_padding",
         .entry = "ladder_padding",
         .multiple = 4,
         .entry_any = "ladder_padding_any"},
    Rung{.name = "z_order",
         .title = "Lanes in Z order",
         .idea =
             "Lane neighbours share rows or columns, so every 128-bit load takes two wavefronts "
             "instead of four.",
         .source = "000",
         .tile = {.bm = 128, .bn = 128, .bk = 16, .wm = 32, .wn = 64, .tm = 8, .tn = 8},
         .block = {256},
         .shared_bytes = 33280,
         .unit = "17_z_order",
         .entry = "ladder_z_order",
         .multiple = 4,
         .entry_any = "ladder_z_order_any"},
    Rung{.name = "final",
         .title = "All of it, tuned",
         .idea = "Z order, both memories buffered twice, 16x8 results a thread, no bound check in "
                 "the loop, FMAs ordered for the operand cache.",
         .source = "000 003 004",
         .tile = {.bm = 128, .bn = 128, .bk = 8, .wm = 64, .wn = 64, .tm = 16, .tn = 8},
         .block = {128},
         .shared_bytes = 16640,
         .unit = "18_final",
         .entry = "ladder_final",
         .multiple = 4,
         .entry_any = "ladder_final_any"},
    Rung{.name = "f64_tile",
         .title = "f64, 16x16 tile",
         .idea = "8-byte elements: a warp reads in two phases of 16 lanes; A is broadcast, B "
                 "contiguous.",
         .source = "003",
         .arithmetic = Arithmetic::kF64,
         .tile = {.bm = 16, .bn = 16, .bk = 16},
         .block = {16, 16},
         .shared_bytes = 4096,
         .unit = "19_f64_tile",
         .entry = "ladder_f64_tile"},
    Rung{.name = "f64_column_major",
         .title = "f64, column-major, padded",
         .idea = "Column-major storage: x walks down the rows to stay coalesced, and one column of "
                 "padding keeps the banks apart.",
         .source = "002",
         .arithmetic = Arithmetic::kF64,
         .order = Order::kColumnMajor,
         .tile = {.bm = 16, .bn = 16, .bk = 16},
         .block = {16, 16},
         .grid_x_over_rows = true,
         .shared_bytes = 4352,
         .unit = "20_f64_column_major",
         .entry = "ladder_f64_column_major"},
    Rung{.name = "cp_async",
         .title = "Asynchronous copies, four stages",
         .idea =
             "Copies that pass the registers by, asked for three steps ahead; A is transposed on "
             "its way.",
         .tile = {.bm = 128, .bn = 128, .bk = 8, .wm = 64, .wn = 64, .tm = 16, .tn = 8},
         .block = {128},
         .shared_bytes = 33280,
         .unit = "21_cp_async",
         .entry = "ladder_cp_async",
         .multiple = 4,
         .entry_any = "ladder_cp_async_any"},
    Rung{.name = "wmma",
         .title = "Tensor cores: WMMA",
         .idea = "One instruction of a warp multiplies 16x16x16 halves; fragments are loaded and "
                 "stored by the library, whoever holds what.",
         .source = "003",
         .arithmetic = Arithmetic::kF16,
         .tile = {.bm = 128, .bn = 128, .bk = 32, .wm = 64, .wn = 32},
         .block = {256},
         .shared_bytes = 37888,
         .unit = "22_wmma",
         .entry = "ladder_wmma",
         .multiple = 8,
         .entry_any = "ladder_wmma_any"},
    Rung{.name = "mma_f16",
         .title = "Tensor cores: ldmatrix and mma.sync",
         .idea = "Fragments in known places: read ahead by ldmatrix from swizzled tiles, sums "
                 "straight from registers to C.",
         .arithmetic = Arithmetic::kF16,
         .tile = {.bm = 128, .bn = 128, .bk = 64, .wm = 64, .wn = 64},
         .block = {128},
         .dynamic_shared_bytes = 98304,
         .unit = "23_mma_f16",
         .entry = "ladder_mma_f16",
         .multiple = 8,
         .entry_any = "ladder_mma_f16_any"},
    Rung{.name = "mma_bf16",
         .title = "The same in bf16",
         .idea = "f32's range in 16 bits: the same bytes, places and rate, three bits less of "
                 "precision.",
         .arithmetic = Arithmetic::kBF16,
         .tile = {.bm = 128, .bn = 128, .bk = 64, .wm = 64, .wn = 64},
         .block = {128},
         .dynamic_shared_bytes = 98304,
         .unit = "24_mma_bf16",
         .entry = "ladder_mma_bf16",
         .multiple = 8,
         .entry_any = "ladder_mma_bf16_any"},
    Rung{.name = "mma_tf32",
         .title = "f32 through tensor cores",
         .idea = "f32 matrices as they are, of which the tensor cores read 19 bits, rounded on the "
                 "way.",
         .arithmetic = Arithmetic::kTF32,
         .tile = {.bm = 128, .bn = 128, .bk = 32, .wm = 64, .wn = 64},
         .block = {128},
         .dynamic_shared_bytes = 98304,
         .unit = "25_mma_tf32",
         .entry = "ladder_mma_tf32",
         .multiple = 4,
         .entry_any = "ladder_mma_tf32_any"},
    Rung{.name = "mma_f64",
         .title = "f64 through tensor cores",
         .idea = "Double precision at twice the FMA pipes' rate, each product and sum rounded as "
                 "ever.",
         .arithmetic = Arithmetic::kF64,
         .tile = {.bm = 128, .bn = 128, .bk = 16, .wm = 64, .wn = 32},
         .block = {256},
         .dynamic_shared_bytes = 131072,
         .unit = "26_mma_f64",
         .entry = "ladder_mma_f64",
         .multiple = 2,
         .entry_any = "ladder_mma_f64_any"},
    Rung{.name = "wgmma",
         .title = "TMA and wgmma",
         .idea = "One thread asks for whole tiles; a warpgroup multiplies them where they lie, "
                 "without fragments.",
         .arithmetic = Arithmetic::kBF16,
         .tile = kTileHopper,
         .block = {256},
         .dynamic_shared_bytes = kSharedHopper,
         .compute_major = 9,
         .unit = "27_wgmma",
         .entry = "ladder_wgmma",
         .multiple = 8,
         .entry_any = "ladder_wgmma_any",
         .box_a = kBoxA,
         .box_b = kBoxB},
    Rung{.name = "warp_specialised",
         .title = "Warps with roles",
         .idea = "One warpgroup asks for tiles, two multiply; barriers for full and empty stages "
                 "take the place of meeting each step.",
         .arithmetic = Arithmetic::kBF16,
         .tile = kTileHopper,
         .block = {384},
         .dynamic_shared_bytes = kSharedHopper,
         .compute_major = 9,
         .unit = "28_warp_specialised",
         .entry = "ladder_warp_specialised",
         .multiple = 8,
         .entry_any = "ladder_warp_specialised_any",
         .box_a = kBoxA,
         .box_b = kBoxB},
    Rung{.name = "cluster_multicast",
         .title = "Clusters with multicast",
         .idea = "Two blocks, one below the other, fetch half of their common tile of B each, and "
                 "both get all of it.",
         .arithmetic = Arithmetic::kBF16,
         .tile = kTileHopper,
         .block = {384},
         .dynamic_shared_bytes = kSharedHopper,
         .compute_major = 9,
         .unit = "29_cluster_multicast",
         .entry = "ladder_cluster_multicast",
         .multiple = 8,
         .entry_any = "ladder_cluster_multicast_any",
         .box_a = kBoxA,
         .box_b = kBoxB,
         .cluster = 2},
    Rung{.name = "persistent",
         .title = "Persistent blocks",
         .idea = "Blocks that stay: the next tile's stages fill while this one's sums are stored, "
                 "and neighbours in time are neighbours in C.",
         .arithmetic = Arithmetic::kBF16,
         .tile = kTileHopper,
         .block = {384},
         .dynamic_shared_bytes = kSharedHopper,
         .compute_major = 9,
         .unit = "30_persistent",
         .entry = "ladder_persistent",
         .multiple = 8,
         .entry_any = "ladder_persistent_any",
         .box_a = kBoxA,
         .box_b = kBoxB,
         .cluster = 2,
         .persistent = true},
};

// CUDA's limit on a grid's y and z: https://docs.nvidia.com/cuda/cuda-c-programming-guide, table
// "Technical Specifications per Compute Capability".
constexpr std::int64_t kMaximumGridY = 65535;

constexpr std::int64_t blocks_for(std::int64_t extent, std::int64_t block_extent) {
  return extent / block_extent + (extent % block_extent != 0);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The rungs that one item of --rungs names: a name or "first..last".
std::span<const Rung> rungs_of(std::string_view item, std::span<const Rung> among) {
  const auto dots = item.find("..");
  if (dots == std::string_view::npos) return {&find_rung(item, among), 1};
  const Rung& first = find_rung(trimmed(item.substr(0, dots)), among);
  const Rung& last = find_rung(trimmed(item.substr(dots + 2)), among);
  if (&last < &first)
    throw Error(ErrorCode::kInvalidArgument, "--rungs: the range '" + std::string(item) +
                                                 "' is empty: " + std::string(last.name) +
                                                 " comes before " + std::string(first.name));
  return {&first, &last + 1};
}

// "f16,bf16"
std::vector<Arithmetic> arithmetics_of(std::string_view expression) {
  constexpr std::array kAll{Arithmetic::kF16, Arithmetic::kBF16, Arithmetic::kTF32,
                            Arithmetic::kF32, Arithmetic::kF64};
  std::vector<Arithmetic> wanted;
  for (std::string_view rest = expression;;) {
    const auto comma = rest.find(',');
    const std::string_view name = trimmed(rest.substr(0, comma));
    const auto found = std::ranges::find(kAll, name, [](Arithmetic each) { return name_of(each); });
    if (found == kAll.end())
      throw Error(ErrorCode::kInvalidArgument, "--dtype: there is no '" + std::string(name) +
                                                   "': expected f16, bf16, tf32, f32 or f64");
    wanted.push_back(*found);
    if (comma == std::string_view::npos) return wanted;
    rest = rest.substr(comma + 1);
  }
}

TensorType tensor_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return TensorType::kF16;
    case Dtype::kBF16: return TensorType::kBf16;
    case Dtype::kF64: return TensorType::kF64;
    default: return TensorType::kF32;
  }
}

}  // namespace

std::string_view name_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kTF32 ? "tf32" : tilewise::name_of(operand_dtype(arithmetic));
}

Dtype operand_dtype(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kF16: return Dtype::kF16;
    case Arithmetic::kBF16: return Dtype::kBF16;
    case Arithmetic::kTF32:
    case Arithmetic::kF32: return Dtype::kF32;
    case Arithmetic::kF64: return Dtype::kF64;
  }
  return Dtype::kF32;
}

Dtype result_dtype(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kF64 ? Dtype::kF64 : Dtype::kF32;
}

std::span<const Rung> ladder() { return kLadder; }

const Rung& find_rung(std::string_view name, std::span<const Rung> among) {
  const auto found = std::ranges::find(among, name, &Rung::name);
  if (found != among.end()) return *found;
  std::vector<std::string_view> names(among.size());
  std::ranges::transform(among, names.begin(), &Rung::name);
  throw Error(ErrorCode::kInvalidArgument,
              "--rungs: there is no rung '" + std::string(name) + "'" + did_you_mean(name, names));
}

std::vector<const Rung*> select_rungs(std::string_view expression, std::span<const Rung> among) {
  std::vector<const Rung*> selected;
  const auto add = [&](std::span<const Rung> rungs) {
    for (const Rung& rung : rungs)
      if (std::ranges::find(selected, &rung) == selected.end()) selected.push_back(&rung);
  };
  if (trimmed(expression).empty()) add(among);
  while (!trimmed(expression).empty()) {
    const auto comma = expression.find(',');
    add(rungs_of(trimmed(expression.substr(0, comma)), among));
    expression = comma == std::string_view::npos ? "" : expression.substr(comma + 1);
  }
  return selected;
}

std::vector<const Rung*> select_dtypes(std::vector<const Rung*> rungs,
                                       std::string_view expression) {
  const std::vector<Arithmetic> wanted = arithmetics_of(expression);
  std::erase_if(rungs, [&](const Rung* rung) {
    return std::ranges::find(wanted, rung->arithmetic) == wanted.end();
  });
  if (rungs.empty())
    throw Error(ErrorCode::kInvalidArgument,
                "--dtype " + std::string(expression) + ": none of the rungs computes in that");
  return rungs;
}

bool can_run_on(const Rung& rung, int compute_major, int compute_minor) {
  if (rung.compute_major == 9) return compute_major == 9 && compute_minor == 0;
  return compute_major >= rung.compute_major;
}

std::string_view entry_for(const Rung& rung, std::int64_t n, std::int64_t k) {
  const bool aligned = n % rung.multiple == 0 && k % rung.multiple == 0;
  const bool nothing_to_map = rung.box_a.rows > 0 && k == 0;  // no tensor map has rows of length 0
  return aligned && !nothing_to_map ? rung.entry : rung.entry_any;
}

Dim3 grid_for(const Rung& rung, std::int64_t m, std::int64_t n) {
  if (rung.on_cpu)
    throw Error(ErrorCode::kInvalidArgument,
                "rung '" + std::string(rung.name) + "' runs on the host: it has no grid");
  // A rung without a tile computes one element a thread.
  const std::int64_t threads_down = rung.grid_x_over_rows ? rung.block.x : rung.block.y;
  const std::int64_t threads_across = rung.grid_x_over_rows ? rung.block.y : rung.block.x;
  std::int64_t x = blocks_for(n, rung.tile.bn ? rung.tile.bn : threads_across);
  std::int64_t y = blocks_for(m, rung.tile.bm ? rung.tile.bm : threads_down);
  if (rung.grid_x_over_rows) std::swap(x, y);
  const std::int64_t z = std::max<std::int64_t>(1, blocks_for(y, kMaximumGridY));
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(blocks_for(y, z)),
          static_cast<std::uint32_t>(z)};
}

LaunchShape launch_shape(const Rung& rung, std::int64_t m, std::int64_t n, std::int64_t k,
                         int sm_count) {
  LaunchShape shape{.entry = entry_for(rung, n, k), .grid = grid_for(rung, m, n)};
  if (shape.entry != rung.entry) return shape;
  shape.tensor_maps = rung.box_a.rows > 0;
  if (rung.cluster == 1 && !rung.persistent) return shape;
  // Clusters down the rows of C; every z holds whole ones.
  const std::int64_t across = shape.grid.x, cluster = rung.cluster;
  const std::int64_t down = blocks_for(m, rung.tile.bm * cluster);
  if (rung.persistent) {
    const std::int64_t at_a_time = std::max<std::int64_t>(1, sm_count / cluster);
    // As few as need no more rounds than all would: then all have as many tiles, or one fewer.
    const std::int64_t rounds = blocks_for(down * across, at_a_time);
    const std::int64_t clusters = blocks_for(down * across, rounds);
    shape.grid = {static_cast<std::uint32_t>(clusters * cluster), 1, 1};
  } else {
    const std::int64_t z = blocks_for(down, kMaximumGridY / cluster);
    shape.grid.y = static_cast<std::uint32_t>(blocks_for(down, z) * cluster);
    shape.grid.z = static_cast<std::uint32_t>(z);
  }
  return shape;
}

TensorMapRequest map_of(const Rung& rung, const Box& box, std::uint64_t address, std::int64_t rows,
                        std::int64_t columns) {
  const Dtype dtype = operand_dtype(rung.arithmetic);
  TensorMapRequest request;
  request.type = tensor_type(dtype);
  request.rank = 2;
  request.address = address;
  request.dimensions = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)};
  request.strides = {static_cast<std::uint64_t>(columns) * size_of(dtype)};
  request.box = {static_cast<std::uint32_t>(box.columns), static_cast<std::uint32_t>(box.rows)};
  request.swizzle = TensorSwizzle::k128B;
  request.l2_promotion = 128;
  return request;
}

}  // namespace tilewise::kernels
