// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// mbarriers with one warp: counts that shrink, bytes that are announced apart from arrivals. And the
// instructions that are hints to hardware, which must be read and must change nothing.
#include <gtest/gtest.h>

#include "run_ptx.hpp"

namespace tilewise::vgpu {
namespace {

// %rd1 = the buffer, %rd2 = &buffer[tid.x], %r1 = tid.x, %p1: thread 0; `bar` is made for `count` arrivals.
std::string kernel(int count, const std::string& body) {
  return ".visible .entry test(.param .u64 buffer)\n{\n"
         "  .shared .align 8 .b64 bar;\n"
         "  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd1, [buffer]; mov.u32 %r1, %tid.x;\n"
         "  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; setp.eq.u32 %p1, %r1, 0;\n"
         "  @%p1 mbarrier.init.shared.b64 [bar], " +
         std::to_string(count) + ";\n  bar.sync 0;\n" + body + "  ret;\n}\n";
}

// Whether the phase of this parity is over, into word 32 * `slot` + tid.x.
std::string ask(int parity, int slot) {
  return "  bar.warp.sync 0xFFFFFFFF;\n  mbarrier.test_wait.parity.shared.b64 %p7, [bar], " +
         std::to_string(parity) + ";\n  selp.u32 %r15, 1, 0, %p7; st.global.u32 [%rd2+" +
         std::to_string(128 * slot) + "], %r15;\n  bar.warp.sync 0xFFFFFFFF;\n";
}

// The answers are those of the virtual GPU, and of a real one where there is one.
std::vector<std::uint32_t> answers(const std::string& ptx, std::size_t count) {
  std::vector<std::uint32_t> result;
  for (const Where& where : on_both()) {
    const PtxRun done = run_ptx(ptx, std::vector<std::uint32_t>(32 * count, 9), {1, 1, 1},
                                {32, 1, 1}, 0, 1, "test", where);
    result.resize(count, done.words[0]);
    for (std::size_t slot = 0; slot < count; ++slot) {
      if (!where.is_real) result[slot] = done.words[32 * slot];
      for (std::size_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(done.words[32 * slot + lane], result[slot])
            << "slot " << slot << ", " << text_of(where);
      }
    }
  }
  return result;
}

TEST(Mbarriers, ThoseWhoDropOutAreNotWaitedForAgain) {
  const std::string half = "  setp.lt.u32 %p2, %r1, 16;\n";
  const std::string ptx =
      kernel(32, half + "  @%p2 mbarrier.arrive_drop.shared.b64 %rd3, [bar];\n" + ask(0, 0) +
                     "  @!%p2 mbarrier.arrive.shared.b64 %rd3, [bar];\n" + ask(0, 1) + ask(1, 2) +
                     "  @!%p2 mbarrier.arrive.shared.b64 %rd3, [bar];\n" + ask(1, 3));
  EXPECT_EQ(answers(ptx, 4), (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

TEST(Mbarriers, BytesCanBeAnnouncedBeforeTheArrival) {
  const std::string ptx = kernel(
      1, "  @%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 48;\n" + ask(0, 0) +
             "  @%p1 mbarrier.arrive.shared.b64 %rd3, [bar];\n" + ask(0, 1) +
             "  @%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 32;\n" + ask(0, 2) +
             "  @%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n" + ask(0, 3));
  EXPECT_EQ(answers(ptx, 4), (std::vector<std::uint32_t>{0, 0, 0, 1}));
}

TEST(Mbarriers, DroppingOutMayAnnounceBytesToo) {
  const std::string ptx = kernel(
      2,
      "  @%p1 mbarrier.arrive_drop.expect_tx.shared.b64 %rd3, [bar], 16;\n"
      "  @%p1 mbarrier.arrive.shared.b64 %rd3, [bar];\n" +
          ask(0, 0) + "  @%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n" +
          ask(0, 1) + "  @%p1 mbarrier.arrive.shared.b64 %rd3, [bar];\n" + ask(1, 2));
  EXPECT_EQ(answers(ptx, 3), (std::vector<std::uint32_t>{0, 1, 1}));
}

TEST(Hints, AreReadAndChangeNothing) {
  const std::string ptx =
      kernel(1,
             "  griddepcontrol.wait;\n"
             "  createpolicy.fractional.L2::evict_last.b64 %rd4, 1.0;\n"
             "  prefetch.global.L2 [%rd2];\n  prefetchu.L1 [%rd2];\n"
             "  applypriority.global.L2::evict_normal [%rd1], 128;\n"
             "  ld.global.L2::cache_hint.u32 %r2, [%rd2], %rd4;\n  add.u32 %r2, %r2, 1;\n"
             "  st.global.L2::cache_hint.u32 [%rd2], %r2, %rd4;\n"
             "  griddepcontrol.launch_dependents;\n");
  for (const Where& where : on_both()) {
    const PtxRun done =
        run_ptx(ptx, std::vector<std::uint32_t>(32, 6), {1, 1, 1}, {32, 1, 1}, 0, 1, "test", where);
    EXPECT_EQ(done.words, std::vector<std::uint32_t>(32, 7)) << text_of(where);
  }
}

}  // namespace
}  // namespace tilewise::vgpu
