// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async.bulk, its tensor forms and reductions: what they copy in every order of completion, what is
// seen when a wait is missing, and the messages for copies that the hardware refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "run_ptx.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::size_t kWords = 4096;  ///< of the buffer; the tensor is its first half

struct Scene {
  TensorMapRequest map;
  Dim3 grid{1, 1, 1};
  Dim3 block{32, 1, 1};
  LaunchOptions options;
};

// 32 rows of 32 words; a box of 8 rows of 16 words.
TensorMapRequest matrix_of_words(TensorType type = TensorType::kU32) {
  TensorMapRequest r;
  r.type = type;
  r.rank = 2;
  r.dimensions = {32, 32};
  r.strides = {128};
  r.box = {16, 8};
  return r;
}

// Every kernel below: %r1 = tid.x, %rd1 = the buffer, %rd2 = the tensor map, %r2 = tile (4 KiB of shared
// memory), %r3 = an mbarrier for one arrival, %p1: thread 0.
std::string kernel(const std::string& body, const std::string& directives = "") {
  return R"(
.shared .align 1024 .b8 tile[4096];
.shared .align 8 .b64 bar;
.visible .entry test(.param .u64 buffer, .param .align 64 .b8 map[128]) )" +
         directives + R"({
  .reg .b32 %r<40>; .reg .b16 %h<4>; .reg .b64 %rd<20>; .reg .pred %p<8>;
  ld.param.u64 %rd1, [buffer];
  cvta.to.global.u64 %rd1, %rd1;
  mov.b64 %rd3, map;
  cvta.param.u64 %rd2, %rd3;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r3, bar;
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
READY:
  fence.proxy.async;
  bar.sync 0;
)" + body +
         "\n  ret;\n}\n";
}

// Waits for phase 0 of the mbarrier, then copies the tile's 1024 words to word 2048 of the buffer.
const std::string kWait = R"(
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
  @!%p2 bra WAIT;
)";
const std::string kCopyOut = R"(
  mov.u32 %r10, %r1;
COPY:
  shl.b32 %r11, %r10, 2;
  add.u32 %r12, %r2, %r11;
  ld.shared.u32 %r13, [%r12];
  cvt.u64.u32 %rd10, %r11;
  add.u64 %rd11, %rd1, %rd10;
  st.global.u32 [%rd11+8192], %r13;
  add.u32 %r10, %r10, 32;
  setp.lt.u32 %p3, %r10, 1024;
  @%p3 bra COPY;
)";
// Fills the tile: word i is 1000 + i.
const std::string kFillTile = R"(
  mov.u32 %r10, %r1;
FILL:
  shl.b32 %r11, %r10, 2;
  add.u32 %r12, %r2, %r11;
  add.u32 %r13, %r10, 1000;
  st.shared.u32 [%r12], %r13;
  add.u32 %r10, %r10, 32;
  setp.lt.u32 %p3, %r10, 1024;
  @%p3 bra FILL;
  fence.proxy.async;
  bar.sync 0;
)";

// Word i of the buffer is i before the run.
PtxRun run(const std::string& ptx, const Scene& scene) {
  const Module module(kPtxHead + ptx, "test.ptx");
  Memory memory(1 << 24);
  const std::uint64_t address = memory.allocate(kWords * 4);
  auto* words = reinterpret_cast<std::uint32_t*>(address);
  std::iota(words, words + kWords, 0u);
  TensorMapRequest request = scene.map;
  request.address += address;
  const TensorMap map = make_tensor_map(request);
  const void* arguments[] = {&address, &map};
  PtxRun run;
  LaunchOptions options = scene.options;
  options.threads = 1;
  run.report = module.launch("test", model::find_gpu("h200"), memory, scene.grid, scene.block, 0,
                             arguments, options);
  run.words.assign(words, words + kWords);
  return run;
}

std::vector<LaunchOptions> every_order() {
  std::vector<LaunchOptions> all(10);
  all[1].async_order = AsyncOrder::kLatest;
  for (std::size_t i = 2; i < all.size(); ++i) {
    all[i].async_order = AsyncOrder::kRandom;
    all[i].async_seed = i;
  }
  return all;
}

// Word `i` of the tile as the kernel copied it out.
std::uint32_t tile_word(const PtxRun& r, std::size_t i) { return r.words[2048 + i]; }

std::string failure(const std::string& ptx, const Scene& scene) {
  return message_of(ErrorCode::kExecution, [&] { run(ptx, scene); });
}

const std::string kLoadBytes =
    "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;\n"
    "  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+64], [%rd1+32], "
    "256, [%r3];\n";

TEST(BulkCopy, LoadsBytesInEveryOrder) {
  for (const LaunchOptions& options : every_order()) {
    const PtxRun r =
        run(kernel(kLoadBytes + kWait + kCopyOut), {matrix_of_words(), {}, {}, options});
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(tile_word(r, 16 + i), 8 + i);
    EXPECT_EQ(tile_word(r, 15), 0u);
    EXPECT_EQ(tile_word(r, 80), 0u);
    EXPECT_EQ(r.report.counters.bulk_load_bytes, 256u);
    EXPECT_EQ(r.report.counters.bulk_store_bytes, 0u);
  }
}

