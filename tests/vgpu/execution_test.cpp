// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How warps and blocks run: divergence and reconvergence, barriers, calls, waiting, and the messages for
// kernels that misbehave.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "run_ptx.hpp"

namespace tilewise::vgpu {
namespace {

// Every kernel below begins with this: %rd1 = the buffer, %r1 = tid.x, %rd2 = &buffer[tid.x].
const std::string kBegin =
    ".visible .entry test(.param .u64 buffer)\n{\n"
    "  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
    "  ld.param.u64 %rd1, [buffer]; cvta.to.global.u64 %rd1, %rd1;\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n";

std::vector<std::uint32_t> zeros(std::size_t count) { return std::vector<std::uint32_t>(count, 0); }

TEST(Execution, LanesOfAnIfElseMeetAgain) {
  const auto run = run_ptx(kBegin +
                               "  setp.lt.u32 %p1, %r1, 7;\n"
                               "  @%p1 bra LOW;\n"
                               "  mov.u32 %r2, 200; bra.uni JOIN;\n"
                               "LOW: mov.u32 %r2, 100;\n"
                               "JOIN: activemask.b32 %r3; add.u32 %r2, %r2, %r1;\n"
                               "  setp.eq.u32 %p2, %r3, 0xFFFFFFFF; @!%p2 mov.u32 %r2, 0;\n"
                               "  st.global.u32 [%rd2], %r2; ret;\n}\n",
                           zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], (i < 7 ? 100 : 200) + i);
  EXPECT_EQ(run.report.counters.global_store_requests, 1u) << "the store runs once, with all lanes";
}

TEST(Execution, LanesLeaveALoopOneByOneAndMeetBehindIt) {
  const auto run =
      run_ptx(kBegin +
                  "  mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                  "LOOP: add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1;\n"
                  "  setp.le.u32 %p1, %r3, %r1; @%p1 bra LOOP;\n"
                  "  activemask.b32 %r4; setp.ne.u32 %p2, %r4, -1; @%p2 mov.u32 %r2, 9999;\n"
                  "  st.global.u32 [%rd2], %r2; ret;\n}\n",
              zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], i * (i + 1) / 2);
}

TEST(Execution, NestedDivergenceInsideALoop) {
  const auto run = run_ptx(
      kBegin +
          "  mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
          "LOOP: and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN;\n"
          "  and.b32 %r5, %r1, 2; setp.eq.u32 %p2, %r5, 0; @%p2 bra ODD0;\n"
          "  add.u32 %r2, %r2, 1000; bra.uni ENDODD;\n"
          "ODD0: add.u32 %r2, %r2, 100;\n"
          "ENDODD: add.u32 %r2, %r2, 1; bra.uni NEXT;\n"
          "EVEN: add.u32 %r2, %r2, 10;\n"
          "NEXT: activemask.b32 %r6; setp.ne.u32 %p3, %r6, -1; @%p3 add.u32 %r2, %r2, 77777;\n"
          "  add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 5; @%p4 bra LOOP;\n"
          "  st.global.u32 [%rd2], %r2; ret;\n}\n",
      zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t step = i % 2 == 0 ? 10 : (i & 2 ? 1001 : 101);
    EXPECT_EQ(run.words[i], 5 * step) << i;
  }
}

TEST(Execution, ExitedLanesAreNotWaitedFor) {
  const auto run =
      run_ptx(kBegin +
                  "  setp.ge.u32 %p1, %r1, 20; @%p1 exit;\n"
                  "  setp.lt.u32 %p2, %r1, 10; @%p2 bra A;\n"
                  "  setp.lt.u32 %p3, %r1, 15; @%p3 exit;\n"
                  "A: bar.sync 0; activemask.b32 %r2; st.global.u32 [%rd2], %r2; ret;\n}\n",
              zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) {
    const bool alive = i < 10 || (i >= 15 && i < 20);
    EXPECT_EQ(run.words[i], alive ? 0x000F83FFu : 0u) << i;
  }
}

TEST(Execution, AWarpWithFewerThreadsThanLanes) {
  const auto run = run_ptx(kBegin + "  activemask.b32 %r2; st.global.u32 [%rd2], %r2; ret;\n}\n",
                           zeros(64), {1, 1, 1}, {37, 1, 1});
  EXPECT_EQ(run.words[0], 0xFFFFFFFFu);
  EXPECT_EQ(run.words[36], 0x1Fu);
  EXPECT_EQ(run.words[37], 0u);
}

