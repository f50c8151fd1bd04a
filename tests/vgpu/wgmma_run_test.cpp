// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma as kernels execute it: products of whole numbers against plain sums, in every layout; when its
// effects are seen; and the messages for what the hardware refuses.
#include <gtest/gtest.h>

#include <array>

#include "wgmma_kernel.hpp"

namespace tilewise::vgpu {
namespace {

PtxRun launch(const WgmmaShape& s, const std::string& body, const Operands& o) {
  return run_ptx(kernel(s, body), buffer(s, o), {1, 1, 1}, {128, 1, 1}, 0, 1, "test", s.where);
}

void expect_product(const WgmmaShape& s, const PtxRun& r, const Operands& o, int times = 1) {
  int wrong = 0;
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < s.n; ++n) {
      int sum = 0;
      for (int k = 0; k < s.depth(); ++k) sum += o.a[m * s.depth() + k] * o.b[n * s.depth() + k];
      const int expected =
          times * sum * s.sign_a * s.sign_b + (s.accumulates ? o.c[m * s.n + n] : 0);
      wrong += result(s, r.words, m, n) != expected;
    }
  }
  EXPECT_EQ(wrong, 0) << instruction(s);
}

void expect_product(WgmmaShape s) {
  const Operands o = random_operands(s, static_cast<unsigned>(s.n));
  for (const Where& where : on_both()) {
    SCOPED_TRACE(text_of(where));
    s.where = where;
    expect_product(s, launch(s, kFence + instruction(s) + kFinish, o), o);
  }
}

TEST(Wgmma, MultipliesEveryTypeFromSharedMemoryAndRegisters) {
  for (const auto& [d, a, b] : std::vector<std::array<std::string, 3>>{{"f32", "f16", "f16"},
                                                                       {"f16", "f16", "f16"},
                                                                       {"f32", "bf16", "bf16"},
                                                                       {"f32", "tf32", "tf32"},
                                                                       {"f32", "e4m3", "e4m3"},
                                                                       {"f32", "e4m3", "e5m2"},
                                                                       {"f32", "e5m2", "e4m3"},
                                                                       {"f16", "e5m2", "e5m2"},
                                                                       {"s32", "s8", "s8"},
                                                                       {"s32", "u8", "u8"},
                                                                       {"s32", "s8", "u8"},
                                                                       {"s32", "u8", "s8"}}) {
    for (const bool registers : {false, true}) {
      WgmmaShape s;
      s.d = d, s.a = a, s.b = b;
      s.a_in_registers = registers;
      s.n = 24;
      expect_product(s);
    }
  }
}

TEST(Wgmma, ReadsEveryLayout) {
  for (const int swizzle : {0, 32, 64, 128}) {
    for (const bool turned_a : {false, true}) {
      for (const bool turned_b : {false, true}) {
        WgmmaShape s;
        s.a = s.b = "f16";
        s.swizzle = swizzle;
        s.turned_a = turned_a, s.turned_b = turned_b;
        s.n = 128;
        expect_product(s);
      }
    }
  }
}

TEST(Wgmma, HasEveryNumberOfColumns) {
  for (int n = 8; n <= 256; n += 8) {
    WgmmaShape s;
    s.n = n;
    expect_product(s);
  }
  for (const int n : {8, 24, 32, 48, 240, 256}) {
    WgmmaShape s;
    s.d = "s32", s.a = s.b = "s8";
    s.n = n;
    expect_product(s);
  }
}

TEST(Wgmma, NegatesAndForgetsWhatItIsTold) {
  for (const char* type : {"f16", "bf16", "tf32", "e4m3", "e5m2"}) {
    for (const int sign_b : {1, -1}) {
      WgmmaShape s;
      s.a = s.b = type;
      s.sign_a = -1, s.sign_b = sign_b;
      s.accumulates = sign_b == 1;
      expect_product(s);
      s.a_in_registers = true;
      expect_product(s);
    }
  }
}

TEST(Wgmma, ProductsOfAWarpAddUpInEveryOrder) {
  for (const Where& where : everywhere()) {
    SCOPED_TRACE(text_of(where));
    WgmmaShape s;
    s.where = where;
    const Operands o = random_operands(s, 5);
    const std::string twice = instruction(s) + "  wgmma.commit_group.sync.aligned;\n" +
                              instruction(s) + "  wgmma.commit_group.sync.aligned;\n";
    const std::string body =
        kFence + twice + "  wgmma.wait_group.sync.aligned 1;\n" + instruction(s) + kFinish;
    expect_product(s, launch(s, body, o), o, 3);
  }
}

TEST(Wgmma, AMissingWaitShowsWhenProductsAreLate) {
  WgmmaShape s;
  s.where.async_order = AsyncOrder::kLatest;
  const Operands o = random_operands(s, 6);
  const PtxRun r = launch(s, instruction(s) + "  wgmma.commit_group.sync.aligned;\n", o);
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < s.n; ++n) EXPECT_EQ(result(s, r.words, m, n), o.c[m * s.n + n]);
  }
}