TEST(BulkCopy, AMissingWaitShowsWhenCopiesAreLate) {
  Scene scene{matrix_of_words(), {}, {}, {}};
  EXPECT_EQ(tile_word(run(kernel(kLoadBytes + kCopyOut), scene), 16), 8u) << "early: by luck";
  scene.options.async_order = AsyncOrder::kLatest;
  EXPECT_EQ(tile_word(run(kernel(kLoadBytes + kCopyOut), scene), 16), 0u);
}

TEST(BulkCopy, StoresWhatItWaitsFor) {
  const std::string body = kFillTile + R"(
  @!%p1 bra DONE;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+4096], [%r2+128], 64;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  ld.global.u32 %r20, [%rd1+4096];
  st.global.u32 [%rd1], %r20;
DONE:
)";
  for (const LaunchOptions& options : every_order()) {
    const PtxRun r = run(kernel(body), {matrix_of_words(), {}, {}, options});
    for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(r.words[1024 + i], 1032 + i);
    EXPECT_EQ(r.words[1040], 1040u);
    EXPECT_EQ(r.words[0], 1032u);
    EXPECT_EQ(r.report.counters.bulk_store_bytes, 64u);
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
  for (const LaunchOptions& options : every_order()) {
    const PtxRun r = run(kernel(body), {matrix_of_words(), {}, {}, options});
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
    for (const LaunchOptions& options : every_order()) {
      Scene scene{matrix_of_words(), {}, {}, options};
      scene.map.swizzle = swizzle;
      const PtxRun r = run(kernel(kLoadBox + kWait + kCopyOut), scene);
      for (std::uint32_t y = 0; y < 8; ++y) {
        for (std::uint32_t x = 0; x < 16; ++x) {
          const bool inside = y >= 3 && x < 8;
          EXPECT_EQ(tile_word(r, word_of_box(swizzle, x, y)), inside ? (y - 3) * 32 + 24 + x : 0);
        }
      }
      EXPECT_EQ(r.report.counters.bulk_load_bytes, 512u);
    }
  }
}