TEST(Execution, SharedMemoryAndBarrierBetweenWarps) {
  const auto run = run_ptx(
      ".shared .align 4 .b8 tile[512];\n" + kBegin +
          "  shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r4, %r3, %r2;\n"
          "  st.shared.u32 [%r4], %r1; bar.sync 0;\n"
          "  mov.u32 %r5, 127; sub.u32 %r5, %r5, %r1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r3, %r5;\n"
          "  ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6; ret;\n}\n",
      zeros(128), {1, 1, 1}, {128, 1, 1});
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(run.words[i], 127 - i);
  EXPECT_EQ(run.report.counters.barriers, 4u);
  EXPECT_EQ(run.report.counters.shared_load_wavefronts, 4u);
}

TEST(Execution, DynamicSharedMemoryBeginsBehindTheStatic) {
  const auto run = run_ptx(
      ".shared .align 4 .b8 fixed[20];\n.extern .shared .align 16 .b8 dynamic[];\n" + kBegin +
          "  mov.u32 %r2, dynamic; mov.u32 %r3, fixed; sub.u32 %r4, %r2, %r3;\n"
          "  mov.u32 %r5, %dynamic_smem_size;\n"
          "  st.shared.u32 [%r2+60], %r4; ld.shared.u32 %r6, [%r2+60];\n"
          "  add.u32 %r6, %r6, %r5; st.global.u32 [%rd2], %r6; ret;\n}\n",
      zeros(32), {1, 1, 1}, {1, 1, 1}, 64);
  EXPECT_EQ(run.words[0], 32u + 64u);
}

// Kernels with two buffers in one 16 KiB variable go from one to the other by flipping a bit of the address.
TEST(Execution, SharedVariablesMayAskForLargeAlignments) {
  const auto run = run_ptx(
      ".visible .entry test(.param .u64 p) {\n"
      "  .shared .align 4 .b8 before[4];\n  .shared .align 16384 .b8 tiles[16384];\n"
      "  .reg .b32 %r<5>; .reg .b64 %rd<2>;\n"
      "  ld.param.u64 %rd1, [p]; mov.u32 %r1, tiles; mov.u32 %r2, before; xor.b32 %r3, %r1, 8192;\n"
      "  st.shared.u32 [%r2], 1; st.shared.u32 [%r3], 2; ld.shared.u32 %r4, [%r1+8192];\n"
      "  st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r4; ret;\n}\n",
      {1, 0}, {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(run.words[0] % 16384, 0u);
  EXPECT_EQ(run.words[1], 2u);
}
TEST(Execution, DeviceFunctionsAreCalledWithArgumentsAndResults) {
  const auto run = run_ptx(
      ".func (.param .b32 out) square_plus(.param .b32 x, .param .b32 y)\n{\n"
      "  .reg .b32 %r<4>; .reg .pred %p<2>;\n"
      "  ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];\n"
      "  setp.gt.u32 %p1, %r1, 5; @%p1 bra BIG; st.param.b32 [out], %r2; ret;\n"
      "BIG: mad.lo.u32 %r3, %r1, %r1, %r2; st.param.b32 [out], %r3; ret;\n}\n" +
          kBegin +
          "  { .param .b32 a; .param .b32 b; .param .b32 result;\n"
          "    st.param.b32 [a], %r1; st.param.b32 [b], 3; call.uni (result), square_plus, (a, "
          "b);\n"
          "    ld.param.b32 %r2, [result]; }\n"
          "  { .param .b32 a; .param .b32 b; .param .b32 result;\n"
          "    st.param.b32 [a], %r2; st.param.b32 [b], %r1; call.uni (result), square_plus, (a, "
          "b);\n"
          "    ld.param.b32 %r3, [result]; }\n"
          "  st.global.u32 [%rd2], %r3; ret;\n}\n",
      zeros(32));
  const auto f = [](std::uint32_t x, std::uint32_t y) { return x > 5 ? x * x + y : y; };
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], f(f(i, 3), i)) << i;
}

TEST(Execution, LocalArraysBelongToTheirThread) {
  const auto run =
      run_ptx(kBegin +
                  "  .local .align 8 .b8 depot[64]; .reg .b64 %SP, %SPL;\n"
                  "  mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;\n"
                  "  and.b32 %r2, %r1, 15; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %SPL, %rd3;\n"
                  "  st.local.u32 [%rd4], %r1; add.s64 %rd5, %SP, %rd3; ld.u32 %r3, [%rd5];\n"
                  "  add.u32 %r3, %r3, 1; st.global.u32 [%rd2], %r3; ret;\n}\n",
              zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], i + 1);
}

