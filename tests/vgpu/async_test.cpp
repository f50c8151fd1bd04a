// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async, mbarriers and clusters: what they do in every order, and what is seen when a wait is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "run_ptx.hpp"

namespace tilewise::vgpu {
namespace {

std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t first) {
  std::vector<std::uint32_t> words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

PtxRun run(const std::string& body, std::vector<std::uint32_t> words, const Where& where,
           Dim3 grid = {1, 1, 1}, Dim3 block = {32, 1, 1}, const std::string& directives = "") {
  const std::string ptx = R"(
.shared .align 16 .b8 tile[4096];
.shared .align 8 .b64 bar[4];
.visible .entry test(.param .u64 out) )" +
                          directives + R"({
  .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;        // out + 4 * thread
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2;
  add.u32 %r4, %r2, %r3;           // tile + 4 * thread
  mov.u32 %r5, bar;
)" + body + "\n  ret;\n}\n";
  return run_ptx(ptx, std::move(words), grid, block, 0, 1, "test", where);
}

LaunchOptions in_order(AsyncOrder order) {
  LaunchOptions options;
  options.async_order = order;
  return options;
}

// Two groups of copies; the first is waited for alone, then both.
constexpr const char* kTwoGroups = R"(
  mov.u32 %r10, 7;
  st.shared.u32 [%r4], %r10;
  st.shared.u32 [%r4+128], %r10;
  cp.async.ca.shared.global [%r4], [%rd3], 4;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r4+128], [%rd3+128], 4;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.shared.u32 %r11, [%r4];
  ld.shared.u32 %r12, [%r4+128];
  cp.async.wait_group 0;
  ld.shared.u32 %r13, [%r4+128];
  st.global.u32 [%rd3+256], %r11;
  st.global.u32 [%rd3+384], %r12;
  st.global.u32 [%rd3+512], %r13;
)";

TEST(AsyncCopies, GroupsAreWaitedForInOrder) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun done = run(kTwoGroups, numbers(160, 1000), where);
    for (std::uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(done.words[64 + i], 1000 + i);
      EXPECT_EQ(done.words[128 + i], 1032 + i);
    }
  }
}

TEST(AsyncCopies, OrderDecidesWhatIsSeenBeforeTheWait) {
  const PtxRun early = run(kTwoGroups, numbers(160, 1000), in_order(AsyncOrder::kEarliest));
  const PtxRun late = run(kTwoGroups, numbers(160, 1000), in_order(AsyncOrder::kLatest));
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(early.words[96 + i], 1032 + i);
    EXPECT_EQ(late.words[96 + i], 7u);
  }
}

// Each warp reads what the other left, and overwrites its own some forty instructions later, with no barrier
// in between: right by luck on a GPU, whose warps go side by side.
TEST(Scheduling, WarpsGoSideBySideInTheOrderSoon) {
  std::string body = R"(
  st.shared.u32 [%r4], %r1;
  bar.sync 0;
  xor.b32 %r10, %r3, 252;          // a thread of the other warp
  add.u32 %r10, %r2, %r10;
  ld.shared.u32 %r11, [%r10];
  mov.u32 %r12, 999;
)";
  for (int i = 0; i < 40; ++i) body += "  add.u32 %r12, %r12, 1;\n";
  body += "  st.shared.u32 [%r4], %r12;\n  st.global.u32 [%rd3], %r11;\n";
  const auto words = [&](AsyncOrder order) {
    return run(body, numbers(64, 0), in_order(order), {1, 1, 1}, {64, 1, 1}).words;
  };
  const auto soon = words(AsyncOrder::kSoon), early = words(AsyncOrder::kEarliest);
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(soon[i], i ^ 63);
    EXPECT_EQ(early[i], i < 32 ? 1039u : i ^ 63) << "the last at the barrier runs on at once";
  }
}

