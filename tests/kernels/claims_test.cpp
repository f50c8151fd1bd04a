// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the rungs' own comments claim and counters can prove, at 256³, where every tile is full. The
// expected numbers follow from the kernels' sources and the access rules (model/access.hpp) alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "bench/ladder.hpp"
#include "device/device.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"

namespace tilewise::kernels {
namespace {

constexpr std::uint64_t kSize = 256;
constexpr std::uint64_t kProducts = kSize * kSize * kSize;
constexpr std::uint64_t kWarpsOfC = kSize * kSize / 32;  // a lane an element

class Claims : public testing::Test {
 protected:
  void SetUp() override {
    if (images().empty()) GTEST_SKIP() << "built without nvcc";
  }

  static const bench::RungResult& row(std::string_view name) {
    static const auto device = device::open(device::Choice::kVirtual, "h200");
    static std::map<std::string_view, bench::RungResult> rows;
    auto found = rows.find(name);
    if (found == rows.end()) {
      bench::LadderRequest request;
      request.m = request.n = request.k = kSize;
      request.rungs = {&find_rung(name)};
      found = rows.emplace(name, bench::run_ladder(*device, request).rungs.at(0)).first;
    }
    return found->second;
  }
  static const Counters& counters(std::string_view name) { return row(name).counters.value(); }
};

TEST_F(Claims, EveryRungIsCountedExactly) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    EXPECT_TRUE(row(rung.name).verified) << rung.name;
    EXPECT_EQ(row(rung.name).fidelity, "exact") << rung.name;
    for (const std::string& note : row(rung.name).fidelity_notes) ADD_FAILURE() << note;
  }
}

TEST_F(Claims, EveryRungMultipliesAndAddsMNKTimes) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    const Counters& counted = counters(rung.name);
    const std::uint64_t by_tensor_cores = counted.tensor_fmas_f16 + counted.tensor_fmas_bf16 +
                                          counted.tensor_fmas_tf32 + counted.tensor_fmas_f64;
    const bool on_tensor_cores = rung.tile.wm > 0 && rung.tile.tm == 0;
    EXPECT_EQ(by_tensor_cores, on_tensor_cores ? kProducts : 0) << rung.name;
    EXPECT_EQ(counted.fma_threads, on_tensor_cores ? 0 : kProducts) << rung.name;
  }
}

// Founding document 004: the naive kernel reads 2·M·N·K elements, one of A and one of B for each FMA.
TEST_F(Claims, NaiveReadsTwoElementsForEachFma) {
  for (const char* name : {"naive_uncoalesced", "naive"}) {
    EXPECT_EQ(counters(name).global_load_requests * 32, 2 * kProducts) << name;
  }
  // Coalesced: 32 consecutive elements of B are 4 sectors, the one element of A is 1.
  EXPECT_EQ(counters("naive").global_load_sectors, kWarpsOfC * kSize * (4 + 1));
  EXPECT_EQ(counters("naive").global_store_sectors, kWarpsOfC * 4);
  // Uncoalesced: 32 rows of A are 32 sectors, the one element of B is 1.
  EXPECT_EQ(counters("naive_uncoalesced").global_load_sectors, kWarpsOfC * kSize * (32 + 1));
  EXPECT_EQ(counters("naive_uncoalesced").global_store_sectors, kWarpsOfC * 32);
}

// Founding document 004: a tiled kernel reads M·N·K·(1/BM + 1/BN) elements. Every sector it touches it
// uses whole: 8 elements of f32, 4 of f64. So do the stores of C, but for the rungs whose threads hold
// 8 neighbouring columns and store them in two quads: each of these touches half of every sector.
TEST_F(Claims, TiledRungsReadEachTileOnce) {
  for (const Rung& rung : ladder()) {
    if (rung.tile.bm == 0) continue;
    const std::uint64_t elements = kProducts / static_cast<std::uint64_t>(rung.tile.bm) +
                                   kProducts / static_cast<std::uint64_t>(rung.tile.bn);
    const Counters& counted = counters(rung.name);
    // Copies that pass the registers by are counted apart; a multicast tile counts for each block it
    // comes to.
    EXPECT_EQ(
        (counted.global_load_sectors + counted.async_copy_sectors) * 32 + counted.bulk_load_bytes,
        elements * size_of(operand_dtype(rung.arithmetic)))
        << rung.name;
    const bool halves =
        rung.name == "float4" || rung.name == "warp_2x16" || rung.name == "warp_4x8";
    EXPECT_EQ(counted.global_store_sectors * 32,
              (halves ? 2 : 1) * kSize * kSize * size_of(result_dtype(rung.arithmetic)))
        << rung.name;
  }
}