TEST(Execution, ParametersCanBeIndexed) {
  // The 8 bytes of the buffer's address, read word by word at an offset that lanes choose.
  const auto run = run_ptx(
      kBegin +
          "  mov.b64 %rd3, buffer; and.b32 %r2, %r1, 1; mul.wide.u32 %rd4, %r2, 4;\n"
          "  add.s64 %rd3, %rd3, %rd4; ld.param.u32 %r3, [%rd3];\n"
          "  mov.b64 {%r4, %r5}, %rd1; setp.eq.u32 %p1, %r2, 0; selp.u32 %r6, %r4, %r5, %p1;\n"
          "  setp.eq.u32 %p2, %r3, %r6; selp.u32 %r7, 1, 0, %p2;\n"
          "  st.global.u32 [%rd2], %r7; ret;\n}\n",
      zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], 1u) << i;
  EXPECT_EQ(run.report.counters.global_load_requests, 0u) << "parameters are not global memory";
}

TEST(Execution, ConstantMemoryIsNotCountedAsGlobal) {
  const auto run =
      run_ptx(".const .align 4 .b32 table[4] = {7, 8, 9, 10};\n" + kBegin +
                  "  and.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4; mov.u64 %rd4, table;\n"
                  "  add.s64 %rd3, %rd4, %rd3; ld.const.u32 %r3, [%rd3]; st.global.u32 [%rd2], "
                  "%r3; ret;\n}\n",
              zeros(32));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], 7 + i % 4);
  EXPECT_EQ(run.report.counters.global_load_sectors, 0u);
}

// A variable that is also declared extern, before its definition or after it, is one variable.
TEST(Execution, DeclarationsNameTheDefinition) {
  const std::string declared = ".extern .global .b64 table[];\n";
  const std::string defined = ".global .b64 target;\n.global .b64 table[3] = {5, target+4, 7};\n";
  for (const std::string& head : {declared + defined, defined + declared}) {
    const auto run = run_ptx(head + kBegin +
                                 "  mov.u64 %rd3, table; mov.u64 %rd4, target;\n"
                                 "  ld.global.u64 %rd5, [%rd3+8]; sub.u64 %rd5, %rd5, %rd4;\n"
                                 "  ld.global.u64 %rd6, [%rd3+16]; add.u64 %rd5, %rd5, %rd6;\n"
                                 "  cvt.u32.u64 %r3, %rd5; st.global.u32 [%rd2], %r3; ret;\n}\n",
                             zeros(32));
    EXPECT_EQ(run.words[0], 11u);
  }
}

TEST(Execution, InitialValuesOf128Bits) {
  const auto run =
      run_ptx(".global .b128 pair[2] = {7, -2};\n" + kBegin +
                  "  mov.u64 %rd3, pair; and.b32 %r2, %r1, 7; mul.wide.u32 %rd4, %r2, 4;\n"
                  "  add.s64 %rd3, %rd3, %rd4; ld.global.u32 %r3, [%rd3];\n"
                  "  st.global.u32 [%rd2], %r3; ret;\n}\n",
              zeros(32));
  const std::vector<std::uint32_t> expected{7, 0, 0, 0, ~1u, ~0u, ~0u, ~0u};
  EXPECT_EQ(std::vector<std::uint32_t>(run.words.begin(), run.words.begin() + 8), expected);
}

TEST(Execution, OffsetsWrapAround) {
  const auto run =
      run_ptx(".global .b32 x[2] = {3, 4};\n" + kBegin +
                  "  ld.global.u32 %r3, [x+9223372036854775807+9223372036854775807+6];\n"
                  "  st.global.u32 [%rd2], %r3; ret;\n}\n",
              zeros(32));
  EXPECT_EQ(run.words[0], 4u);
}

