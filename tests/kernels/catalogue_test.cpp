// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::kernels {
namespace {

std::vector<std::string> names_of(std::string_view expression) {
  std::vector<std::string> names;
  for (const Rung* rung : select_rungs(expression)) names.emplace_back(rung->name);
  return names;
}

// The message of the Error that `call` throws, checked to be of `code`; empty when it throws none.
template <typename Call> std::string message_of(ErrorCode code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return {};
}

using Names = std::vector<std::string>;

TEST(Catalogue, NamesUnitsAndEntriesAreUnique) {
  std::set<std::string_view> names, units, entries;
  for (const Rung& rung : ladder()) {
    EXPECT_TRUE(names.insert(rung.name).second) << rung.name;
    if (rung.on_cpu) continue;
    EXPECT_TRUE(units.insert(rung.unit).second) << rung.unit;
    EXPECT_TRUE(entries.insert(rung.entry).second) << rung.entry;
    if (rung.multiple == 1) continue;
    EXPECT_TRUE(entries.insert(rung.entry_any).second) << rung.entry_any;
  }
  EXPECT_EQ(names.size(), 21u);
}

TEST(Catalogue, UnitsAreNumberedInTheOrderOfTheLadder) {
  int number = 0;
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    ++number;
    std::string expected{char('0' + number / 10), char('0' + number % 10), '_'};
    EXPECT_EQ(rung.unit, expected.append(rung.name));
  }
  EXPECT_EQ(number, 20);
}

TEST(Catalogue, EveryRungExplainsItself) {
  for (const Rung& rung : ladder()) {
    EXPECT_FALSE(rung.title.empty()) << rung.name;
    EXPECT_GT(rung.idea.size(), 20u) << rung.name;
    EXPECT_TRUE(rung.idea.ends_with('.')) << rung.name;
    EXPECT_FALSE(rung.source.empty()) << rung.name;
    EXPECT_EQ(rung.multiple > 1, !rung.entry_any.empty()) << rung.name;
  }
}

TEST(Catalogue, TheLastThreeF32RungsTakeAnyShape) {
  for (const char* name : {"padding", "z_order", "final"}) {
    const Rung& rung = find_rung(name);
    EXPECT_EQ(entry_for(rung, 7, 5), std::string(rung.entry) + "_any");
  }
}

// Each level of tiles must divide the level above, and the threads must cover the block tile once.
TEST(Catalogue, TilesFitTogether) {
  for (const Rung& rung : ladder()) {
    const TileShape& tile = rung.tile;
    if (tile.bm == 0) continue;
    const int tm = std::max(tile.tm, 1), tn = std::max(tile.tn, 1);
    EXPECT_EQ(rung.block.count() * tm * tn, std::uint64_t(tile.bm) * tile.bn) << rung.name;
    if (tile.wm == 0) continue;
    EXPECT_EQ(tile.bm % tile.wm, 0) << rung.name;
    EXPECT_EQ(tile.bn % tile.wn, 0) << rung.name;
    EXPECT_EQ(tile.wm * tile.wn, 32 * tm * tn) << rung.name;
  }
}

TEST(Catalogue, EntryDependsOnAlignmentOnly) {
  const Rung& rung = find_rung("float4");
  EXPECT_EQ(entry_for(rung, 8, 4), "ladder_float4");
  EXPECT_EQ(entry_for(rung, 0, 0), "ladder_float4");
  EXPECT_EQ(entry_for(rung, 9, 4), "ladder_float4_any");
  EXPECT_EQ(entry_for(rung, 8, 3), "ladder_float4_any");
  EXPECT_EQ(entry_for(find_rung("naive"), 9, 3), "ladder_naive");
}

TEST(Catalogue, GridCoversTheResult) {
  EXPECT_EQ(grid_for(find_rung("shared"), 33, 64), (Dim3{2, 2, 1}));
  EXPECT_EQ(grid_for(find_rung("tile_1d"), 65, 1), (Dim3{1, 2, 1}));
  EXPECT_EQ(grid_for(find_rung("final"), 129, 257), (Dim3{3, 2, 1}));
  EXPECT_EQ(grid_for(find_rung("naive"), 1, 33), (Dim3{2, 1, 1}));
}

TEST(Catalogue, GridWalksRowsInXWhereTheRungSaysSo) {
  EXPECT_EQ(grid_for(find_rung("naive_uncoalesced"), 33, 1), (Dim3{2, 1, 1}));
  EXPECT_EQ(grid_for(find_rung("f64_column_major"), 17, 100), (Dim3{2, 7, 1}));
}