TEST(AsyncCopies, WidthsZeroFillAndIgnoredSources) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun done = run(R"(
  shl.b32 %r10, %r1, 4;
  add.u32 %r10, %r2, %r10;
  mul.wide.u32 %rd4, %r1, 16;
  add.u64 %rd4, %rd1, %rd4;
  and.b32 %r11, %r1, 15;           // source bytes: 0 to 15
  cp.async.cg.shared.global [%r10], [%rd4], 16, %r11;
  cp.async.wait_all;
  ld.shared.v4.u32 {%r12, %r13, %r14, %r15}, [%r10];
  st.global.v4.u32 [%rd4], {%r12, %r13, %r14, %r15};
  setp.gt.u32 %p1, %r1, 20;
  cp.async.ca.shared.global.L2::128B [%r10], [%rd4], 8, %p1;
  cp.async.wait_all;
  ld.shared.u32 %r16, [%r10];
  st.global.u32 [%rd3+512], %r16;
)",
                            numbers(160, 0x01010101), where);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        const int bytes = std::clamp(static_cast<int>(lane & 15) - static_cast<int>(4 * i), 0, 4);
        const std::uint64_t mask = (std::uint64_t{1} << (8 * bytes)) - 1;
        EXPECT_EQ(done.words[4 * lane + i], (0x01010101 + 4 * lane + i) & mask) << lane << ' ' << i;
      }
      EXPECT_EQ(done.words[128 + lane], lane > 20 ? 0 : done.words[4 * lane]);
    }
  }
}

TEST(AsyncCopies, AreCounted) {
  const PtxRun done = run(kTwoGroups, numbers(160, 0), {});
  EXPECT_EQ(done.report.counters.async_copy_instructions, 2u);
  EXPECT_EQ(done.report.counters.async_copy_sectors, 8u);
  EXPECT_EQ(done.report.counters.async_copy_wavefronts, 2u);
  EXPECT_EQ(done.report.counters.async_copy_conflicts, 0u);
}

TEST(AsyncCopies, BadOnesAreFaults) {
  const auto message = [](const std::string& body) {
    return message_of(ErrorCode::kExecution, [&] { run(body, numbers(160, 0), {}); });
  };
  EXPECT_CONTAINS(message("cp.async.cg.shared.global [%r2+8], [%rd1], 16;"),
                  "copies 16 bytes to shared address 0x408, which is not a multiple of 16");
  EXPECT_CONTAINS(message("cp.async.cg.shared.global [%r2+8192], [%rd1], 16;"),
                  "at offset 8192, but the block has 4128 bytes");
  EXPECT_CONTAINS(message("cp.async.cg.shared.global [%r2], [%rd1+4], 16;"),
                  "not a multiple of 16");
  EXPECT_CONTAINS(message("cp.async.cg.shared.global [%r2], [%rd1+640], 16;"),
                  "outside every allocation");
  EXPECT_CONTAINS(message("mov.u32 %r9, 17; cp.async.cg.shared.global [%r2], [%rd1], 16, %r9;"),
                  "copies 17 source bytes into 16");
}

// Thread 0 makes an mbarrier for 32 threads and one copy's bytes; all wait for parity 0, then 1.
TEST(Mbarriers, PhasesByParityAndToken) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun done = run(R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r5], 64;
  bar.sync 0;
  st.shared.u32 [%r4], %r1;
  mbarrier.arrive.shared.b64 %rd5, [%r5];
wait0:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
  @!%p2 bra wait0;
  xor.b32 %r10, %r3, 252;          // a thread of the other warp
  add.u32 %r10, %r2, %r10;
  ld.shared.u32 %r11, [%r10];
  mbarrier.arrive.shared.b64 %rd6, [%r5];
wait1:
  mbarrier.test_wait.shared.b64 %p3, [%r5], %rd6;
  @!%p3 bra wait1;
  mbarrier.pending_count.b64 %r12, %rd6;
  mad.lo.u32 %r11, %r12, 0, %r11;
  st.global.u32 [%rd3], %r11;
)",
                            numbers(64, 0), where, {1, 1, 1}, {64, 1, 1});
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(done.words[i], i ^ 63);
  }
}