// What threads that launch kernels of one module at the same time share is the module and the memory.
TEST(Execution, AModuleServesThreadsAtTheSameTime) {
  const Module module(kPtxHead + ".const .align 4 .b32 table[4] = {7, 8, 9, 10};\n" + kBegin +
                          "  and.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4; mov.u64 %rd4, table;\n"
                          "  add.s64 %rd3, %rd4, %rd3; ld.const.u32 %r3, [%rd3];\n"
                          "  ld.global.u32 %r4, [%rd2]; add.u32 %r3, %r3, %r4;\n"
                          "  st.global.u32 [%rd2], %r3; ret;\n}\n",
                      "test.ptx");
  for (const Checks& checks : {Checks{}, Checks::all()}) {
    Memory memory(1 << 20);
    std::atomic<int> wrong{0};
    const auto launch = [&] {
      const std::uint64_t address = memory.allocate(128);
      auto* const words = reinterpret_cast<std::uint32_t*>(address);
      std::fill_n(words, 32, 100u);
      memory.mark_written(address, 128);
      const void* arguments[] = {&address};
      LaunchOptions options;
      options.checks = checks;
      const LaunchReport report = module.launch("test", model::find_gpu("h200"), memory, {1, 1, 1},
                                                {32, 1, 1}, 0, arguments, options);
      for (std::uint32_t i = 0; i < 32; ++i) wrong += words[i] != 107 + i % 4;
      wrong += static_cast<int>(report.findings.size());
      memory.free(address);
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int again = 0; again < 20; ++again) launch();
      });
    }
    threads.clear();  // joins
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Execution, LanesOfOneWarpMayWaitForEachOther) {
  // Lane 1 spins until lane 0, which branched the other way, has set a flag.
  const auto run = run_ptx(
      kBegin +
          "  setp.eq.u32 %p1, %r1, 0; @%p1 bra SET;\n"
          "SPIN: ld.volatile.global.u32 %r2, [%rd1+128]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;\n"
          "  bra.uni DONE;\n"
          "SET: mov.u32 %r3, 1; st.volatile.global.u32 [%rd1+128], %r3;\n"
          "DONE: mov.u32 %r4, 5; st.global.u32 [%rd2], %r4; ret;\n}\n",
      zeros(64));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.words[i], 5u);
}

TEST(Execution, BlocksMayWaitForEachOther) {
  // Block 0 waits for a flag that only the last block sets; one host thread runs them all.
  const auto run = run_ptx(
      kBegin +
          "  mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @!%p1 bra OTHER;\n"
          "SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p2, %r3, 3; @%p2 bra SPIN;\n"
          "  st.global.u32 [%rd1+4], %r3; ret;\n"
          "OTHER: red.global.add.u32 [%rd1], 1; ret;\n}\n",
      zeros(8), {4, 1, 1}, {1, 1, 1}, 0, 1);
  EXPECT_EQ(run.words[1], 3u);
}

TEST(Execution, LabelsAndRegistersOfInlineAssemblyAreTheirOwn) {
  const std::string twice =
      "  { .reg .pred P; .reg .b32 t; mov.u32 t, 0;\n"
      "AGAIN: add.u32 t, t, 1; setp.lt.u32 P, t, 4; @P bra AGAIN; add.u32 %r2, %r2, t; }\n";
  const auto run = run_ptx(
      kBegin + "  mov.u32 %r2, 0;\n" + twice + twice + "  st.global.u32 [%rd2], %r2; ret;\n}\n",
      zeros(32));
  EXPECT_EQ(run.words[3], 8u);
}

