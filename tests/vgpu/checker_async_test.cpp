// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The checkers on cp.async, mbarriers and clusters: one mistake each, and its corrected twin, in every
// order of asynchronous operations.
#include "check_ptx.hpp"

namespace tilewise::vgpu {
namespace {

const Shape kRaces{{1, 1, 1}, {64, 1, 1}, true, {.races = true}};

// Every thread copies its word; warp 1 then reads what warp 0 copied.
const std::string kCopy = "  cp.async.ca.shared.global [%r3], [%rd2], 4;\n";
const std::string kWaitAll = "  cp.async.wait_all;\n";
const std::string kBarrier = "  bar.sync 0;\n";
const std::string kReadOther = "  setp.ge.u32 %p6, %r1, 32; @%p6 ld.shared.u32 %r6, [%r3+-128];\n";
const std::string kReadOwn = "  ld.shared.u32 %r7, [%r3];\n";

TEST(CheckerAsync, ACopyMustBeWaitedFor) {
  const Finding f = expect_race("shared", 2, 1, kCopy + kReadOwn, kRaces);
  EXPECT_CONTAINS(f.message, "a cp.async of block (0, 0, 0) warp 0");
  EXPECT_CONTAINS(f.message, "wait for the copy first");
  expect_clean(kCopy + kWaitAll + kReadOwn, kRaces);
}

TEST(CheckerAsync, ABarrierDoesNotWaitForCopies) {
  expect_race("shared", 3, 1, kCopy + kBarrier + kReadOther, kRaces);
  expect_race("shared", 3, 1, kCopy + kWaitAll + kReadOther, kRaces);
  expect_race("shared", 4, 1, kCopy + kBarrier + kWaitAll + kReadOther, kRaces);
  expect_clean(kCopy + kWaitAll + kBarrier + kReadOther, kRaces);
}

TEST(CheckerAsync, GroupsAreWaitedForByTheirNumber) {
  const std::string two = kCopy +
                          "  cp.async.commit_group;\n"
                          "  cp.async.ca.shared.global [%r3+256], [%rd2], 4;\n"
                          "  cp.async.commit_group;\n";
  const std::string second = "  ld.shared.u32 %r7, [%r3+256];\n";
  expect_clean(two + "  cp.async.wait_group 1;\n" + kReadOwn, kRaces);
  expect_race("shared", 6, 3, two + "  cp.async.wait_group 1;\n" + second, kRaces);
  expect_clean(two + "  cp.async.wait_group 0;\n" + second + kReadOwn, kRaces);
}

TEST(CheckerAsync, ACopyOverWhatOthersStillRead) {
  const std::string fill = "  st.shared.u32 [%r3], %r1;\n";
  const std::string read = "  setp.lt.u32 %p6, %r1, 32; @%p6 ld.shared.u32 %r6, [%r3+128];\n";
  expect_race("shared", 4, 3, fill + kBarrier + read + kCopy + kWaitAll, kRaces);
  expect_clean(fill + kBarrier + read + kBarrier + kCopy + kWaitAll, kRaces);
}

TEST(CheckerAsync, ACopyReadsGlobalMemory) {
  const Shape unwritten{{1, 1, 1}, {64, 1, 1}, false};
  expect_one("read of global memory nothing wrote", 1, 0, kCopy + kWaitAll + kReadOwn, unwritten);
  expect_clean("  cp.async.ca.shared.global [%r3], [%rd2], 4, 0;\n" + kWaitAll + kReadOwn,
               unwritten);
}

TEST(CheckerAsync, ACopyOfFewerBytesBesideTheEnd) {
  const auto copies_of_warp_0 = [](const std::string& bytes) {
    return "  setp.lt.u32 %p1, %r1, 32; shl.b32 %r5, %r1, 4; add.u32 %r6, %r2, %r5;\n"
           "  cvt.u64.u32 %rd3, %r5; add.s64 %rd3, %rd1, %rd3; \n"
           "  setp.eq.u32 %p2, %r1, 31; mov.u32 %r7, 16; @%p2 mov.u32 %r7, " +
           bytes + ";\n  @%p1 cp.async.cg.shared.global [%r6], [%rd3], 16, %r7;\n" + kWaitAll;
  };
  Shape shape;
  shape.words = 31 * 4 + 2;  // lane 31's piece has 8 bytes
  shape.checks.partial_copies = true;
  const Finding f =
      expect_one("cp.async beside the end of memory", 4, 0, copies_of_warp_0("8"), shape);
  EXPECT_EQ(f.check, "partial-copies");
  EXPECT_CONTAINS(f.message, "warp 0 lane 31");
  EXPECT_CONTAINS(f.message, "reads 8 bytes and copies 16; memory ends 8 bytes behind the first");
  expect_clean(copies_of_warp_0("0"), shape);  // only zeros
  // Lane 31's 8 bytes, copied from 0x1F0 on, are seen as 16 at 0x1F8.
  Shape further = shape;
  further.words = 32 * 4 + 1;
  expect_one("cp.async beside the end of memory", 4, 0, copies_of_warp_0("8"), further);
  further.words = 32 * 4 + 2;
  expect_clean(copies_of_warp_0("8"), further);
  shape.checks.partial_copies = false;
  expect_clean(copies_of_warp_0("8"), shape);
}

// An mbarrier at tile + 512: warp 0 arrives after its stores, warp 1 waits and reads.
const std::string kInit =
    "  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r2+512], 32;\n";
const std::string kProduce =
    "  setp.lt.u32 %p2, %r1, 32; @!%p2 bra WAIT;\n"
    "  st.shared.u32 [%r3], %r1;\n"
    "  mbarrier.arrive.shared.b64 %rd5, [%r2+512];\n"
    "  bra.uni DONE;\n";
const std::string kConsume =
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+512], 0;\n"
    "  @!%p3 bra WAIT;\n"
    "  ld.shared.u32 %r6, [%r3+-128];\nDONE:\n";

TEST(CheckerAsync, AnMbarrierHandsOver) {
  expect_clean(kInit + kBarrier + kProduce + kConsume);
  expect_race("shared", 7, 4,
              kInit + kBarrier + kProduce + "WAIT: ld.shared.u32 %r6, [%r3+-128];\nDONE:\n",
              kRaces);
}

TEST(CheckerAsync, AnMbarrierMustBeInitialisedBeforeOthersUseIt) {
  const auto findings = check(kInit + kProduce + kConsume, kRaces);
  ASSERT_FALSE(findings.empty());
  for (const Finding& f : findings) {
    EXPECT_TRUE(f.places[0].line == 11 || f.places[1].line == 11) << f.message;
  }
}

TEST(CheckerAsync, AWaitForThePhaseBeforeOrdersNothing) {
  // Parity 1 is that of the phase before the first, which counts as over.
  const std::string wrong =
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+512], 1;\n"
      "  @!%p3 bra WAIT;\n"
      "  ld.shared.u32 %r6, [%r3+-128];\nDONE:\n";
  expect_race("shared", 9, 4, kInit + kBarrier + kProduce + wrong, kRaces);
}

