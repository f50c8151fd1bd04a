// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async.bulk, its tensor forms and reductions: what they copy in every order of completion, and what
// is seen when a wait is missing.
#include "bulk_kernel.hpp"

namespace tilewise::vgpu {
namespace {

const std::string kLoadBytes =
    "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;\n"
    "  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+64], [%rd1+32], "
    "256, [%r3];\n";

TEST(BulkCopy, LoadsBytesInEveryOrder) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(kFillTile + kLoadBytes + kWait + kCopyOut),
                              {matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where});
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(tile_word(r, 16 + i), 8 + i);
    EXPECT_EQ(tile_word(r, 15), 1015u);
    EXPECT_EQ(tile_word(r, 80), 1080u);
    EXPECT_EQ(r.report.counters.bulk_load_bytes, where.is_real ? 0u : 256u);
    EXPECT_EQ(r.report.counters.bulk_store_bytes, 0u);
  }
}

TEST(BulkCopy, AMissingWaitShowsWhenCopiesAreLate) {
  BulkScene scene{matrix_of_words(), {1, 1, 1}, {32, 1, 1}, {}};
  EXPECT_EQ(tile_word(run_bulk(bulk_kernel(kLoadBytes + kCopyOut), scene), 16), 8u)
      << "early: by luck";
  scene.where.async_order = AsyncOrder::kLatest;
  EXPECT_EQ(tile_word(run_bulk(bulk_kernel(kLoadBytes + kCopyOut), scene), 16), 0u);
}

TEST(BulkCopy, StoresWhatItWaitsFor) {
  const std::string body = kFillTile + R"(
  @!%p1 bra DONE;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+4096], [%r2+128], 64;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.global.u32 %r20, [%rd1+4096];
  st.global.u32 [%rd1], %r20;
DONE:
)";
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(body), {matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where});
    for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(r.words[1024 + i], 1032 + i);
    EXPECT_EQ(r.words[1040], 1040u);
    EXPECT_EQ(r.words[0], 1032u);
    EXPECT_EQ(r.report.counters.bulk_store_bytes, where.is_real ? 0u : 64u);
  }
}

TEST(BulkCopy, ReducesIntoGlobalMemory) {
  const std::string body = kFillTile + R"(
  @!%p1 bra DONE;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 64;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%rd1+64], [%r2], 64;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
DONE:
)";
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(body), {matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where});
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(r.words[i], i + 1000 + i);
      EXPECT_EQ(r.words[16 + i], 16 + i);
    }
  }
}

const std::string kLoadBox = R"(
  mov.u32 %r4, 24; mov.u32 %r5, -3;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;
  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2+1024], [%rd2, {%r4, %r5}], [%r3];
)";

// What lies at word `x` of row `y` of the box, whose first element is (24, -3): computed from the swizzle's
// definition, pieces of 16 bytes and rows of the pattern.
std::size_t word_of_box(TensorSwizzle swizzle, std::size_t x, std::size_t y) {
  const std::size_t pitch = swizzle == TensorSwizzle::k128B ? 32 : 16;
  const std::size_t word = 256 + y * pitch + x, line = word / 32, piece = word % 32 / 4;
  const std::size_t pieces = std::size_t{1} << static_cast<int>(swizzle);
  return line * 32 + (piece ^ (line % pieces)) * 4 + word % 4;
}

TEST(TensorCopy, LoadsABoxWithSwizzleAndBounds) {
  for (const auto swizzle : {TensorSwizzle::kNone, TensorSwizzle::k64B, TensorSwizzle::k128B}) {
    for (const Where& where : everywhere()) {
      SCOPED_TRACE(text_of(where));
      BulkScene scene{matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where};
      scene.map.swizzle = swizzle;
      const PtxRun r = run_bulk(bulk_kernel(kLoadBox + kWait + kCopyOut), scene);
      for (std::uint32_t y = 0; y < 8; ++y) {
        for (std::uint32_t x = 0; x < 16; ++x) {
          const bool inside = y >= 3 && x < 8;
          EXPECT_EQ(tile_word(r, word_of_box(swizzle, x, y)), inside ? (y - 3) * 32 + 24 + x : 0);
        }
      }
      EXPECT_EQ(r.report.counters.bulk_load_bytes, where.is_real ? 0u : 512u);
    }
  }
}

TEST(TensorCopy, StoresAndReducesABox) {
  const auto body = [](const std::string& instruction) {
    return kFillTile + "  mov.u32 %r4, 24; mov.u32 %r5, 28;\n  @%p1 " + instruction +
           " [%rd2, {%r4, %r5}], [%r2];\n"
           "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n";
  };
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const BulkScene scene{matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where};
    const PtxRun stored =
        run_bulk(bulk_kernel(body("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group")), scene);
    const PtxRun added = run_bulk(
        bulk_kernel(body("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group")),
        scene);
    for (std::uint32_t y = 0; y < 32; ++y) {
      for (std::uint32_t x = 0; x < 32; ++x) {
        const bool inside = y >= 28 && x >= 24;
        const std::uint32_t old = y * 32 + x, value = 1000 + (y - 28) * 16 + x - 24;
        EXPECT_EQ(stored.words[y * 32 + x], inside ? value : old);
        EXPECT_EQ(added.words[y * 32 + x], inside ? old + value : old);
      }
    }
    EXPECT_EQ(stored.words[1024], 1024u) << "nothing behind the tensor";
    EXPECT_EQ(stored.report.counters.bulk_store_bytes, where.is_real ? 0u : 512u);
  }
}