TEST(Execution, CountsPerSourceLineAddUpToTheTotal) {
  const auto run = run_ptx(".file 1 \"kernel.cu\"\n" + kBegin +
                               "  .loc 1 10 2\n  ld.global.u32 %r2, [%rd2];\n  .loc 1 11 2\n"
                               "  st.global.u32 [%rd2+128], %r2; ret;\n}\n",
                           zeros(64));
  Counters sum;
  bool found = false;
  for (const LineCounters& line : run.report.lines) {
    sum += line.counters;
    if (line.file == "kernel.cu" && line.line == 10) {
      found = true;
      EXPECT_EQ(line.counters.global_load_sectors, 4u);
      EXPECT_EQ(line.counters.global_store_requests, 0u);
    }
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(sum, run.report.counters);
}

// The environment decides which tables of operations run, or the best that the processor has.
TEST(Simd, TheLevelAskedForIsTheOneThatRuns) {
  const char* wanted = std::getenv("TILEWISE_VGPU_SIMD");
  const std::string level(simd_level());
  if (wanted) EXPECT_EQ(level, wanted);
  else EXPECT_TRUE(level == "avx512" || level == "avx2" || level == "portable") << level;
}

// Kernels that misbehave.
std::string failure(const std::string& body, std::size_t words = 32, Dim3 block = {32, 1, 1}) {
  return message_of(ErrorCode::kExecution, [&] {
    run_ptx(kBegin + body, zeros(words), {1, 1, 1}, block);
  });
}

TEST(Faults, GlobalStoreBehindTheBufferNamesLineAndThread) {
  const std::string m = failure("  st.global.u32 [%rd2+4], %r1;\n  ret;\n}\n");
  EXPECT_CONTAINS(m, "test.ptx:9");
  EXPECT_CONTAINS(m, "thread (31, 0, 0)");
  EXPECT_CONTAINS(m, "writes 4 bytes of global memory");
  EXPECT_CONTAINS(m, "0 bytes past the end of an allocation of 128 bytes");
}

TEST(Faults, GlobalLoadOfNull) {
  EXPECT_CONTAINS(failure("  mov.u64 %rd3, 0; ld.global.u32 %r2, [%rd3]; ret;\n}\n"),
                  "outside every allocation");
}

// The last bytes of the address space, where an index of -1 leads from null: their end wraps around to 0.
TEST(Faults, AccessesAtTheEndOfTheAddressSpace) {
  const std::string last = "  mov.u64 %rd3, -16;\n";
  const char* const accesses[] = {
      "ld.global.u32 %r2, [%rd3+12];",
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];",
      "st.global.u32 [%rd3+12], %r1;",
      "ld.u32 %r2, [%rd3+12];",
      "st.u32 [%rd3+12], %r1;",
      "atom.global.add.u32 %r2, [%rd3+12], 1;",
      "cp.async.cg.shared.global [tile], [%rd3], 16; cp.async.wait_all;",
  };
  for (const std::string access : accesses) {
    EXPECT_CONTAINS(failure("  .shared .align 16 .b8 tile[16];\n" + last + access + " ret;\n}\n"),
                    "memory at 0xffffffffffffff")
        << access;
    // Where the same instruction was right before, in some lanes or all.
    for (const char* const who : {"setp.gt.u32 %p1, %r1, 3;", "setp.ge.u32 %p1, %r1, 0;"}) {
      const std::string turn =
          "  mov.u64 %rd4, %rd3; mov.u64 %rd3, %rd1;\n"
          "  mov.u32 %r9, 0; " +
          std::string(who) + "\nAGAIN: " + access +
          " add.u32 %r9, %r9, 1; @%p1 mov.u64 %rd3, %rd4;\n"
          "  setp.lt.u32 %p2, %r9, 2; @%p2 bra AGAIN; ret;\n}\n";
      EXPECT_CONTAINS(failure("  .shared .align 16 .b8 tile[16];\n" + last + turn, 256),
                      "memory at 0xffffffffffffff")
          << access;
    }
  }
}

TEST(Faults, LocalAccessBeforeTheFrame) {
  for (const char* const access : {"ld.local.u32 %r2, [%rd3];", "st.local.u32 [%rd3], %r1;"}) {
    EXPECT_CONTAINS(
        failure("  .local .align 4 .b8 frame[16];\n  mov.u64 %rd3, frame; sub.u64 %rd3, "
                "%rd3, 4;\n  " +
                std::string(access) + " ret;\n}\n"),
        "accesses local memory");
  }
}

TEST(Faults, SharedAccessAtTheEndOfTheAddressSpace) {
  EXPECT_CONTAINS(
      failure("  .shared .align 4 .b8 tile[16];\n  mov.u64 %rd3, 0x8000000000000000; and.b32 "
              "%r2, %r1, 1; cvt.u64.u32 %rd4, %r2; shl.b64 %rd4, %rd4, 63; add.u64 %rd3, "
              "%rd3, %rd4;\n  ld.shared.u32 %r2, [%rd3]; ret;\n}\n"),
      "shared memory");
}

TEST(Faults, AnAccessThatBeginsInsideAnAllocationAndEndsOutside) {
  EXPECT_CONTAINS(failure("  ld.global.v2.u32 {%r2, %r3}, [%rd1+128]; ret;\n}\n", 33),
                  "it begins 4 bytes before the end of an allocation of 132 bytes");
}

TEST(Faults, MisalignedVectorLoad) {
  EXPECT_CONTAINS(failure("  ld.global.v2.u32 {%r2, %r3}, [%rd1+4]; ret;\n}\n"),
                  "not a multiple of 8");
}

TEST(Faults, SharedAccessOutsideTheBlock) {
  const std::string m = message_of(ErrorCode::kExecution, [&] {
    run_ptx(".shared .align 4 .b8 tile[64];\n" + kBegin +
                "  shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; st.shared.u32 "
                "[%r3], %r1; ret;\n}\n",
            zeros(32));
  });
  EXPECT_CONTAINS(
      m,
      "thread (16, 0, 0) writes 4 bytes of shared memory at offset 64, but the block has 64 bytes");
}