TEST(Mbarriers, CopiesArriveWhenTheyAreDone) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun done = run(R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r5], 64;
  bar.sync 0;
  setp.ge.u32 %p4, %r1, 32;
  @%p4 bra consumer;
  cp.async.ca.shared.global [%r4], [%rd3], 4;
  cp.async.mbarrier.arrive.shared.b64 [%r5];        // one more arrival each, and it comes
  mbarrier.arrive.shared.b64 %rd5, [%r5];
  bra end;
consumer:
  cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];  // nothing to wait for
wait:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
  @!%p2 bra wait;
  ld.shared.u32 %r11, [%r4+-128];
  st.global.u32 [%rd3], %r11;
end:
)",
                            numbers(64, 500), where, {1, 1, 1}, {64, 1, 1});
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(done.words[32 + i], 500 + i);
  }
}

TEST(Mbarriers, BytesHoldAPhaseBack) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun done = run(R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r5], 32;
  bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r5], 100;
  @!%p1 mbarrier.arrive.shared.b64 %rd5, [%r5];
  mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;
  selp.u32 %r10, 1, 0, %p2;
  @%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r5], 60;
  @%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r5], 40;
  mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;
  selp.u32 %r11, 1, 0, %p2;
  mad.lo.u32 %r10, %r11, 2, %r10;
  st.global.u32 [%rd3], %r10;
)",
                            numbers(32, 0), where);
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(done.words[i], 2u);
  }
}

TEST(Mbarriers, MisuseIsAFault) {
  const auto message = [](const std::string& body) {
    return message_of(ErrorCode::kExecution, [&] { run(body, numbers(64, 0), {}); });
  };
  const std::string init =
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [bar+8], 31;\nbar.sync 0;\n";
  EXPECT_CONTAINS(
      message(init + "mov.u32 %r9, 32;\nmbarrier.arrive.shared.b64 %rd5, [bar+8], %r9;"),
      "more threads arrive than the phase waits for");
  EXPECT_CONTAINS(message("mbarrier.init.shared.b64 [bar], 0;"), "between 1 and 1048575");
  EXPECT_CONTAINS(message("mbarrier.init.shared.b64 [bar+4], 1;"), "eight aligned bytes");
  EXPECT_CONTAINS(message(init + "mbarrier.inval.shared.b64 [bar+8];\n"
                                 "mbarrier.try_wait.parity.shared.b64 %p2, [bar+8], 0;"),
                  "mbarrier.init is missing");
  EXPECT_CONTAINS(message(init + "w: mbarrier.try_wait.parity.shared.b64 %p2, [bar+8], 0;\n"
                                 "@!%p2 bra w;"),
                  "deadlock in block (0, 0, 0)");
  EXPECT_CONTAINS(message(init + "w: mbarrier.try_wait.parity.shared.b64 %p2, [bar+8], 0;\n"
                                 "@!%p2 bra w;"),
                  "whose phase of parity 0 still lacks 31 arrivals and 0 bytes");
}

// Where shared memory begins decides what a swizzle of whole addresses does.
TEST(SharedMemory, BeginsWhereAnH200HasIt) {
  for (Where where : on_both()) {
    SCOPED_TRACE(text_of(where));
    where.cluster = {2, 1, 1};
    const PtxRun done = run(R"(
  mov.u32 %r10, %cluster_ctarank;
  mul.wide.u32 %rd5, %r10, 128;
  add.u64 %rd5, %rd5, %rd3;
  st.global.u32 [%rd5], %r2;
)",
                            numbers(64, 0), where, {2, 1, 1});
    EXPECT_EQ(done.words[0], 1024u);
    EXPECT_EQ(done.words[32], 1024u + (1u << 24));
  }
}