TEST(TensorCopy, ReachesEveryBlockOfTheMask) {
  // Block 0 loads for both; each copies its tile's first 128 words to the buffer.
  const std::string body = R"(
  mov.u32 %r20, %cluster_ctarank;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;
  mov.u16 %h1, 3; mov.u32 %r4, 0;
  setp.eq.and.u32 %p4, %r20, 0, %p1;
  @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd2, {%r4, %r4}], [%r3], %h1;
)" + kWait + R"(
  shl.b32 %r11, %r1, 2;
  add.u32 %r12, %r2, %r11;
  ld.shared.u32 %r13, [%r12+64];
  shl.b32 %r14, %r20, 7;
  add.u32 %r14, %r14, %r11;
  cvt.u64.u32 %rd10, %r14;
  add.u64 %rd11, %rd1, %rd10;
  st.global.u32 [%rd11+8192], %r13;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
)";
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(body, ".explicitcluster .reqnctapercluster 2, 1, 1 "),
                              {matrix_of_words(), {2, 1, 1}, {32, 1, 1}, where});
    for (std::uint32_t block = 0; block < 2; ++block) {
      for (std::uint32_t i = 0; i < 32; ++i)
        EXPECT_EQ(r.words[2048 + 32 * block + i], (1 + i / 16) * 32 + i % 16);
    }
    EXPECT_EQ(r.report.counters.bulk_load_bytes, where.is_real ? 0u : 1024u);
  }
}

TEST(BulkCopy, ReachesTheSharedMemoryOfAnotherBlock) {
  // Block 0 copies 64 bytes of its tile to block 1, which waits on its own mbarrier.
  const std::string body = kFillTile + R"(
  mov.u32 %r20, %cluster_ctarank;
  setp.eq.u32 %p5, %r20, 1;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  mov.u32 %r21, 1;
  mapa.shared::cluster.u32 %r22, %r2, %r21;
  mapa.shared::cluster.u32 %r23, %r3, %r21;
  setp.eq.and.u32 %p4, %r20, 0, %p1;
  @%p4 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r22], [%r2+256], 64, [%r23];
  @!%p5 bra DONE;
)" + kWait + R"(
  ld.shared.u32 %r13, [%r2+4];
  @%p1 st.global.u32 [%rd1], %r13;
DONE:
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
)";
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(body, ".explicitcluster .reqnctapercluster 2, 1, 1 "),
                              {matrix_of_words(), {2, 1, 1}, {32, 1, 1}, where});
    EXPECT_EQ(r.words[0], 1065u);
  }
}

TEST(TensorCopy, PrefetchesChangeNothing) {
  const std::string body = R"(
  mov.u32 %r4, 0;
  prefetch.tensormap [%rd2];
  cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd2, {%r4, %r4}];
  cp.async.bulk.prefetch.L2.global [%rd1], 64;
)";
  for (const Where& where : on_both()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(body), {matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where});
    for (std::uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(r.words[i], i);
    EXPECT_EQ(r.report.counters.bulk_load_bytes, 0u);
  }
}

// The map is copied to shared memory, made to describe 16 rows of 8 words from word 512 on, loaded through.
TEST(TensorMap, IsChangedByTheKernel) {
  const std::string body = R"(
  shl.b32 %r10, %r1, 2;
  cvt.u64.u32 %rd10, %r10;
  add.u64 %rd11, %rd2, %rd10;
  ld.u32 %r11, [%rd11];
  add.u32 %r12, %r2, %r10;
  st.shared.u32 [%r12], %r11;
  bar.warp.sync -1;
  add.u64 %rd12, %rd1, 2048;
  mov.u64 %rd13, 32;
  mov.u32 %r13, 16;
  mov.u32 %r14, 8;
  @%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %rd12;
  @%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2], 0, %rd13;
  @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, %r14;
  @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 1, %r13;
  @%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, %r13;
  @%p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r2], 0;
  @%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 7;
  @%p1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r2], 1;
  bar.warp.sync -1;
  add.u64 %rd14, %rd1, 12288;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd14], [%r2], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%rd14], 128;
  mov.u32 %r4, 0;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;
  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd14, {%r4, %r4}], [%r3];
)" + kWait + kCopyOut;
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    const PtxRun r = run_bulk(bulk_kernel(body), {matrix_of_words(), {1, 1, 1}, {32, 1, 1}, where});
    for (std::uint32_t y = 0; y < 16; ++y) {
      for (std::uint32_t x = 0; x < 16; ++x)
        EXPECT_EQ(tile_word(r, y * 16 + x), x < 8 ? 512 + y * 8 + x : 0x7FF77FF7);
    }
  }
}

}  // namespace
}  // namespace tilewise::vgpu