TEST(Wgmma, AnOperandOverwrittenTooEarlyShowsWhenProductsAreLate) {
  WgmmaShape s;
  const Operands o = random_operands(s, 7);
  const std::string overwrite =
      "  wgmma.commit_group.sync.aligned;\n  bar.sync 0;\n  mov.u32 %r8, 0;\n  shl.b32 %r9, %r1, "
      "4;\n"
      "  add.u32 %r9, %r9, %r2;\n  st.shared.v4.u32 [%r9], {%r8, %r8, %r8, %r8};\n"
      "  wgmma.wait_group.sync.aligned 0;\n";
  expect_product(s, launch(s, instruction(s) + overwrite, o), o);
  s.where.async_order = AsyncOrder::kLatest;
  const PtxRun late = launch(s, instruction(s) + overwrite, o);
  EXPECT_EQ(result(s, late.words, 0, 0), o.c[0]) << "row 0 of A is zeros by then";
}

TEST(Wgmma, CopiesOfAccumulatorsWaitForThem) {
  // Compilers copy accumulators between operations where the machine code has one register.
  WgmmaShape s;
  s.where.async_order = AsyncOrder::kLatest;
  const Operands o = random_operands(s, 8);
  const std::string body = instruction(s) +
                           "  wgmma.commit_group.sync.aligned;\n  mov.b32 %e0, %d0;\n"
                           "  wgmma.wait_group.sync.aligned 0;\n  mov.b32 %d0, %e0;\n";
  expect_product(s, launch(s, body, o), o);
}

TEST(Wgmma, IsCounted) {
  WgmmaShape s;
  s.n = 128;
  const Operands o = random_operands(s, 9);
  const Counters c = launch(s, instruction(s) + kFinish, o).report.counters;
  EXPECT_EQ(c.tensor_fmas_bf16, 64u * 128u * 16u);
  EXPECT_EQ(c.wgmma_shared_bytes, (64u + 128u) * 32u);
  s.a_in_registers = true;
  s.a = s.b = "tf32";
  const Counters r = launch(s, instruction(s) + kFinish, random_operands(s, 9)).report.counters;
  EXPECT_EQ(r.tensor_fmas_tf32, 64u * 128u * 8u);
  EXPECT_EQ(r.wgmma_shared_bytes, 128u * 32u);
}

TEST(WgmmaFaults, NameTheWarpAndWhatIsWrong) {
  const WgmmaShape s;
  const Operands o = random_operands(s, 1);
  const auto failure = [&](const std::string& before, Dim3 block) {
    return message_of(ErrorCode::kExecution, [&] {
      run_ptx(kernel(s, before + instruction(s) + kFinish), buffer(s, o), {1, 1, 1}, block);
    });
  };
  EXPECT_CONTAINS(failure("  mov.b64 %rd5, 4611686293305311231;\n", {128, 1, 1}),
                  " reads matrix B at offset ");
  EXPECT_CONTAINS(failure("  mov.b64 %rd5, 4611686293305311231;\n", {128, 1, 1}),
                  "but the block has 40960 bytes (descriptor 0x4000004000003fff)");
  EXPECT_CONTAINS(failure("", {96, 1, 1}), "wgmma in a warpgroup of 3 warps, it needs 4");
  EXPECT_CONTAINS(failure("  setp.eq.u32 %p3, %r1, 5;\n  @%p3 exit;\n", {128, 1, 1}),
                  "thread (0, 0, 0)");
}

TEST(WgmmaDecode, RefusesWhatDoesNotExist) {
  const auto refusal = [](ErrorCode code, const WgmmaShape& s) {
    return message_of(code, [&] { Module(kPtxHead + kernel(s, instruction(s)), "test.ptx"); });
  };
  WgmmaShape s;
  s.n = 12;
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported, s), "m64n12k16 of .f32.bf16.bf16");
  s = {};
  s.d = "s32", s.a = s.b = "s8", s.n = 40;
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported, s), "m64n40k32 of .s32.s8.s8");
  s = {};
  s.a = "f16";
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported, s), "m64n64k16 of .f32.f16.bf16");
  s = {};
  s.sign_a = 2;
  EXPECT_CONTAINS(refusal(ErrorCode::kInvalidInput, s),
                  "imm-scale-a and imm-scale-b must be 1 or -1");
  s = {};
  const auto line = [&](const std::string& text, ErrorCode code) {
    return message_of(code, [&] { Module(kPtxHead + kernel(s, "  " + text + ";\n"), "test.ptx"); });
  };
  EXPECT_CONTAINS(
      line("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2}, %rd4, %rd5, "
           "%p1, 1, 1, 0, 0",
           ErrorCode::kInvalidInput),
      "D has 3 registers, expected 4");
  EXPECT_CONTAINS(
      line("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, "
           "%rd4, %rd5, %r1, 0, %p1, 1, 1, 0, 0",
           ErrorCode::kUnsupported),
      "sparse wgmma");
  EXPECT_CONTAINS(line("wgmma.wait_group.sync.aligned %r1", ErrorCode::kInvalidInput),
                  "wait_group needs a constant");
}

}  // namespace
}  // namespace tilewise::vgpu