TEST(CheckerAsync, InitialisingTwice) {
  const Finding f = expect_one("mbarrier initialised twice", 3, 0, kInit + kBarrier + kInit,
                               {{1, 1, 1}, {64, 1, 1}});
  EXPECT_EQ(f.check, "sync");
  expect_clean(kInit + kBarrier + "  @%p1 mbarrier.inval.shared.b64 [%r2+512];\n" + kBarrier +
               kInit);
}

TEST(CheckerAsync, CopiesThatArriveAtAnMbarrier) {
  const auto body = [](const std::string& arrive) {
    return kInit + kBarrier + "  setp.lt.u32 %p2, %r1, 32; @!%p2 bra WAIT;\n" + kCopy + arrive +
           "  bra.uni DONE;\n" + kConsume;
  };
  expect_clean(body("  cp.async.mbarrier.arrive.noinc.shared.b64 [%r2+512];\n"));
  expect_race("shared", 9, 4, body("  mbarrier.arrive.shared.b64 %rd5, [%r2+512];\n"), kRaces);
}

TEST(CheckerAsync, TooManyArrivalsAreAFinding) {
  try {
    check(kInit + kBarrier +
          "  setp.lt.u32 %p2, %r1, 40;\n"
          "  @%p2 mbarrier.arrive.noComplete.shared.b64 %rd5, [%r2+512], 5;\n");
    FAIL() << "should have thrown";
  } catch (const KernelError& error) {
    EXPECT_EQ(error.findings().back().check, "sync");
    EXPECT_EQ(error.findings().back().kind, "mbarrier misuse");
    EXPECT_EQ(error.findings().back().places[0].line, 14);
  }
}

TEST(CheckerAsync, ACountThatIsTooSmall) {
  // Initialised for one thread, and a whole warp arrives.
  const std::string one =
      "  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r2+512], 1;\n";
  const std::string arrive = "mbarrier.arrive.shared.b64 %rd5, [%r2+512];\n";
  expect_one("mbarrier with too small a count", 3, 0,
             one + kBarrier + "  setp.lt.u32 %p2, %r1, 32; @%p2 " + arrive);
  expect_clean(one + kBarrier + "  setp.eq.u32 %p2, %r1, 32; @%p2 " + arrive);
}

TEST(CheckerAsync, AWaitThatNeverEndsIsADeadlockWithItsPlace) {
  try {
    check(kInit + kBarrier +
          "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+512], 0;\n"
          "  @!%p3 bra WAIT;\n");
    FAIL() << "should have thrown";
  } catch (const KernelError& error) {
    const Finding& f = error.findings().back();
    EXPECT_EQ(f.kind, "deadlock");
    ASSERT_EQ(f.places.size(), 2u);
    EXPECT_EQ(f.places[0].line, 13);
    EXPECT_CONTAINS(f.message, "32 arrivals");
  }
}

