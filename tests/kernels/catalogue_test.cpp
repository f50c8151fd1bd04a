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

#include "kernels/listing.hpp"
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
  EXPECT_EQ(names.size(), 31u);
}

TEST(Catalogue, UnitsAreNumberedInTheOrderOfTheLadder) {
  int number = 0;
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    ++number;
    std::string expected{char('0' + number / 10), char('0' + number % 10), '_'};
    EXPECT_EQ(rung.unit, expected.append(rung.name));
  }
  EXPECT_EQ(number, 30);
}

TEST(Catalogue, EveryRungExplainsItself) {
  for (const Rung& rung : ladder()) {
    EXPECT_FALSE(rung.title.empty()) << rung.name;
    EXPECT_GT(rung.idea.size(), 20u) << rung.name;
    EXPECT_TRUE(rung.idea.ends_with('.')) << rung.name;
    EXPECT_EQ(rung.multiple > 1, !rung.entry_any.empty()) << rung.name;
  }
}

TEST(Catalogue, TheLastThreeF32RungsTakeAnyShape) {
  for (const char* name : {"padding", "z_order", "final"}) {
    const Rung& rung = find_rung(name);
    EXPECT_EQ(entry_for(rung, 7, 5), std::string(rung.entry) + "_any");
  }
}

TEST(Catalogue, RungsOfTheFoundingDocumentsSaySo) {
  for (const Rung* rung : select_rungs("cpu_loop..f64_column_major,wmma")) {
    EXPECT_FALSE(rung->source.empty()) << rung->name;
  }
}

TEST(Catalogue, ArithmeticSaysTheTypesInMemory) {
  EXPECT_EQ(name_of(Arithmetic::kTF32), "tf32");
  EXPECT_EQ(name_of(Arithmetic::kBF16), "bf16");
  EXPECT_EQ(operand_dtype(Arithmetic::kTF32), Dtype::kF32);
  EXPECT_EQ(operand_dtype(Arithmetic::kF16), Dtype::kF16);
  EXPECT_EQ(operand_dtype(Arithmetic::kBF16), Dtype::kBF16);
  EXPECT_EQ(operand_dtype(Arithmetic::kF64), Dtype::kF64);
  for (const Arithmetic each :
       {Arithmetic::kF16, Arithmetic::kBF16, Arithmetic::kTF32, Arithmetic::kF32})
    EXPECT_EQ(result_dtype(each), Dtype::kF32);
  EXPECT_EQ(result_dtype(Arithmetic::kF64), Dtype::kF64);
}