// What one warp does to shared memory in one step of BK along k.
struct SharedStep {
  std::string_view rung;
  std::uint64_t loads, load_wavefronts, load_conflicts;
  std::uint64_t stores, store_wavefronts, store_conflicts;
};

// Loads. A 32-bit load without conflicts is 1 wavefront. A 128-bit load is 4 phases of 8 lanes, or 2 of
// 16 where lane pairs agree on their addresses; a 64-bit load 2 phases of 16 lanes, or 1 of 32.
// Stores: the same without merging.
constexpr SharedStep kSharedSteps[] = {
    // BK = 32. A: 8 quads, each the same for all lanes: 2 wavefronts. B: 32 words in a row, 1 each.
    {"shared", 8 + 32, 8 * 2 + 32, 0, 2, 2, 0},
    // B: 8 quads, lanes 32 words apart: 8 lanes of a phase in 4 banks, 8 wavefronts instead of 1, in
    // each of 4 phases. Its store: 32 lanes in one bank.
    {"shared_columns", 8 + 8, 8 * 2 + 8 * 32, 8 * 28, 2, 1 + 32, 31},
    // A: 32 words, the same for all lanes; its store: 32 lanes in one bank.
    {"shared_transposed", 32 + 32, 32 + 32, 0, 2, 1 + 32, 31},
    {"shared_padded", 32 + 32, 32 + 32, 0, 2, 2, 0},
    // A: 8 quads in each of two rows.
    {"ilp2", 16 + 32, 16 * 2 + 32, 0, 4, 4, 0},
    // BK = 8. A: 2 quads in each of 8 rows, the same for all lanes. B: 8 words.
    {"tile_1d", 16 + 8, 16 * 2 + 8, 0, 2, 2, 0},
    // For each k and each of 64 FMAs one word of A and one of B. A: two rows, 8 words apart.
    {"tile_2d", 8 * 128, 8 * 128, 0, 8, 8, 0},
    {"tile_2d_registers", 8 * 16, 8 * 16, 0, 8, 8, 0},
    // A: 2 quads, one address a half warp: 2 wavefronts. B: 2 quads, lanes 8 words apart: 8 lanes of a
    // phase in half the banks, 2 wavefronts instead of 1. Stores of A: 4 words, k and k + 4 of 16 rows
    // in the same 16 banks: 2 wavefronts; of B: a quad, 4 wavefronts.
    {"float4", 8 * 4, 8 * (2 * 2 + 2 * 8), 8 * 2 * 4, 5, 4 * 2 + 4, 4},
    // A: 8 words, two rows 64 words apart: 2 wavefronts instead of 1. B as before. Stores: two quads.
    {"warp_2x16", 8 * 10, 8 * (8 * 2 + 2 * 8), 8 * (8 * 1 + 2 * 4), 2, 8, 0},
    // A: 2 quads, 4 addresses in each phase, 8 words apart: 4. B: lanes agree in fours: 2.
    {"warp_4x8", 8 * 4, 8 * (2 * 4 + 2 * 2), 0, 5, 4 * 2 + 4, 4},
    // A: one address a half warp: 2. B: 8 neighbouring quads in each phase: 4.
    {"thread_tile_split", 8 * 4, 8 * (2 * 2 + 2 * 4), 0, 5, 4 * 2 + 4, 4},
    // BK = 16: twice as much of the same.
    {"double_buffer", 16 * 4, 16 * (2 * 2 + 2 * 4), 0, 10, 8 * 2 + 2 * 4, 8},
    // Rows of 132 words: k and k + 4 of 16 rows in different banks.
    {"padding", 16 * 4, 16 * (2 * 2 + 2 * 4), 0, 10, 8 + 2 * 4, 0},
    // Lanes agree in pairs (A: lane ^ 1, B: lane ^ 2): 2 wavefronts for each quad.
    {"z_order", 16 * 4, 16 * 4 * 2, 0, 10, 8 + 2 * 4, 0},
    // BK = 8. 4 quads of A and 2 of B for each k. Stores: 8 words of A, 2 quads of B.
    {"final", 8 * 6, 8 * 6 * 2, 0, 10, 8 + 2 * 4, 0},
    // f64, BK = 16. A: 8 pairs, one address a half warp: 2 wavefronts. B: 16 in a row in each phase: 2.
    {"f64_tile", 8 + 16, 8 * 2 + 16 * 2, 0, 2, 4, 0},
    // A: rows of 17 doubles, 16 lanes in different banks: 2. B: one address a half warp, in different
    // banks: merged into 1.
    {"f64_column_major", 16 + 16, 16 * 2 + 16 * 1, 0, 2, 4, 0},
};