// Thread 0 copies the tile's first 256 bytes to the buffer; line 3.
const std::string kStore =
    "  st.shared.u32 [%r3], %r1; fence.proxy.async;\n"
    "  bar.sync 0; setp.eq.u32 %p1, %r1, 0;\n"
    "  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 256;\n"
    "  cp.async.bulk.commit_group;\n";
const std::string kStoreRead = "  cp.async.bulk.wait_group.read 0;\n";
const std::string kStoreWritten = "  cp.async.bulk.wait_group 0;\n";
const std::string kReadBack = "  ld.global.u32 %r6, [%rd2];\n";

TEST(CheckerAsync, WhatABulkCopyWritesMustBeWaitedFor) {
  const Finding f = expect_race("global", 7, 3, kStore + kStoreRead + kBarrier + kReadBack);
  EXPECT_CONTAINS(f.message, "a bulk copy of block (0, 0, 0) warp 0");
  EXPECT_CONTAINS(f.message, "cp.async.bulk.wait_group without .read");
  expect_clean(kStore + kStoreWritten + kBarrier + kReadBack);
  expect_race("global", 6, 3, kStore + kStoreWritten + kReadBack);  // warp 1 knows nothing of it
}

TEST(CheckerAsync, AKernelMayEndBeforeItsBulkCopyHasWritten) { expect_clean(kStore + kStoreRead); }

TEST(CheckerAsync, WhatABulkCopyWritesIsNotOverwrittenUnordered) {
  const std::string over = "  st.global.u32 [%rd2], %r1;\n";
  expect_race("global", 7, 3, kStore + kStoreRead + kBarrier + over);
  expect_clean(kStore + kStoreWritten + kBarrier + over);
  const std::string again =
      "  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 64;\n";
  const std::string commit = "  cp.async.bulk.commit_group;\n";
  expect_race("global", 6, 3, kStore + kStoreRead + again + commit + kStoreWritten);
  expect_clean(kStore + kStoreWritten + again + commit + kStoreWritten);
}

TEST(CheckerAsync, ReductionsOfBulkCopiesDoNotRaceWithEachOther) {
  const std::string add =
      "  @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 256;\n"
      "  cp.async.bulk.commit_group;\n";
  const std::string first = kStore + kStoreWritten;
  expect_clean(first + add + add + kStoreRead);
  expect_race("global", 10, 6, first + add + kStoreRead + kBarrier + kReadBack);
}

TEST(CheckerAsync, OnlyTheYoungestGroupsAreNotWaitedFor) {
  const std::string two =
      kStore +
      "  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [%r2], 256;\n"
      "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 1;\n" +
      kBarrier;
  const std::string second = "  ld.global.u32 %r7, [%rd2+512];\n";
  expect_clean(two + kReadBack + kStoreRead);
  expect_race("global", 9, 5, two + second + kStoreRead);
}

// Each block writes its words; then block 1 of the cluster reads those of block 0.
const Shape kCluster{{2, 1, 1}, {32, 1, 1}, true, Checks::all(), {2, 1, 1}};
const std::string kWrite = "  st.shared.u32 [%r3], %r1;\n";
const std::string kClusterBarrier =
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n";
const std::string kReadRemote =
    "  mapa.shared::cluster.u32 %r8, %r3, 0; setp.eq.u32 %p5, %r4, 1;\n"
    "  @%p5 ld.shared::cluster.u32 %r6, [%r8];\n";

TEST(CheckerAsync, BlocksOfAClusterNeedItsBarrier) {
  expect_race("shared", 4, 1, kWrite + kBarrier + kReadRemote + kClusterBarrier,
              {{2, 1, 1}, {32, 1, 1}, true, {.races = true}, {2, 1, 1}});
  expect_clean(kWrite + kClusterBarrier + kReadRemote + kClusterBarrier, kCluster);
}

TEST(CheckerAsync, ARelaxedArrivalHandsNothingOver) {
  const std::string relaxed =
      "  barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;\n";
  expect_race("shared", 4, 1, kWrite + relaxed + kReadRemote + kClusterBarrier, kCluster);
}

TEST(CheckerAsync, ARemoteMbarrierHandsOverBetweenBlocks) {
  // Block 0 writes into block 1 and arrives there.
  const auto body = [](const std::string& semantics) {
    return "  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r2+512], 32;\n" +
           kClusterBarrier +
           "  setp.eq.u32 %p2, %r4, 0; @!%p2 bra WAIT;\n"
           "  mapa.shared::cluster.u32 %r8, %r3, 1; mapa.shared::cluster.u32 %r9, %r2, 1;\n"
           "  st.shared::cluster.u32 [%r8], %r1;\n"
           "  mbarrier.arrive." +
           semantics +
           ".cluster.shared::cluster.b64 _, [%r9+512];\n"
           "  bra.uni DONE;\n"
           "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r2+512], 0;\n"
           "  @!%p3 bra WAIT;\n"
           "  ld.shared.u32 %r6, [%r3];\nDONE:\n" +
           kClusterBarrier;
  };
  expect_clean(body("release"), kCluster);
  expect_race("shared", 10, 5, body("relaxed"), kCluster);
}

}  // namespace
}  // namespace tilewise::vgpu
