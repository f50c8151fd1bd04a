// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels with one mistake each and their corrected twins, under the checkers: what is found, where, and
// that nothing is found where nothing is wrong.
#include "check_ptx.hpp"

namespace tilewise::vgpu {
namespace {

// Every thread writes its word; then warp 1 reads what warp 0 wrote, or the other way round. Warp 0 runs
// first.
const std::string kWrite = "  st.shared.u32 [%r3], %r1;\n";
const std::string kBarrier = "  bar.sync 0;\n";
const std::string kReadOther = "  setp.ge.u32 %p6, %r1, 32; @%p6 ld.shared.u32 %r6, [%r3+-128];\n";
const std::string kReadNext = "  setp.lt.u32 %p6, %r1, 32; @%p6 ld.shared.u32 %r6, [%r3+128];\n";

TEST(Checker, AReadOfAnotherWarpsWordNeedsABarrier) {
  const Finding f = expect_race("shared", 2, 1, kWrite + kReadOther,
                                {{1, 1, 1}, {64, 1, 1}, true, {.races = true}});
  EXPECT_EQ(f.check, "races");
  EXPECT_EQ(f.places[0].who, "block (0, 0, 0) warp 1 lanes 0-31");
  EXPECT_EQ(f.places[1].who, "block (0, 0, 0) warp 0 lanes 0-31");
  EXPECT_CONTAINS(f.message, "__syncthreads()");
  expect_clean(kWrite + kBarrier + kReadOther);
}

TEST(Checker, AWriteOverWhatAnotherWarpReadNeedsABarrier) {
  const std::string body = kWrite + kBarrier + kReadNext;
  expect_race("shared", 4, 3, body + kWrite);
  expect_clean(body + kBarrier + kWrite);
}

TEST(Checker, TwoWritesNeedABarrier) {
  const std::string other = "  xor.b32 %r5, %r3, 128; st.shared.u32 [%r5], %r1;\n";
  expect_race("shared", 1, 2, kWrite + other, {{1, 1, 1}, {64, 1, 1}, true, {.races = true}});
  expect_clean(kWrite + kBarrier + other);
}

TEST(Checker, LanesOfTheEarlierSideAreNamed) {
  // Thread 40 reads what thread 5 wrote.
  const Finding f = expect_race("shared", 3, 1,
                                kWrite +
                                    "  setp.eq.u32 %p1, %r1, 40;\n"
                                    "  @%p1 ld.shared.u32 %r6, [%r2+20];\n");
  EXPECT_EQ(f.places[0].who, "block (0, 0, 0) warp 1 lane 8");
  EXPECT_EQ(f.places[1].who, "block (0, 0, 0) warp 0 lane 5");
}

TEST(Checker, OncePerPairOfLinesWithACount) {
  const std::string loop = "  mov.u32 %r7, 0;\nL:\n" + kWrite + kBarrier + kReadNext +
                           "  add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 10; @%p1 bra L;\n";
  const Finding f = expect_race("shared", 3, 5, loop);
  EXPECT_GE(f.count, 9u);
}

TEST(Checker, HalvesOfAWordAreDifferentPlaces) {
  // Warp 0 writes the lower halves, warp 1 the upper ones.
  const std::string body =
      "  and.b32 %r5, %r1, 31; shl.b32 %r5, %r5, 2; shr.u32 %r6, %r1, 5; shl.b32 %r6, %r6, 1;\n"
      "  add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r2; cvt.u16.u32 %h1, %r1;\n"
      "  st.shared.u16 [%r5], %h1;\n";
  expect_clean(body);
  expect_race("shared", 4, 3, body + "  xor.b32 %r5, %r5, 2; ld.shared.u16 %h2, [%r5];\n",
              {{1, 1, 1}, {64, 1, 1}, true, {.races = true}});
}

TEST(Checker, LanesOfOneStoreThatDisagree) {
  const Finding f = expect_one("lanes of one store write different values", 1, 0,
                               "  st.shared.u32 [%r2], %r1;\n", {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(f.places[0].who, "block (0, 0, 0) warp 0 lanes 0-30");
  expect_clean("  mov.u32 %r5, 7; st.shared.u32 [%r2], %r5;\n", {{1, 1, 1}, {32, 1, 1}});
  expect_one("lanes of one store write different values", 1, 0,
             "  st.global.v2.u32 [%rd1], {%r2, %r1};\n", {{1, 1, 1}, {2, 1, 1}});
}

TEST(Checker, NamedBarriersOrderOnlyThoseWhoMeetThere) {
  // Warps 0 and 1 meet at barrier 1; warp 2 reads without meeting anybody.
  const std::string body =
      "  shr.u32 %r7, %r1, 5; setp.eq.u32 %p1, %r7, 0; setp.eq.u32 %p2, %r7, 1;\n"
      "  @%p1 st.shared.u32 [%r3], %r1;\n"
      "  setp.eq.u32 %p3, %r7, 2; @%p3 bra LAST;\n"
      "  bar.sync 1, 64;\n"
      "  @%p2 ld.shared.u32 %r6, [%r3+-128];\n"
      "LAST:\n";
  const Shape three{{1, 1, 1}, {96, 1, 1}};
  expect_clean(body, three);
  expect_race("shared", 7, 2, body + "  @%p3 ld.shared.u32 %r6, [%r3+-256];\n",
              {{1, 1, 1}, {96, 1, 1}, true, {.races = true}});
}

TEST(Checker, ArriveHandsOverAndDoesNotTakeOver) {
  // Warp 0 arrives, warp 1 waits: 1 may read what 0 wrote, 0 must not read what 1 wrote.
  const std::string head =
      "  setp.lt.u32 %p1, %r1, 32;\n"
      "  st.shared.u32 [%r3], %r1;\n"
      "  @%p1 bra FIRST;\n"
      "  bar.sync 1, 64;\n"
      "  ld.shared.u32 %r6, [%r3+-128];\n"
      "  bra.uni DONE;\nFIRST:\n"
      "  bar.arrive 1, 64;\n";
  expect_clean(head + "DONE:\n");
  expect_race("shared", 9, 2, head + "  nanosleep.u32 20; ld.shared.u32 %r6, [%r3+128];\nDONE:\n",
              {{1, 1, 1}, {64, 1, 1}, true, {.races = true}});
}

TEST(Checker, AFlagWithFencesOrders) {
  const auto body = [](const std::string& fence) {
    return "  setp.lt.u32 %p1, %r1, 32; setp.eq.u32 %p2, %r1, 0;\n"
           "  @!%p1 bra READER;\n"
           "  st.shared.u32 [%r3], %r1;\n" +
           fence +
           "  @%p2 st.volatile.shared.u32 [%r2+512], 1;\n"
           "  bra.uni DONE;\nREADER:\n"
           "SPIN: ld.volatile.shared.u32 %r6, [%r2+512];\n"
           "  setp.ne.u32 %p3, %r6, 1; @%p3 bra SPIN;\n" +
           fence + "  ld.shared.u32 %r6, [%r3+-128];\nDONE:\n";
  };
  const Shape races{{1, 1, 1}, {64, 1, 1}, true, {.races = true}};
  expect_clean(body("  fence.acq_rel.cta;\n"), races);
  expect_race("shared", 9, 3, body(""), races);
}

TEST(Checker, AtomicsDoNotRaceWithEachOther) {
  const std::string zero = "  setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [%r2], 0;\n";
  const std::string add = "  red.shared.add.u32 [%r2], 1;\n";
  expect_clean(zero + kBarrier + add);
  expect_clean(zero + kBarrier + add + kBarrier + "  ld.shared.u32 %r6, [%r2];\n");
  expect_race("shared", 4, 3, zero + kBarrier + add + "  ld.shared.u32 %r6, [%r2];\n");
  expect_one("read of shared memory nothing wrote", 1, 0, add);
}

TEST(Checker, SharedMemoryMustBeWrittenBeforeItIsRead) {
  const Finding f =
      expect_one("read of shared memory nothing wrote", 2, 0,
                 kWrite + "  ld.shared.u32 %r6, [%r3+128];\n", {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(f.check, "uninitialized");
  expect_clean(kWrite + "  ld.shared.u32 %r6, [%r3];\n");
}

TEST(Checker, SharedMemoryOfTheNextBlockIsNotWrittenByTheLast) {
  const std::string body =
      "  setp.eq.u32 %p1, %r4, 0; @%p1 st.shared.u32 [%r3], %r1;\n"
      "  ld.shared.u32 %r6, [%r3];\n";
  const Finding f =
      expect_one("read of shared memory nothing wrote", 2, 0, body, {{2, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(f.places[0].who, "block (1, 0, 0) warp 0 lanes 0-31");
}

TEST(Checker, GlobalMemoryMustBeWrittenByTheHostOrAKernel) {
  const std::string load = "  ld.global.u32 %r6, [%rd2];\n";
  const Finding f =
      expect_one("read of global memory nothing wrote", 1, 0, load, {{1, 1, 1}, {64, 1, 1}, false});
  EXPECT_EQ(f.check, "uninitialized");
  expect_clean(load);
  expect_clean("  st.global.u32 [%rd2], %r1;\n" + load, {{1, 1, 1}, {64, 1, 1}, false});
  expect_clean(load, {{1, 1, 1}, {64, 1, 1}, false, {.races = true, .sync = true}});
}

TEST(Checker, BlocksThatWriteTheSameGlobalWord) {
  const std::string store = "  st.global.u32 [%rd2], %r1;\n";
  const Finding f = expect_race("global", 1, 1, store, {{2, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(f.places[0].who, "block (1, 0, 0) warp 0 lanes 0-31");
  EXPECT_EQ(f.places[1].who, "block (0, 0, 0) warp 0 lanes 0-31");
  expect_clean("  mul.wide.u32 %rd3, %r4, 128; add.s64 %rd2, %rd2, %rd3;\n" + store,
               {{2, 1, 1}, {32, 1, 1}});
}

TEST(Checker, BlocksThatReadWhatAnotherWrites) {
  const std::string body =
      "  setp.eq.u32 %p1, %r4, 2;\n"
      "  ld.global.u32 %r6, [%rd2];\n"
      "  @%p1 st.global.u32 [%rd2], %r1;\n";
  expect_race("global", 3, 2, body, {{3, 1, 1}, {32, 1, 1}});
}

TEST(Checker, TheLastBlockMayReadTheOthersBehindAFence) {
  // Every block writes its word and counts itself; the last one adds them up.
  const auto body = [](const std::string& fence) {
    return "  mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3;\n"
           "  st.global.u32 [%rd3+64], %r4;\n" +
           fence + "  atom.global.add.u32 %r5, [%rd1], 1;\n" + fence +
           "  setp.ne.u32 %p1, %r5, 3; @%p1 ret;\n"
           "  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+64];\n";
  };
  expect_clean(body("  membar.gl;\n"), {{4, 1, 1}, {1, 1, 1}});
  const auto findings = check(body(""), {{4, 1, 1}, {1, 1, 1}});
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].kind, "read-after-write in global memory");
}

TEST(Checker, WarpsOfABlockRaceThroughGlobalMemoryToo) {
  const std::string write = "  st.global.u32 [%rd2], %r1;\n";
  const std::string read = "  setp.ge.u32 %p1, %r1, 32; @%p1 ld.global.u32 %r6, [%rd2+-128];\n";
  expect_race("global", 2, 1, write + read);
  expect_clean(write + kBarrier + read);
}

TEST(Checker, GenericAccessesAreFollowedToTheirSpace) {
  const std::string generic =
      "  cvt.u64.u32 %rd4, %r3; cvta.shared.u64 %rd4, %rd4; setp.ge.u32 %p1, %r1, 32;\n"
      "  @%p1 ld.u32 %r6, [%rd4+-128];\n";
  expect_race("shared", 3, 1, kWrite + generic, {{1, 1, 1}, {64, 1, 1}, true, {.races = true}});
  expect_clean(kWrite + kBarrier + generic);
}

TEST(Checker, GuardedAndDivergedAccesses) {
  const std::string body =
      "  and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0;\n"
      "  @%p1 st.shared.u32 [%r3], %r1;\n" +
      kBarrier + "  @%p1 ld.shared.u32 %r3, [%r3];\n";
  expect_clean(body);
  expect_one("read of shared memory nothing wrote", 4, 0,
             "  and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0;\n"
             "  @%p1 st.shared.u32 [%r3], %r1;\n" +
                 kBarrier + "  @!%p1 ld.shared.u32 %r3, [%r3];\n");
}

TEST(Checker, ABarrierInABranchOfAWarp) {
  const auto findings = check(
      "  setp.lt.u32 %p1, %r1, 16; @!%p1 bra SKIP;\n  bar.sync 0;\n  bra.uni DONE;\n"
      "SKIP: bar.arrive 0, 32;\nDONE:\n",
      {{1, 1, 1}, {32, 1, 1}, true, {.sync = true}});
  ASSERT_EQ(findings.size(), 2u) << text_of(findings);
  for (const int side : {0, 1}) {
    EXPECT_EQ(findings[side].check, "sync");
    EXPECT_EQ(findings[side].kind, "barrier in diverged code");
    EXPECT_EQ(findings[side].places[0].line, 12 + 2 * side);
  }
  EXPECT_EQ(findings[0].places[0].who, "block (0, 0, 0) warp 0 lanes 0-15");
}

TEST(Checker, ABarrierThatThreadsHaveLeft) {
  const Finding f = expect_one("barrier that not all threads reach", 2, 0,
                               "  setp.ge.u32 %p1, %r1, 32; @%p1 exit;\n  bar.sync 0;\n");
  EXPECT_CONTAINS(f.message, "32 of its 64 threads");
  expect_clean("  setp.ge.u32 %p1, %r1, 32; @%p1 exit;\n  bar.sync 0, 32;\n");
}

// What stops a kernel carries what was found before.
std::vector<Finding> findings_of_failure(const std::string& body) {
  try {
    check(body);
  } catch (const KernelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::kExecution);
    return error.findings();
  }
  ADD_FAILURE() << "the kernel should have failed";
  return {};
}

TEST(Checker, AFaultComesAfterWhatWasFoundBefore) {
  const auto findings =
      findings_of_failure(kWrite + kReadOther + kBarrier + "  st.global.u32 [%rd2+2048], %r1;\n");
  ASSERT_EQ(findings.size(), 2u) << text_of(findings);
  EXPECT_EQ(findings.front().kind, "read-after-write in shared memory");
  EXPECT_EQ(findings.back().check, "bounds");
  EXPECT_EQ(findings.back().places[0].line, 14);
}

TEST(Checker, ADeadlockNamesWhereEveryWarpWaits) {
  const auto findings = findings_of_failure(
      "  setp.lt.u32 %p1, %r1, 32; @%p1 bra.uni WAIT;\n  bar.sync 1; bra.uni DONE;\n"
      "WAIT: bar.sync 0;\nDONE:\n");
  ASSERT_FALSE(findings.empty());
  const Finding& f = findings.back();
  EXPECT_EQ(f.kind, "deadlock");
  ASSERT_EQ(f.places.size(), 2u);
  EXPECT_EQ(f.places[0].line, 13);
  EXPECT_EQ(f.places[1].line, 12);
}

TEST(Checker, ALaunchWithoutChecksCountsAsWritingEverything) {
  const Module module(kPtxHead + kCheckBegin + "  ld.global.u32 %r6, [%rd2];\n" + kCheckEnd,
                      "test.ptx");
  Memory memory(1 << 20);
  const std::uint64_t address = memory.allocate(1024);
  const void* arguments[] = {&address};
  const auto launch = [&](Checks checks) {
    LaunchOptions options;
    options.checks = checks;
    return module
        .launch("test", model::find_gpu("h200"), memory, {1, 1, 1}, {32, 1, 1}, 0, arguments,
                options)
        .findings.size();
  };
  EXPECT_EQ(launch(Checks::all()), 1u);
  launch({});
  EXPECT_EQ(launch(Checks::all()), 0u);
}

TEST(Checker, CountersAreTheSameWithChecks) {
  const auto run = [](Checks checks) {
    const Module module(kPtxHead + kCheckBegin + kWrite + kBarrier + kReadOther + kCheckEnd,
                        "test.ptx");
    Memory memory(1 << 20);
    const std::uint64_t address = memory.allocate(1024);
    const void* arguments[] = {&address};
    LaunchOptions options;
    options.checks = checks;
    return module
        .launch("test", model::find_gpu("h200"), memory, {3, 1, 1}, {64, 1, 1}, 0, arguments,
                options)
        .counters;
  };
  EXPECT_EQ(run({}), run(Checks::all()));
}

}  // namespace
}  // namespace tilewise::vgpu