TEST_F(Claims, SharedMemoryIsUsedAsTheRungsSay) {
  for (const SharedStep& step : kSharedSteps) {
    SCOPED_TRACE(step.rung);
    const Rung& rung = find_rung(step.rung);
    const std::uint64_t blocks = grid_for(rung, kSize, kSize).count();
    const std::uint64_t steps = kSize / static_cast<std::uint64_t>(rung.tile.bk);
    const std::uint64_t warp_steps = blocks * rung.block.count() / 32 * steps;
    const Counters& counted = counters(step.rung);
    EXPECT_EQ(counted.shared_load_instructions, warp_steps * step.loads);
    EXPECT_EQ(counted.shared_load_wavefronts, warp_steps * step.load_wavefronts);
    EXPECT_EQ(counted.shared_load_conflicts, warp_steps * step.load_conflicts);
    EXPECT_EQ(counted.shared_store_instructions, warp_steps * step.stores);
    EXPECT_EQ(counted.shared_store_wavefronts, warp_steps * step.store_wavefronts);
    EXPECT_EQ(counted.shared_store_conflicts, warp_steps * step.store_conflicts);
  }
}

// The same where stages are filled by cp.async: what a warp reads of shared memory for one fragment,
// and what it copies in one step. Of `fragments` along k in a step, one more is read before the first
// where fragments are read ahead; and of the steps, as many more are copied as stages are ahead, with
// nothing in them past the end of k.
struct CopiedStep {
  std::string_view rung;
  std::uint64_t stages, fragments, fragments_ahead;
  std::uint64_t loads, load_wavefronts;                   // for each fragment
  std::uint64_t copies, copy_wavefronts, copy_conflicts;  // for each step
  std::uint64_t empty_wavefronts;  // for each step past the end of k, whose copies bring zeros
};

// 32 lanes copy 512 bytes in pieces of 16: four lines of 128 bytes, a wavefront each.
constexpr CopiedStep kCopiedSteps[] = {
    // 6 quads of each k. Copies: 8 of words of A, 4 rows a multiple of 128 bytes apart, which the cache
    // serves one by one, but for zeros, which are in no line; 2 of quads of B.
    {"cp_async", 4, 8, 1, 6, 6 * 2, 8 + 2, 8 * 4 + 2 * 4, 8 * 3, 8 + 2 * 4},
    // 16 k: 4 ldmatrix of four matrices of A, 4 of B.
    {"mma_f16", 3, 4, 1, 4 + 4, 4 * 4 + 4 * 4, 8 + 8, 16 * 4, 0, 16 * 4},
    {"mma_bf16", 3, 4, 1, 4 + 4, 4 * 4 + 4 * 4, 8 + 8, 16 * 4, 0, 16 * 4},
    // 8 k: 4 ldmatrix of A, 16 words of B.
    {"mma_tf32", 3, 4, 1, 4 + 16, 4 * 4 + 16, 8 + 8, 16 * 4, 0, 16 * 4},
    // 8 k: 16 doubles of A, 8 of B, two wavefronts each.
    {"mma_f64", 4, 2, 0, 16 + 8, 2 * 24, 4 + 4, 8 * 4, 0, 8 * 4},
};

