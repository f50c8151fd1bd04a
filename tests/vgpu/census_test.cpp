// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The census: how accesses of the PTX are held against those of the machine code.
#include "vgpu/observe/census.hpp"

#include "core/file.hpp"
#include "run_ptx.hpp"
#include "vgpu/exec/flow.hpp"

namespace tilewise::vgpu {
namespace {

// Line 5 on: four adjacent scalar loads, then one that stands alone, then a store.
const std::string kLoads =
    ".version 8.5\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[256];\n"
    ".visible .entry test(.param .u64 p) { .reg .b32 %r<9>; mov.u32 %r0, tile;\n"
    "ld.shared.u32 %r1, [%r0];\n"      // 6
    "ld.shared.u32 %r2, [%r0+4];\n"    // 7
    "ld.shared.u32 %r3, [%r0+8];\n"    // 8
    "ld.shared.u32 %r4, [%r0+12];\n"   // 9
    "ld.shared.u32 %r5, [%r0+128];\n"  // 10
    "st.shared.u32 [%r0+64], %r5;\n"   // 11
    "ret; }\n";

struct Taken {
  Census census;
  std::vector<int> counted;  // bytes, by site
};

Taken take(std::vector<SassAccess> accesses, bool lines = true, const std::string& text = kLoads) {
  const auto module = ptx::parse(text, "test.ptx");
  const Flat flat = flatten(*module, module->functions[0]);
  Decoded decoded = decode(flat, module->functions[0], {});
  CubinKernel cubin;
  cubin.has_ptx_lines = lines;
  cubin.accesses = std::move(accesses);
  Taken taken{take_census(decoded, &cubin), {}};
  for (const Site& site : decoded.program.sites) taken.counted.push_back(site.counted_bytes);
  return taken;
}

SassAccess load(int line, int bytes) {
  return {SassAccessKind::kSharedLoad, 0, bytes, line, false};
}
SassAccess store(int line, int bytes) {
  return {SassAccessKind::kSharedStore, 0, bytes, line, false};
}
using Bytes = std::vector<int>;

TEST(Census, AccessesOfTheSameWidthAreExact) {
  const Taken t = take({load(6, 4), load(7, 4), load(8, 4), load(9, 4), load(10, 4), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kExact);
  EXPECT_EQ(t.counted, (Bytes{4, 4, 4, 4, 4, 4}));
}

TEST(Census, FourScalarsBehindOneWideLoadAreOneAccess) {
  for (const int leader : {6, 7, 9}) {
    const Taken t = take({load(leader, 16), load(10, 4), store(11, 4)});
    EXPECT_EQ(t.census.fidelity, Fidelity::kExact) << leader;
    EXPECT_EQ(t.counted, (Bytes{16, 0, 0, 0, 4, 4})) << leader;
  }
}

TEST(Census, PairsAndSinglesMix) {
  const Taken t = take({load(6, 8), load(8, 4), load(9, 4), load(10, 4), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kExact);
  EXPECT_EQ(t.counted, (Bytes{8, 0, 4, 4, 4, 4}));
}

TEST(Census, UnrolledCopiesAreTheSameAccess) {
  const Taken t =
      take({load(6, 16), load(6, 16), load(6, 16), load(10, 4), load(10, 4), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kExact);
  EXPECT_EQ(t.counted, (Bytes{16, 0, 0, 0, 4, 4}));
}

// A copy whose size stands in its address may be executed twice; one with a predicate instead may not.
TEST(Census, ACopyOfAPartOfItsBytesIsApproximate) {
  const std::string folder = std::string(TILEWISE_TESTS_DIR) + "/vgpu/cubins/at_run_time.sm_90a.";
  const std::string cubin = read_file(folder + "cubin");
  const Module module(read_file(folder + "ptx"), "at_run_time.ptx",
                      std::as_bytes(std::span(cubin)));
  EXPECT_EQ(module.find("all_or_nothing").fidelity, Fidelity::kExact);
  const KernelInfo& part = module.find("part_of_a_copy");
  EXPECT_EQ(part.fidelity, Fidelity::kApproximate);
  ASSERT_EQ(part.fidelity_notes.size(), 1u);
  EXPECT_CONTAINS(part.fidelity_notes[0], "PTX line 24: hardware may execute a copy twice");
}

TEST(Census, ALostLoadIsSaid) {
  const Taken t = take({load(6, 16), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kApproximate);
  ASSERT_EQ(t.census.notes.size(), 1u);
  EXPECT_CONTAINS(t.census.notes[0], "PTX line 10: no machine load stands for this 4-byte load");
}

TEST(Census, ALoadThatNothingUsesMayBeDropped) {
  const Taken t = take({load(10, 4), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kExact);
  EXPECT_EQ(t.counted, (Bytes{0, 0, 0, 0, 4, 4}));
}

// What only feeds a value that nothing uses is unused itself; what a loop hands on to a store is not.
TEST(Census, UseIsFollowedThroughArithmeticAndLoops) {
  const std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[256];\n"
      ".visible .entry test(.param .u64 p) { .reg .b32 %r<9>; .reg .pred %q; mov.u32 %r0, tile;\n"
      "ld.shared.u32 %r1, [%r0];\n"        // 6: into %r3, which nothing reads
      "ld.shared.u32 %r2, [%r0+16];\n"     // 7: into %r4, which goes round and is stored
      "mov.u32 %r5, 0; mov.u32 %r4, 0;\n"  // 8
      "LOOP: add.u32 %r3, %r1, %r5; add.u32 %r6, %r4, %r2;\n"
      "mov.u32 %r4, %r6; add.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %q, %r5, 4; @%q bra LOOP;\n"
      "st.shared.u32 [%r0+64], %r4;\n"  // 12
      "ret; }\n";
  const Taken dropped = take({load(7, 4), store(12, 4)}, true, text);
  EXPECT_EQ(dropped.census.fidelity, Fidelity::kExact);
  EXPECT_EQ(dropped.counted, (Bytes{0, 4, 4}));
  const Taken lost = take({load(6, 4), store(12, 4)}, true, text);
  ASSERT_EQ(lost.census.notes.size(), 1u);
  EXPECT_CONTAINS(lost.census.notes[0], "PTX line 7: no machine load");
}

TEST(Census, OneMachineLoadServesTwoOfTheSameBytes) {
  const std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[256];\n"
      ".visible .entry test(.param .u64 p) { .reg .b32 %r<9>; mov.u32 %r0, tile;\n"
      "ld.shared.u32 %r1, [%r0+4];\n"                    // 6
      "ld.shared.u32 %r2, [%r0+4];\n"                    // 7
      "ld.shared.u32 %r3, [%r0+8];\n"                    // 8
      "add.u32 %r4, %r1, %r2; add.u32 %r4, %r4, %r3;\n"  // 9
      "st.shared.u32 [%r0+64], %r4;\n"                   // 10
      "ret; }\n";
  const Taken one = take({load(6, 4), load(8, 4), store(10, 4)}, true, text);
  EXPECT_EQ(one.census.fidelity, Fidelity::kExact);
  EXPECT_EQ(one.counted, (Bytes{4, 0, 4, 4}));
  const Taken none = take({load(8, 4), store(10, 4)}, true, text);
  EXPECT_EQ(none.census.fidelity, Fidelity::kApproximate);
  EXPECT_EQ(none.census.notes.size(), 2u);
}

TEST(Census, AWideLoadWithoutNeighboursIsSaid) {
  const Taken t = take({load(6, 16), load(10, 16), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kApproximate);
  EXPECT_CONTAINS(t.census.notes[0],
                  "PTX line 10: a 16-byte machine load stands for this 4-byte one");
}

TEST(Census, CopiesOfDifferentWidthsAreSaid) {
  const Taken t = take({load(6, 16), load(10, 4), load(10, 8), store(11, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kApproximate);
  EXPECT_CONTAINS(t.census.notes[0], "several widths");
}

TEST(Census, AStrangerInTheMachineCodeIsSaid) {
  const Taken t = take({load(6, 16), load(10, 4), store(11, 4), load(12, 4)});
  EXPECT_EQ(t.census.fidelity, Fidelity::kApproximate);
  EXPECT_CONTAINS(t.census.notes[0], "PTX line 12");
}

TEST(Census, WaitsThatAccessNothingDoNotCount) {
  SassAccess wait = load(12, 4);
  wait.never = true;
  EXPECT_EQ(take({load(6, 16), load(10, 4), store(11, 4), wait}).census.fidelity, Fidelity::kExact);
}

TEST(Census, WithoutLinesOnlyTotalsCanAgree) {
  EXPECT_EQ(take({load(0, 4), load(0, 4), load(0, 4), load(0, 4), load(0, 4), store(0, 4)}, false)
                .census.fidelity,
            Fidelity::kExact);
  const Taken t = take({load(0, 16), load(0, 4), store(0, 4)}, false);
  EXPECT_EQ(t.census.fidelity, Fidelity::kApproximate);
  EXPECT_CONTAINS(t.census.notes[0], "-lineinfo");
}

}  // namespace
}  // namespace tilewise::vgpu