TEST(Faults, LocalAccessOutsideTheFrame) {
  EXPECT_CONTAINS(failure("  .local .align 4 .b8 depot[16]; mov.u64 %rd3, depot; st.local.u32 "
                          "[%rd3+16], %r1; ret;\n}\n"),
                  "local memory");
}

TEST(Faults, TrapStopsTheKernel) { EXPECT_CONTAINS(failure("  trap; ret;\n}\n"), "executes trap"); }

TEST(Faults, KernelsAreNamedAsInTheirSource) {
  std::string ptx = kBegin + "  trap; ret;\n}\n";
  const std::string name = "_Z4gemmILi8EfEvPT0_";
  ptx.replace(ptx.find("test"), 4, name);
  const std::string m = message_of(ErrorCode::kExecution, [&] {
    run_ptx(ptx, zeros(32), {1, 1, 1}, {32, 1, 1}, 0, 1, name);
  });
  EXPECT_CONTAINS(m, "kernel gemm<8, float> (test.ptx:");
}

// As nvcc writes it: a function inlined into one that is inlined into the kernel.
TEST(Faults, InlinedCodeIsNamedWithItsCalls) {
  const std::string files = "  .file 1 \"kernel.cu\"\n  .file 2 \"wrapper.cuh\"\n";
  const std::string m =
      failure(files +
              "  .loc 1 40 5\n  .loc 2 20 3, function_name $L1, inlined_at 1 40 5\n"
              "  .loc 2 7 9, function_name $L2, inlined_at 2 20 3\n  trap; ret;\n}\n");
  EXPECT_CONTAINS(m, "(wrapper.cuh:7, called at wrapper.cuh:20, called at kernel.cu:40)");
  const std::string outside = failure(
      files +
      "  .loc 2 7 9, function_name $L2, inlined_at 1 41 3\n  .loc 1 42 3\n  trap; ret;\n}\n");
  EXPECT_CONTAINS(outside, "(kernel.cu:42)");
}

TEST(Faults, ABarrierThatHalfTheThreadsMissIsADeadlock) {
  const std::string m = failure(
      "  setp.lt.u32 %p1, %r1, 32; @%p1 bra.uni WAIT;\n"
      "SPIN: bar.sync 1; ret;\nWAIT: bar.sync 0; ret;\n}\n",
      64, {64, 1, 1});
  EXPECT_CONTAINS(m, "deadlock in block (0, 0, 0)");
  EXPECT_CONTAINS(m, "warp 0");
  EXPECT_CONTAINS(m, "at barrier 1 of kernel test");
}

// An H200 leaves the right result of tests/bugs/barrier_in_half_a_warp.cu, which ends that way.
TEST(Barriers, LanesThatBranchToTheEndAreNotWaitedFor) {
  const PtxRun run = run_ptx(kBegin +
                                 "  setp.ge.u32 %p1, %r1, 40; @%p1 bra END;\n"
                                 "  bar.sync 0; st.global.u32 [%rd2], %r1;\nEND: ret;\n}\n",
                             zeros(64), {1, 1, 1}, {64, 1, 1});
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(run.words[i], i < 40 ? i : 0) << i;
}

TEST(Faults, LaunchesThatCannotBe) {
  const auto launch = [](Dim3 grid, Dim3 block, std::uint32_t shared) {
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { run_ptx(kBegin + "  ret;\n}\n", zeros(32), grid, block, shared); });
  };
  EXPECT_CONTAINS(launch({1, 1, 1}, {1025, 1, 1}, 0), "a block of 1025×1×1");
  EXPECT_CONTAINS(launch({1, 1, 1}, {32, 33, 1}, 0), "1056 threads");
  EXPECT_CONTAINS(launch({0, 1, 1}, {32, 1, 1}, 0), "a grid of 0×1×1");
  EXPECT_CONTAINS(launch({1, 65536, 1}, {32, 1, 1}, 0), "a grid of");
  EXPECT_CONTAINS(launch({1, 1, 1}, {32, 1, 1}, 400000), "400000 bytes of shared memory");
  EXPECT_CONTAINS(
      message_of(ErrorCode::kInvalidArgument,
                 [] {
                   run_ptx(kBegin + "  ret;\n}\n", zeros(32), {1, 1, 1}, {32, 1, 1}, 0, 1, "tset");
                 }),
      "no kernel 'tset'; it has: test");
}

}  // namespace
}  // namespace tilewise::vgpu