// Each level of tiles must divide the level above, and the threads must cover the block tile once.
TEST(Catalogue, TilesFitTogether) {
  for (const Rung& rung : ladder()) {
    const TileShape& tile = rung.tile;
    if (tile.bm == 0) continue;
    const int tm = std::max(tile.tm, 1), tn = std::max(tile.tn, 1);
    // A tensor core's sums belong to a warp: no thread has a tile of its own.
    const bool of_threads = tile.tm > 0 || tile.wm == 0;
    if (of_threads) {
      EXPECT_EQ(rung.block.count() * tm * tn, std::uint64_t(tile.bm) * tile.bn) << rung.name;
    }
    if (tile.wm == 0) continue;
    EXPECT_EQ(tile.bm % tile.wm, 0) << rung.name;
    EXPECT_EQ(tile.bn % tile.wn, 0) << rung.name;
    if (of_threads) {
      EXPECT_EQ(tile.wm * tile.wn, 32 * tm * tn) << rung.name;
    } else {
      EXPECT_LE(tile.bm / tile.wm * (tile.bn / tile.wn), rung.block.x / 32) << rung.name;
    }
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

TEST(Catalogue, LaunchesAreThoseOfTheGrid) {
  const LaunchShape shape = launch_shape(find_rung("mma_f16"), 129, 257, 8, 132);
  EXPECT_EQ(shape.entry, "ladder_mma_f16_any");
  EXPECT_EQ(shape.grid, (Dim3{3, 2, 1}));
  EXPECT_FALSE(shape.tensor_maps);
  EXPECT_EQ(launch_shape(find_rung("mma_f16"), 129, 264, 8, 132).entry, "ladder_mma_f16");
}

// A rung made up for the test: two blocks a cluster, 128×256 a block.
Rung clustered(bool persistent) {
  Rung rung;
  rung.name = "clustered";
  rung.tile = {.bm = 128, .bn = 256, .bk = 64};
  rung.block = {384};
  rung.entry = "entry";
  rung.multiple = 8;
  rung.entry_any = "entry_any";
  rung.box_a = rung.box_b = {64, 64};
  rung.cluster = 2;
  rung.persistent = persistent;
  return rung;
}

TEST(Catalogue, GridsHoldWholeClusters) {
  const Rung rung = clustered(false);
  const LaunchShape shape = launch_shape(rung, 300, 512, 64, 132);  // 3 tiles down
  EXPECT_EQ(shape.grid, (Dim3{2, 4, 1}));
  EXPECT_TRUE(shape.tensor_maps);
  const LaunchShape tall = launch_shape(rung, 2147483647, 8, 8, 132);
  EXPECT_EQ(tall.grid.y % 2, 0u);
  EXPECT_LE(tall.grid.y, 65535u);
  EXPECT_GE(std::uint64_t{tall.grid.y} * tall.grid.z * 128, 2147483647u);
  EXPECT_LT(std::uint64_t{tall.grid.y} * tall.grid.z * 128, std::uint64_t{1} << 32);
}

TEST(Catalogue, OtherShapesNeedNoClustersAndNoMaps) {
  for (const bool persistent : {false, true}) {
    const LaunchShape shape = launch_shape(clustered(persistent), 300, 511, 64, 132);
    EXPECT_EQ(shape.entry, "entry_any");
    EXPECT_EQ(shape.grid, (Dim3{2, 3, 1}));
    EXPECT_FALSE(shape.tensor_maps);
    EXPECT_EQ(launch_shape(clustered(persistent), 300, 512, 0, 132).entry, "entry_any");
  }
}

TEST(Catalogue, PersistentGridsAreAsLargeAsTheGpuOrTheResult) {
  const Rung rung = clustered(true);
  EXPECT_EQ(launch_shape(rung, 300, 512, 64, 132).grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(launch_shape(rung, 256 * 66, 256, 64, 132).grid, (Dim3{132, 1, 1}));
  EXPECT_EQ(launch_shape(rung, 256 * 66, 256, 64, 33).grid, (Dim3{28, 1, 1}));  // 5 of 14 or 13
  EXPECT_EQ(launch_shape(rung, 256 * 67, 256, 64, 132).grid, (Dim3{68, 1, 1}));
  EXPECT_EQ(launch_shape(rung, 8192, 8192, 64, 132).grid, (Dim3{128, 1, 1}));  // 16 of 64
  EXPECT_EQ(launch_shape(rung, 2147483647, 2147483640, 64, 132).grid, (Dim3{132, 1, 1}));
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

TEST(SelectDtypes, KeepsTheRungsOfThoseNames) {
  const auto names = [](std::string_view expression) {
    Names found;
    for (const Rung* rung : select_dtypes(select_rungs(""), expression))
      found.emplace_back(rung->name);
    return found;
  };
  EXPECT_EQ(names("f64"), (Names{"f64_tile", "f64_column_major", "mma_f64"}));
  EXPECT_EQ(names(" f16 , tf32 "), (Names{"wmma", "mma_f16", "mma_tf32"}));
  EXPECT_EQ(names("f32").front(), "cpu_loop");
}

TEST(SelectDtypes, RefusesOtherNamesAndNothing) {
  const auto message = [](std::string_view expression, std::string_view rungs) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { select_dtypes(select_rungs(rungs), expression); });
  };
  EXPECT_EQ(message("f8", ""), "--dtype: there is no 'f8': expected f16, bf16, tf32, f32 or f64");
  EXPECT_EQ(message("f16,", ""), "--dtype: there is no '': expected f16, bf16, tf32, f32 or f64");
  EXPECT_EQ(message("f16", "naive"), "--dtype f16: none of the rungs computes in that");
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

TEST_F(Images, EveryUnitHasTheArchitecturesItRunsOn) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    for (const std::string_view arch : {"sm_80", "sm_90a"}) {
      if (rung.compute_major == 9 && arch == "sm_80") continue;
      const auto found = std::ranges::find_if(images(), [&](const KernelImage& image) {
        return image.unit == rung.unit && image.arch == arch;
      });
      ASSERT_NE(found, images().end()) << rung.unit << " " << arch;
      EXPECT_FALSE(found->fatbin.empty());
      const Listing listing = listing_of(*found);
      EXPECT_NE(listing.ptx.find(".loc"), std::string::npos);
      ASSERT_GT(listing.cubin.size(), 4u);
      EXPECT_EQ(static_cast<char>(listing.cubin[1]), 'E');  // 0x7f 'E' 'L' 'F'
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
      const std::string ptx = listing_of(image).ptx;
      EXPECT_FALSE(kernel_text(ptx, rung.entry).empty()) << rung.entry << " " << image.arch;
      if (rung.multiple == 1) continue;
      EXPECT_FALSE(kernel_text(ptx, rung.entry_any).empty()) << rung.entry_any;
    }
  }
}

TEST_F(Images, SharedBytesAreWhatThePtxDeclares) {
  for (const Rung& rung : ladder()) {
    for (const KernelImage& image : images()) {
      if (image.unit != rung.unit) continue;
      const int kernels = rung.multiple > 1 ? 2 : 1;
      EXPECT_EQ(declared_shared_bytes(listing_of(image).ptx), kernels * rung.shared_bytes)
          << rung.name << " " << image.arch;
    }
  }
}

TEST_F(Images, KernelsTakeTheEightParametersOfTheContract) {
  for (const Rung& rung : ladder()) {
    if (rung.on_cpu) continue;
    const std::string_view scalar = result_dtype(rung.arithmetic) == Dtype::kF64 ? ".f64" : ".f32";
    const std::string_view matrix = rung.box_a.rows > 0 ? ".align" : ".u64";  // 128 bytes
    const std::string ptx = listing_of(find_image(rung.unit, rung.compute_major, 0)).ptx;
    const std::string_view header = kernel_text(ptx, rung.entry);
    std::vector<std::string> types;
    const auto end = header.find(')');
    for (auto at = header.find(".param "); at < end; at = header.find(".param ", at + 1))
      types.emplace_back(header.substr(at + 7, header.find(' ', at + 7) - at - 7));
    const std::vector<std::string> expected{".u32",
                                            ".u32",
                                            ".u32",
                                            std::string(scalar),
                                            std::string(matrix),
                                            std::string(matrix),
                                            std::string(scalar),
                                            ".u64"};
    EXPECT_EQ(types, expected) << rung.name;
  }
}

// Local memory would be a spill or an array that did not fit in registers.
TEST_F(Images, NoKernelDeclaresLocalMemory) {
  for (const KernelImage& image : images())
    EXPECT_EQ(listing_of(image).ptx.find(".local"), std::string::npos)
        << image.unit << " " << image.arch;
}

TEST(Listing, OfPtxWrittenAtRunTimeIsThatText) {
  const Listing listing = listing_of({.unit = "unit", .arch = "sm_90a", .text = "// some text"});
  EXPECT_EQ(listing.ptx, "// some text");
  EXPECT_TRUE(listing.cubin.empty());
}

TEST_F(Images, ListingSaysWhatCannotBeUnpacked) {
  KernelImage image = find_image("03_shared", 9, 0);
  image.packed_cubin = image.packed_cubin.first(image.packed_cubin.size() - 1);
  EXPECT_NE(message_of(ErrorCode::kInternal, [&] { listing_of(image); })
                .find("kernel unit '03_shared': cannot unpack its cubin in this program"),
            std::string::npos);
  image.packed_ptx = image.packed_ptx.subspan(1);
  EXPECT_NE(message_of(ErrorCode::kInternal, [&] { listing_of(image); })
                .find("its PTX in this program: not packed by zstd"),
            std::string::npos);
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

TEST(RunsOn, MachineCodeOfItsOwnMajorVersionOrPtxThatLaterDriversCompile) {
  const KernelImage plain{.unit = "unit", .arch = "sm_80"}, exact{.unit = "unit", .arch = "sm_90a"};
  for (const int minor : {0, 6, 9}) {
    EXPECT_TRUE(cubin_runs_on(plain, 8, minor)) << minor;
    EXPECT_TRUE(runs_on(plain, 8, minor)) << minor;
    EXPECT_FALSE(runs_on(exact, 8, minor)) << minor;
  }
  for (const int major : {9, 10, 12}) {
    EXPECT_FALSE(cubin_runs_on(plain, major, 0)) << major;
    EXPECT_TRUE(runs_on(plain, major, 0)) << major;
  }
  EXPECT_FALSE(runs_on(plain, 7, 5));
  EXPECT_TRUE(cubin_runs_on(exact, 9, 0));
  EXPECT_TRUE(runs_on(exact, 9, 0));
  EXPECT_FALSE(runs_on(exact, 10, 0));
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