TEST(TensorCopy, StoresAndReducesABox) {
  const auto body = [](const std::string& instruction) {
    return kFillTile + "  mov.u32 %r4, 24; mov.u32 %r5, 28;\n  @%p1 " + instruction +
           " [%rd2, {%r4, %r5}], [%r2];\n"
           "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n";
  };
  for (const LaunchOptions& options : every_order()) {
    const Scene scene{matrix_of_words(), {}, {}, options};
    const PtxRun stored =
        run(kernel(body("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group")), scene);
    const PtxRun added =
        run(kernel(body("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group")),
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
    EXPECT_EQ(stored.report.counters.bulk_store_bytes, 512u);
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
  for (const LaunchOptions& options : every_order()) {
    const PtxRun r = run(kernel(body, ".explicitcluster .reqnctapercluster 2, 1, 1 "),
                         {matrix_of_words(), {2, 1, 1}, {32, 1, 1}, options});
    for (std::uint32_t block = 0; block < 2; ++block) {
      for (std::uint32_t i = 0; i < 32; ++i)
        EXPECT_EQ(r.words[2048 + 32 * block + i], (1 + i / 16) * 32 + i % 16);
    }
    EXPECT_EQ(r.report.counters.bulk_load_bytes, 1024u);
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
  for (const LaunchOptions& options : every_order()) {
    const PtxRun r = run(kernel(body, ".explicitcluster .reqnctapercluster 2, 1, 1 "),
                         {matrix_of_words(), {2, 1, 1}, {32, 1, 1}, options});
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
  const PtxRun r = run(kernel(body), {matrix_of_words(), {}, {}, {}});
  for (std::uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(r.words[i], i);
  EXPECT_EQ(r.report.counters.bulk_load_bytes, 0u);
}

TEST(BulkCopyFaults, NameTheThreadAndWhatIsWrong) {
  const Scene scene{matrix_of_words(), {}, {}, {}};
  const auto load = [&](const std::string& to, const std::string& from, const std::string& bytes,
                        const std::string& barrier) {
    return failure(
        kernel("  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + to +
               "], [" + from + "], " + bytes + ", [" + barrier + "];\n"),
        scene);
  };
  EXPECT_CONTAINS(
      load("%r2+8", "%rd1", "16", "%r3"),
      "kernel test (test.ptx:23): block (0, 0, 0), thread (0, 0, 0) copies with the shared "
      "address 0x");
  EXPECT_CONTAINS(load("%r2", "%rd1+4", "16", "%r3"), "which is not a multiple of 16");
  EXPECT_CONTAINS(load("%r2", "%rd1", "24", "%r3"),
                  "copies 24 bytes, which is not a multiple of 16");
  EXPECT_CONTAINS(load("%r2", "%rd1+16384", "16", "%r3"), "reads 16 bytes of global memory at");
  EXPECT_CONTAINS(load("%r2+4064", "%rd1", "64", "%r3"), "outside the");
  EXPECT_CONTAINS(load("%r2", "%rd1", "64", "%r3+4"), "no place of eight aligned bytes");
  EXPECT_CONTAINS(load("%r2", "%rd1", "64", "%r2"), "mbarrier.init is missing");
}

TEST(TensorCopyFaults, NameWhatTheHardwareRefuses) {
  const auto load = [](const std::string& operands, TensorMapRequest map = matrix_of_words(),
                       const std::string& rank = "2d") {
    return failure(
        kernel("  mov.u32 %r4, 0; mov.u32 %r5, 1; mov.u32 %r6, -4;\n  @%p1 cp.async.bulk.tensor." +
               rank + ".shared::cluster.global.mbarrier::complete_tx::bytes " + operands +
               ", [%r3];\n"),
        {map, {}, {}, {}});
  };
  EXPECT_CONTAINS(load("[%r2+64], [%rd2, {%r4, %r4}]"), "is not a multiple of 128");
  EXPECT_CONTAINS(load("[%r2], [%rd2, {%r5, %r4}]"),
                  "coordinate 0 = 1 is 4 bytes, not a multiple of 16");
  EXPECT_CONTAINS(load("[%r2], [%rd1, {%r4, %r4}]"), "where there is none");
  EXPECT_CONTAINS(load("[%r2], [%rd2+32, {%r4, %r4}]"), "outside every allocation");
  EXPECT_CONTAINS(load("[%r2], [%rd2, {%r4, %r4, %r4}]", matrix_of_words(), "3d"),
                  "copies a box of 3 dimensions of a tensor of 2");
  EXPECT_CONTAINS(load("[%r2+3968], [%rd2, {%r4, %r4}]"), "copies 512 bytes at shared address");
  TensorMapRequest beyond = matrix_of_words();
  beyond.dimensions[1] = 200;  // 128 rows are there
  const std::string far = failure(
      kernel("  mov.u32 %r4, 0; mov.u32 %r5, 124;\n"
             "  @%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
             "[%r2], [%rd2, "
             "{%r4, %r5}], [%r3];\n"),
      {beyond, {}, {}, {}});
  EXPECT_CONTAINS(far, "reads 64 bytes of global memory at");
  const auto store = [](const std::string& operation, TensorType type) {
    return failure(kernel("  mov.u32 %r4, 0; mov.u32 %r6, -4;\n  @%p1 " + operation +
                          ".bulk_group [%rd2, {%r4, %r6}], [%r2];\n"),
                   {matrix_of_words(type), {}, {}, {}});
  };
  EXPECT_CONTAINS(store("cp.async.bulk.tensor.2d.global.shared::cta", TensorType::kU32),
                  "coordinate 1 = -4 is negative, which only loads may have");
  EXPECT_CONTAINS(store("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min", TensorType::kF32),
                  "reduces elements of f32 with .min, which the hardware does not");
}

TEST(BulkDecode, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](ErrorCode code, const std::string& line) {
    return message_of(code, [&] { Module(kPtxHead + kernel("  " + line + ";\n"), "test.ptx"); });
  };
  const std::string load = ".shared::cluster.global";
  const std::string end =
      ".mbarrier::complete_tx::bytes [%r2], [%rd2, {%r4, %r4, %r4, %r4}], [%r3]";
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported,
                          "cp.async.bulk.tensor.4d" + load + ".im2col" + end + ", {%h1, %h1}"),
                  "cp.async.bulk with .im2col");
  EXPECT_CONTAINS(
      refusal(ErrorCode::kUnsupported, "cp.async.bulk.tensor.2d" + load + ".tile::gather4" + end),
      "cp.async.bulk with .tile::gather4");
  EXPECT_CONTAINS(refusal(ErrorCode::kInvalidInput, "cp.async.bulk.tensor.2d" + load + end),
                  "4 coordinates for a tensor of 2 dimensions");
  EXPECT_CONTAINS(refusal(ErrorCode::kInvalidInput, "cp.async.bulk.tensor" + load + end),
                  "a tensor copy needs .1d to .5d");
  EXPECT_CONTAINS(
      refusal(ErrorCode::kInvalidInput, "cp.async.bulk" + load + " [%r2], [%rd1], 16, [%r3]"),
      "expected .mbarrier::complete_tx::bytes or .bulk_group");
  const std::string reduce = "cp.reduce.async.bulk.global.shared::cta.bulk_group";
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported, reduce + ".min.f32 [%rd1], [%r2], 16"),
                  "this reduction of this type");
  EXPECT_CONTAINS(refusal(ErrorCode::kInvalidInput, reduce + ".add.f16 [%rd1], [%r2], 16"),
                  ".noftz belongs");
  EXPECT_CONTAINS(
      refusal(ErrorCode::kUnsupported,
              "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
              ".min.u64 [%r2], [%r2], 16, [%r3]"),
      "this reduction of this type");
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported,
                          "cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
                          "[%rd1], [%r2], 16, %h1"),
                  "cp.async.bulk with .cp_mask");
}

}  // namespace
}  // namespace tilewise::vgpu
