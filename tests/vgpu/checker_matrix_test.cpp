// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The checkers on wgmma's registers and on setmaxnreg, instruction by instruction.
#include <gtest/gtest.h>

#include "check_ptx.hpp"

namespace tilewise::vgpu {
namespace {

const Shape kWarpgroup{{1, 1, 1}, {128, 1, 1}};

// B of 8×16 in shared memory, %rd5 its descriptor; A in %r10 to %r13, D in %r20 to %r23. 4 lines.
const std::string kOperands =
    "  st.shared.u32 [%r3], %r1; fence.proxy.async; bar.sync 0;\n"
    "  shr.u32 %r9, %r2, 4; cvt.u64.u32 %rd5, %r9; or.b64 %rd5, %rd5, 0x1000080000;\n"
    "  mov.u32 %r10, %r1; mov.u32 %r11, %r1; mov.u32 %r12, %r1; mov.u32 %r13, %r1;\n"
    "  add.u32 %r20, %r1, 1; mov.u32 %r21, %r1; mov.u32 %r22, %r1; mov.u32 %r23, %r1;\n";
const std::string kFence = "  wgmma.fence.sync.aligned;\n";
const std::string kMultiply =
    "  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r20, %r21, %r22, %r23}, "
    "{%r10, %r11, %r12, %r13}, %rd5, 1, 1, 1, 0;\n";
const std::string kCommit = "  wgmma.commit_group.sync.aligned;\n";
const std::string kWait = "  wgmma.wait_group.sync.aligned 0;\n";

void expect_kind(const std::string& kind, const std::string& body) {
  const auto found = check(body, kWarpgroup);
  ASSERT_EQ(found.size(), 1u) << text_of(found);
  EXPECT_EQ(found[0].kind, kind) << text_of(found);
}

void expect_nothing(const std::string& body) { expect_clean(body, kWarpgroup); }

TEST(CheckerMatrix, RegistersThatAreSetNeedAFence) {
  expect_nothing(kOperands + kFence + kMultiply + kCommit + kWait);
  expect_kind("missing wgmma.fence", kOperands + kMultiply + kCommit + kWait);
  expect_kind("missing wgmma.fence",
              kOperands + kFence + "  add.u32 %r22, %r1, 1;\n" + kMultiply + kCommit + kWait);
  expect_kind("missing wgmma.fence",
              kOperands + kFence + "  add.u32 %r12, %r1, 1;\n" + kMultiply + kCommit + kWait);
}

TEST(CheckerMatrix, ConstantsNeedNone) {
  expect_nothing(kOperands + kFence + "  mov.f32 %r20, 0f00000000; mov.b32 %r21, 7;\n" + kMultiply +
                 kCommit + kWait);
  // Nor do copies of one, but a value that was worked out from it does.
  expect_nothing(kOperands + kFence + "  mov.b32 %r20, 7; mov.b32 %r21, %r20;\n" + kMultiply +
                 kCommit + kWait);
  expect_kind("missing wgmma.fence", kOperands + kFence +
                                         "  mov.b32 %r20, 7; add.u32 %r21, %r20, 1;\n" + kMultiply +
                                         kCommit + kWait);
}

TEST(CheckerMatrix, ResultsAreNotTouchedBeforeTheWait) {
  const std::string begun = kOperands + kFence + kMultiply + kCommit;
  const char* const kind = "accumulators used before wgmma.wait_group";
  expect_kind(kind, begun + "  add.u32 %r6, %r23, 1;\n" + kWait);
  expect_kind(kind, begun + "  mov.b32 %r23, 0;\n" + kWait);
  expect_nothing(begun + kWait + "  add.u32 %r6, %r23, 1;\n  mov.b32 %r23, 0;\n");
}

TEST(CheckerMatrix, OperandsInRegistersAreOnlyReadBeforeTheWait) {
  const std::string begun = kOperands + kFence + kMultiply + kCommit;
  expect_kind("operand of wgmma overwritten before its wait",
              begun + "  add.u32 %r13, %r13, 1;\n" + kWait);
  expect_nothing(begun + "  add.u32 %r6, %r13, 1;\n" + kWait);
  expect_nothing(begun + kWait + "  add.u32 %r13, %r13, 1;\n");
}

TEST(CheckerMatrix, RegistersGrowAndShrinkTheRightWay) {
  expect_nothing("  setmaxnreg.dec.sync.aligned.u32 64;\n  setmaxnreg.inc.sync.aligned.u32 96;\n");
  expect_kind("setmaxnreg the wrong way round",
              "  setmaxnreg.dec.sync.aligned.u32 64;\n  setmaxnreg.dec.sync.aligned.u32 96;\n");
  expect_kind("setmaxnreg the wrong way round",
              "  setmaxnreg.inc.sync.aligned.u32 96;\n  setmaxnreg.inc.sync.aligned.u32 64;\n");
  expect_kind("setmaxnreg in diverged code",
              "  and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra ODD;\n"
              "  setmaxnreg.dec.sync.aligned.u32 64;\nODD:\n");
}

}  // namespace
}  // namespace tilewise::vgpu
