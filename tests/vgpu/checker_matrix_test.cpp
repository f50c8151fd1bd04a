// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The checkers on wgmma's registers and on setmaxnreg, instruction by instruction.
#include <gtest/gtest.h>

#include "check_ptx.hpp"
#include "core/file.hpp"

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

// What ptxas refuses is refused, with the line; what it lets pass and a GPU does not is a finding (above).
TEST(SetMaxRegisters, WhatPtxasRefusesIsRefusedWithItsLine) {
  const auto kernel = [](const std::string& directives, const std::string& body) {
    return ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry test() " + directives +
           "{\n" + body + "  ret;\n}\n";
  };
  const auto refused = [&](const std::string& directives, const std::string& body, int line,
                           const std::string& what) {
    const std::string message = message_of(ErrorCode::kInvalidInput, [&] {
      const Module module(kernel(directives, body), "test.ptx");
    });
    EXPECT_CONTAINS(message, "test.ptx:" + std::to_string(4 + line) + ":");
    EXPECT_CONTAINS(message, what);
  };
  const auto taken = [&](const std::string& directives, const std::string& body) {
    EXPECT_NO_THROW(Module(kernel(directives, body), "test.ptx")) << directives << body;
  };
  const std::string dec = "  setmaxnreg.dec.sync.aligned.u32 ",
                    inc = "  setmaxnreg.inc.sync.aligned.u32 ";
  for (const char* count : {"16", "20", "28", "100", "257", "264", "0", "%r1"}) {
    refused("", "  .reg .b32 %r1; mov.b32 %r1, 0;\n" + dec + count + ";\n", 2, "setmaxnreg");
    refused("", "  .reg .b32 %r1; mov.b32 %r1, 0;\n" + inc + count + ";\n", 2, "setmaxnreg");
  }
  for (const char* count : {"24", "32", "104", "248", "256"}) {
    taken("", dec + count + ";\n");
    taken("", inc + count + ";\n");
  }
  // .dec to more than any warp ever has, by .maxnreg, by the block's size, by .inc. What ptxas 13.0 does.
  refused(".maxnreg 168 ", dec + "176;\n", 1, "no warp of this kernel has more than 168");
  refused(".maxnreg 100 ", dec + "104;\n", 1, "more than 100");
  refused(".maxntid 384, 1, 1 ", dec + "176;\n", 1, "more than 168");
  refused(".maxntid 384, 1, 1 .minnctapersm 2 ", dec + "88;\n", 1, "more than 80");
  refused(".reqntid 416, 1, 1 ", dec + "152;\n", 1, "more than 128");
  refused(".maxntid 1024, 1, 1 .maxnreg 40 ", dec + "48;\n", 1, "more than 40");
  refused(".maxnreg 168 ", inc + "240;\n" + dec + "248;\n", 2, "more than 240");
  taken(".maxnreg 168 ", inc + "240;\n" + dec + "240;\n");
  taken(".maxnreg 168 ", dec + "240;\n" + inc + "240;\n");
  taken(".maxntid 384, 1, 1 .minnctapersm 1 ", dec + "168;\n" + inc + "24;\n");
  taken(".maxntid 128, 1, 1 .minnctapersm 2 ", dec + "256;\n");
}

// Where ptxas leaves setmaxnreg out, its counts mean nothing: the cubin's registers are those the code needs.
TEST(SetMaxRegisters, WhatPtxasLeavesOutIsNotHeldAgainstTheCubin) {
  const std::string folder = std::string(TILEWISE_TESTS_DIR) + "/vgpu/cubins/at_run_time.sm_90a.";
  const std::string cubin = read_file(folder + "cubin");
  const Module module(read_file(folder + "ptx"), "at_run_time.ptx",
                      std::as_bytes(std::span(cubin)));
  Memory memory(1 << 20);
  const std::uint64_t address = memory.allocate(4);
  const std::uint32_t n = 0;
  const void* arguments[] = {&address, &n};
  LaunchOptions options;
  options.checks.sync = true;
  for (const char* kernel : {"keeps_registers", "gives_registers_up"}) {
    const LaunchReport report = module.launch(kernel, model::find_gpu("h200"), memory, {1, 1, 1},
                                              {128, 1, 1}, 0, arguments, options);
    EXPECT_TRUE(report.findings.empty()) << kernel << report.findings[0].message;
  }
}

}  // namespace
}  // namespace tilewise::vgpu