// A guarded barrier is for the threads whose guard holds.
TEST(Barriers, AGuardHoldsThreadsBack) {
  for (const Where& where : on_both()) {
    const PtxRun done = run(R"(
  setp.lt.u32 %p1, %r1, 32;
  mov.u32 %r10, 1;
  @%p1 bar.sync 1, 32;
  @!%p1 bar.sync 2, 32;
  st.global.u32 [%rd3], %r10;
)",
                            numbers(64, 0), where, {1, 1, 1}, {64, 1, 1});
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(done.words[i], 1u) << text_of(where);
  }
}

// Four blocks: each writes to the next one's shared memory, counts arrivals on the first's mbarrier, and
// adds to the last one's counter.
constexpr const char* kExchange = R"(
  mov.u32 %r10, %cluster_ctarank;
  mov.u32 %r11, %cluster_nctarank;
  add.u32 %r12, %r10, 1;
  rem.u32 %r12, %r12, %r11;
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r20, 0;
  st.shared.u32 [tile+1024], %r20;
  mov.u32 %r21, 128;
  @%p1 mbarrier.init.shared.b64 [%r5], %r21;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  mapa.shared::cluster.u32 %r13, %r4, %r12;
  mov.u32 %r14, %clusterid.x;
  mad.lo.u32 %r15, %r14, 1000, %r1;
  mad.lo.u32 %r15, %r10, 100, %r15;
  st.shared::cluster.u32 [%r13], %r15;
  mapa.shared::cluster.u32 %r16, %r5, 0;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r16];
  mov.u32 %r17, tile;
  mapa.shared::cluster.u32 %r18, %r17, 3;
  mov.u32 %r19, 1;
  atom.shared::cluster.add.u32 %r22, [%r18+1024], %r19;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ld.shared.u32 %r23, [%r4];
  ld.shared::cluster.u32 %r24, [%r18+1024];
  getctarank.shared::cluster.u32 %r25, %r18;
  mov.u32 %r26, %ctaid.x;
  mul.lo.u32 %r26, %r26, 128;
  cvt.u64.u32 %rd9, %r26;
  shl.b64 %rd9, %rd9, 2;
  add.u64 %rd9, %rd3, %rd9;
  st.global.u32 [%rd9], %r23;
  st.global.u32 [%rd9+128], %r24;
  st.global.u32 [%rd9+256], %r25;
  mov.u32 %r27, 0;
  setp.ne.u32 %p2, %r10, 0;
  @%p2 bra end;
  mbarrier.test_wait.parity.shared.b64 %p3, [%r5], 0;
  selp.u32 %r27, 1, 0, %p3;
end:
  st.global.u32 [%rd9+384], %r27;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";

TEST(Clusters, BlocksShareMemoryBarriersAndMbarriers) {
  for (Where where : on_both()) {
    for (const char* size : {".reqnctapercluster 4, 1, 1", ""}) {
      SCOPED_TRACE(text_of(where) + size);
      where.cluster = *size == 0 ? Dim3{4, 1, 1} : Dim3{0, 0, 0};
      const PtxRun done = run(kExchange, numbers(1024, 0), where, {8, 1, 1}, {32, 1, 1}, size);
      for (std::uint32_t block = 0; block < 8; ++block) {
        const std::uint32_t cluster = block / 4, rank = block % 4, from = (rank + 3) % 4;
        for (std::uint32_t i = 0; i < 32; ++i) {
          EXPECT_EQ(done.words[block * 128 + i], cluster * 1000 + from * 100 + i);
          EXPECT_EQ(done.words[block * 128 + 32 + i], 128u);
          EXPECT_EQ(done.words[block * 128 + 64 + i], 3u);
          EXPECT_EQ(done.words[block * 128 + 96 + i], rank == 0 ? 1u : 0u);
        }
      }
    }
  }
}