TEST(Catalogue, NothingToComputeNeedsNoBlocks) {
  EXPECT_EQ(grid_for(find_rung("final"), 0, 5).count(), 0u);
  EXPECT_EQ(grid_for(find_rung("naive_uncoalesced"), 5, 0).count(), 0u);
}

// A grid's y is limited to 65535 blocks; the rest must go on in z, for the largest m there is.
TEST(Catalogue, TallResultsGoOnInZ) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    const Dim3 grid =
        rung.grid_x_over_rows ? grid_for(rung, 1, kLargest) : grid_for(rung, kLargest, 1);
    const int extent = rung.grid_x_over_rows ? rung.tile.bn : rung.tile.bm;
    EXPECT_EQ(grid.x, 1u) << rung.name;
    EXPECT_LE(grid.y, 65535u) << rung.name;
    EXPECT_LE(grid.z, 65535u) << rung.name;
    const std::uint64_t covered = grid.count() * (extent ? extent : 32);
    EXPECT_GE(covered, std::uint64_t(kLargest)) << rung.name;
    // Kernels count rows in 32 bits.
    EXPECT_LT(covered, std::uint64_t{1} << 32) << rung.name;
  }
}

TEST(Catalogue, TheHostRungHasNoGrid) {
  EXPECT_NE(message_of(ErrorCode::kInvalidArgument, [] { grid_for(find_rung("cpu_loop"), 1, 1); })
                .find("cpu_loop"),
            std::string::npos);
}

TEST(SelectRungs, EmptyIsEveryRung) {
  EXPECT_EQ(select_rungs("").size(), ladder().size());
  EXPECT_EQ(select_rungs("  ").size(), ladder().size());
}

TEST(SelectRungs, NamesAndRangesInTheOrderGiven) {
  EXPECT_EQ(names_of("naive"), Names{"naive"});
  EXPECT_EQ(names_of("final,naive"), (Names{"final", "naive"}));
  EXPECT_EQ(names_of("shared..shared_transposed"),
            (Names{"shared", "shared_columns", "shared_transposed"}));
  EXPECT_EQ(names_of("naive..naive"), Names{"naive"});
  EXPECT_EQ(names_of(" z_order..final , cpu_loop "), (Names{"z_order", "final", "cpu_loop"}));
}

TEST(SelectRungs, EachRungOnce) {
  EXPECT_EQ(names_of("naive,naive..shared,shared"), (Names{"naive", "shared"}));
}

TEST(SelectRungs, UnknownNamesSuggestTheNearest) {
  const std::string message =
      message_of(ErrorCode::kInvalidArgument, [] { select_rungs("naive,tile_2b"); });
  EXPECT_NE(message.find("'tile_2b'"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'tile_2d'"), std::string::npos) << message;
  EXPECT_NE(message_of(ErrorCode::kInvalidArgument, [] { select_rungs("naive..finale"); })
                .find("'final'"),
            std::string::npos);
  EXPECT_FALSE(
      message_of(ErrorCode::kInvalidArgument, [] { select_rungs("naive,,final"); }).empty());
  EXPECT_FALSE(message_of(ErrorCode::kInvalidArgument, [] { select_rungs("naive.."); }).empty());
}

TEST(SelectRungs, RangesThatRunBackwardsAreEmpty) {
  const std::string message =
      message_of(ErrorCode::kInvalidArgument, [] { select_rungs("final..naive"); });
  EXPECT_NE(message.find("'final..naive' is empty"), std::string::npos) << message;
}

// What follows looks into the compiled kernels, and needs a build with nvcc.
class Images : public ::testing::Test {
 protected:
  void SetUp() override {
    if (images().empty()) GTEST_SKIP() << "built without nvcc";
  }
};

// The text of one kernel in a PTX file, from its ".entry" to the next one.
std::string_view kernel_text(std::string_view ptx, std::string_view kernel) {
  const auto begin = ptx.find(".entry " + std::string(kernel) + "(");
  if (begin == std::string_view::npos) return {};
  return ptx.substr(begin, ptx.find(".entry ", begin + 1) - begin);
}

// Sums "[N]" of the byte arrays that a kernel's PTX declares in shared memory, between the end of
// the file or kernel before it and its own end.
int declared_shared_bytes(std::string_view text) {
  int total = 0;
  constexpr std::string_view kDeclaration = ".shared .align";
  for (auto at = text.find(kDeclaration); at != std::string_view::npos;
       at = text.find(kDeclaration, at + 1)) {
    const auto open = text.find('[', at) + 1;
    int bytes = 0;
    std::from_chars(text.data() + open, text.data() + text.size(), bytes);
    total += bytes;
  }
  return total;
}

TEST_F(Images, EveryUnitHasBothArchitectures) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    for (const std::string_view arch : {"sm_80", "sm_90a"}) {
      const auto found = std::ranges::find_if(images(), [&](const KernelImage& image) {
        return image.unit == rung.unit && image.arch == arch;
      });
      ASSERT_NE(found, images().end()) << rung.unit << " " << arch;
      EXPECT_FALSE(found->ptx.empty());
      ASSERT_GT(found->cubin.size(), 4u);
      EXPECT_EQ(static_cast<char>(found->cubin[1]), 'E');  // 0x7f 'E' 'L' 'F'
    }
  }
}