TEST_F(Claims, CopiesAndFragmentsAreAsTheRungsSay) {
  for (const CopiedStep& step : kCopiedSteps) {
    SCOPED_TRACE(step.rung);
    const Rung& rung = find_rung(step.rung);
    const std::uint64_t warps = grid_for(rung, kSize, kSize).count() * rung.block.count() / 32;
    const std::uint64_t steps = kSize / static_cast<std::uint64_t>(rung.tile.bk);
    const std::uint64_t fragments = warps * (steps * step.fragments + step.fragments_ahead);
    const std::uint64_t empty = warps * (step.stages - 1), copied = warps * steps;
    const Counters& counted = counters(step.rung);
    EXPECT_EQ(counted.shared_load_instructions, fragments * step.loads);
    EXPECT_EQ(counted.shared_load_wavefronts, fragments * step.load_wavefronts);
    EXPECT_EQ(counted.shared_load_conflicts, 0u);
    EXPECT_EQ(counted.shared_store_instructions, 0u);
    EXPECT_EQ(counted.async_copy_instructions, (copied + empty) * step.copies);
    EXPECT_EQ(counted.async_copy_wavefronts,
              copied * step.copy_wavefronts + empty * step.empty_wavefronts);
    EXPECT_EQ(counted.async_copy_conflicts, copied * step.copy_conflicts);
  }
}

// What wgmma reads of shared memory goes by the pipe of loads: each warp reads its 16 rows of A once, and
// the four warps of a warpgroup read B together, all of it for each of their tile's row blocks of 64.
constexpr std::string_view kBulkRungs[] = {"wgmma", "warp_specialised", "cluster_multicast",
                                           "persistent"};

TEST_F(Claims, WgmmaReadsSharedMemoryItself) {
  for (const std::string_view name : kBulkRungs) {
    SCOPED_TRACE(name);
    const Rung& rung = find_rung(name);
    const Counters& counted = counters(name);
    EXPECT_EQ(counted.shared_load_instructions, 0u);
    EXPECT_EQ(counted.shared_store_instructions, 0u);
    EXPECT_EQ(counted.tensor_fmas_bf16, kProducts);
    const auto row_blocks = kSize / 64;
    EXPECT_EQ(counted.wgmma_shared_bytes,
              2 * kSize * kSize * (kSize / static_cast<std::uint64_t>(rung.tile.bn) + row_blocks));
  }
}

// 16 k: 4 tiles of A and 2 of B, four matrices each. A step fetches 2 quads of A, 8 rows of two turns,
// and 2 of B. At the end a warp stores 8 patches in 4 stores of pairs and reads each in 8 loads.
TEST_F(Claims, WmmaReadsFragmentsAndPatchesWithoutConflicts) {
  const Counters& counted = counters("wmma");
  constexpr std::uint64_t kWarps = 4 * 8, kSteps = kSize / 32;
  EXPECT_EQ(counted.shared_load_instructions, kWarps * (kSteps * 2 * 6 + 8 * 8));
  EXPECT_EQ(counted.shared_load_wavefronts, kWarps * (kSteps * 2 * 6 * 4 + 8 * 8));
  EXPECT_EQ(counted.shared_load_conflicts, 0u);
  EXPECT_EQ(counted.shared_store_instructions, kWarps * (kSteps * 4 + 8 * 4));
  EXPECT_EQ(counted.shared_store_wavefronts, kWarps * (kSteps * (2 * 8 + 2 * 4) + 8 * 4 * 2));
  EXPECT_EQ(counted.shared_store_conflicts, kWarps * kSteps * 2 * 4);
}

// wmma has its own above.
TEST_F(Claims, EveryTiledRungHasItsSharedMemoryClaims) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    const auto* found = std::ranges::find(kSharedSteps, rung.name, &SharedStep::rung);
    const auto* copied = std::ranges::find(kCopiedSteps, rung.name, &CopiedStep::rung);
    const bool is_bulk = std::ranges::find(kBulkRungs, rung.name) != std::end(kBulkRungs);
    EXPECT_EQ(rung.tile.bm > 0, found != std::end(kSharedSteps) ||
                                    copied != std::end(kCopiedSteps) || is_bulk ||
                                    rung.name == "wmma")
        << rung.name;
  }
}

// Two barriers for 8 k, and with two stages one for 16 k after the one behind the first tiles.
TEST_F(Claims, DoubleBufferingWaitsLess) {
  const std::uint64_t warps = 4 * 8;  // 4 blocks of 256 threads
  EXPECT_EQ(counters("thread_tile_split").barriers, warps * 2 * kSize / 8);
  EXPECT_EQ(counters("double_buffer").barriers, warps * (1 + kSize / 16));
}

}  // namespace
}  // namespace tilewise::kernels