// Every thread of block 1 stores to and adds in block 0, whose mbarrier waits for all the bytes.
TEST(Clusters, RemoteStoresCompleteOnAnMbarrier) {
  for (Where where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    where.cluster = {2, 1, 1};
    const PtxRun done = run(R"(
  mov.u32 %r10, %cluster_ctarank;
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r11, 5;
  st.shared.u32 [tile+1024], %r11;
  @%p1 mbarrier.init.shared.b64 [%r5], 1;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r5], 640;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra first;
  mapa.shared::cluster.u32 %r12, %r2, 0;
  mapa.shared::cluster.u32 %r13, %r5, 0;
  shl.b32 %r14, %r1, 4;
  add.u32 %r14, %r12, %r14;
  add.u32 %r15, %r1, 100;
  add.u32 %r16, %r1, 200;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r14], {%r1, %r15, %r16, %r11}, [%r13];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12+1024], %r1, [%r13];
  bra end;
first:
wait:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r5], 0;
  @!%p3 bra wait;
  shl.b32 %r14, %r1, 4;
  add.u32 %r14, %r2, %r14;
  ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r14];
  mul.wide.u32 %rd4, %r1, 16;
  add.u64 %rd4, %rd1, %rd4;
  st.global.v4.u32 [%rd4], {%r20, %r21, %r22, %r23};
  ld.shared.u32 %r24, [tile+1024];
  st.global.u32 [%rd1+512], %r24;
end:
  barrier.cluster.arrive;
  barrier.cluster.wait;
)",
                            numbers(160, 0), where, {2, 1, 1});
    for (std::uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(done.words[4 * i], i);
      EXPECT_EQ(done.words[4 * i + 1], 100 + i);
      EXPECT_EQ(done.words[4 * i + 2], 200 + i);
      EXPECT_EQ(done.words[4 * i + 3], 5u);
    }
    EXPECT_EQ(done.words[128], 5u + 31 * 16);
  }
}

TEST(Clusters, ImpossibleOnesAreRefused) {
  const auto message = [](Dim3 cluster, Dim3 grid, const char* directives) {
    LaunchOptions options;
    options.cluster = cluster;
    return message_of(ErrorCode::kInvalidArgument, [&] {
      run("", numbers(64, 0), options, grid, {32, 1, 1}, directives);
    });
  };
  EXPECT_CONTAINS(message({3, 1, 1}, {8, 1, 1}, ""), "no multiple of clusters of 3×1×1");
  EXPECT_CONTAINS(message({32, 1, 1}, {32, 1, 1}, ""), "is more than 16");
  EXPECT_CONTAINS(message({2, 1, 1}, {8, 1, 1}, ".reqnctapercluster 4"), "compiled for 4×1×1");
}

TEST(Clusters, KernelsKnowWhetherTheirSizeWasNamed) {
  const auto is_explicit = [](Where where, Dim3 cluster, const char* directives) {
    where.cluster = cluster;
    return run("  mov.pred %p1, %is_explicit_cluster; selp.u32 %r10, 7, 9, %p1;\n"
               "  st.global.u32 [%rd3], %r10;\n",
               numbers(64, 0), where, {2, 1, 1}, {32, 1, 1}, directives)
               .words[0] == 7;
  };
  for (const Where& where : on_both()) {
    SCOPED_TRACE(text_of(where));
    EXPECT_FALSE(is_explicit(where, {0, 0, 0}, ""));
    EXPECT_TRUE(is_explicit(where, {2, 1, 1}, ""));
    EXPECT_TRUE(is_explicit(where, {0, 0, 0}, ".reqnctapercluster 2"));
  }
  EXPECT_TRUE(is_explicit({}, {1, 1, 1}, "")) << "a Launch of the Device interface names none here";
}

TEST(Clusters, RanksOutsideAreFaults) {
  LaunchOptions options;
  options.cluster = {2, 1, 1};
  EXPECT_CONTAINS(
      message_of(
          ErrorCode::kExecution,
          [&] {
            run("mapa.shared::cluster.u32 %r10, %r4, 2;", numbers(64, 0), options, {2, 1, 1});
          }),
      "asks for block 2 of a cluster of 2");
}

}  // namespace
}  // namespace tilewise::vgpu