// Units of the ladder are numbered; other kernels (the probes) are not.
TEST_F(Images, EveryNumberedUnitIsARung) {
  for (const KernelImage& image : images()) {
    if (image.unit.front() < '0' || image.unit.front() > '9') continue;
    const auto found = std::ranges::find(ladder(), image.unit, &Rung::unit);
    EXPECT_NE(found, ladder().end()) << image.unit;
  }
}

TEST_F(Images, EntriesAreInThePtx) {
  for (const Rung& rung : ladder()) {
    for (const KernelImage& image : images()) {
      if (image.unit != rung.unit) continue;
      EXPECT_FALSE(kernel_text(image.ptx, rung.entry).empty()) << rung.entry << " " << image.arch;
      if (rung.multiple == 1) continue;
      EXPECT_FALSE(kernel_text(image.ptx, rung.entry_any).empty()) << rung.entry_any;
    }
  }
}

TEST_F(Images, SharedBytesAreWhatThePtxDeclares) {
  for (const Rung& rung : ladder()) {
    for (const KernelImage& image : images()) {
      if (image.unit != rung.unit) continue;
      const int kernels = rung.multiple > 1 ? 2 : 1;
      EXPECT_EQ(declared_shared_bytes(image.ptx), kernels * rung.shared_bytes)
          << rung.name << " " << image.arch;
    }
  }
}

TEST_F(Images, KernelsTakeTheEightParametersOfTheContract) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    const std::string_view scalar = rung.dtype == Dtype::kF64 ? ".f64" : ".f32";
    const std::string_view ptx = find_image(rung.unit, 8, 0).ptx;
    const std::string_view header = kernel_text(ptx, rung.entry);
    std::vector<std::string> types;
    const auto end = header.find(')');
    for (auto at = header.find(".param "); at < end; at = header.find(".param ", at + 1))
      types.emplace_back(header.substr(at + 7, header.find(' ', at + 7) - at - 7));
    const std::vector<std::string> expected{
        ".u32", ".u32", ".u32", std::string(scalar), ".u64", ".u64", std::string(scalar), ".u64"};
    EXPECT_EQ(types, expected) << rung.name;
  }
}

// Local memory would be a spill or an array that did not fit in registers.
TEST_F(Images, NoKernelDeclaresLocalMemory) {
  for (const KernelImage& image : images())
    EXPECT_EQ(image.ptx.find(".local"), std::string_view::npos) << image.unit << " " << image.arch;
}

TEST_F(Images, FindImagePicksTheCodeTheDeviceRuns) {
  EXPECT_EQ(find_image("03_shared", 8, 0).arch, "sm_80");
  EXPECT_EQ(find_image("03_shared", 8, 6).arch, "sm_80");
  EXPECT_EQ(find_image("03_shared", 8, 9).arch, "sm_80");
  EXPECT_EQ(find_image("03_shared", 9, 0).arch, "sm_90a");
  // Later devices run no code of ours, but compile the plain PTX.
  EXPECT_EQ(find_image("03_shared", 10, 0).arch, "sm_80");
  EXPECT_TRUE(cubin_runs_on(find_image("03_shared", 8, 6), 8, 6));
  EXPECT_TRUE(cubin_runs_on(find_image("03_shared", 9, 0), 9, 0));
  EXPECT_FALSE(cubin_runs_on(find_image("03_shared", 10, 0), 10, 0));
}

TEST_F(Images, FindImageSaysWhyThereIsNone) {
  EXPECT_NE(message_of(ErrorCode::kUnsupported, [] { find_image("03_shared", 7, 5); }).find("7.5"),
            std::string::npos);
  EXPECT_NE(message_of(ErrorCode::kInvalidArgument, [] { find_image("99_none", 9, 0); })
                .find("'99_none'"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewise::kernels
