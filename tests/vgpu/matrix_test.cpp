// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor-core instructions in kernels: what they count, what they refuse. Their results: opcodes/.
#include <bit>
#include <cmath>
#include <sstream>

#include "core/file.hpp"
#include "run_ptx.hpp"

namespace tilewise::vgpu {
namespace {

const std::string kCubins = std::string(TILEWISE_TESTS_DIR) + "/vgpu/cubins/";

// Small whole numbers as f16, and their exact products.
std::uint16_t half_of(int number) {
  if (number == 0) return 0;
  const int magnitude = std::abs(number), exponent = std::bit_width(unsigned(magnitude)) - 1;
  const int fraction = (magnitude << 10 >> exponent) & 0x3FF;
  return static_cast<std::uint16_t>((number < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction);
}

struct Operands {
  int a[16][16], b[16][16];  ///< A by rows, B by columns
  Operands() {
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < 16; ++k)
        a[i][k] = (7 * i + 5 * k) % 11 - 5, b[i][k] = (3 * i + k) % 9 - 4;
  }
  int product(int i, int j) const {
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += a[i][k] * b[j][k];
    return sum;
  }
};

/// Runs a kernel of matrix.cu with A, B and a third buffer of 256 floats, all of which it returns.
struct MatrixRun {
  std::vector<float> c = std::vector<float>(256, 3.0f);
  LaunchReport report;
  Fidelity fidelity;
};

MatrixRun run_matrix(const std::string& kernel, const Operands& operands) {
  const std::string ptx = read_file(kCubins + "matrix.sm_90a.ptx");
  const std::string cubin = read_file(kCubins + "matrix.sm_90a.cubin");
  const Module module(ptx, "matrix.ptx", std::as_bytes(std::span(cubin)));
  MatrixRun run;
  run.fidelity = module.find(kernel).fidelity;
  for (const std::string& note : module.find(kernel).fidelity_notes) ADD_FAILURE() << note;
  Memory memory(1 << 20);
  const std::uint64_t a = memory.allocate(512), b = memory.allocate(512), c = memory.allocate(1024);
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 16; ++k) {
      reinterpret_cast<std::uint16_t*>(a)[16 * i + k] = half_of(operands.a[i][k]);
      reinterpret_cast<std::uint16_t*>(b)[16 * i + k] = half_of(operands.b[i][k]);
    }
  }
  std::copy(run.c.begin(), run.c.end(), reinterpret_cast<float*>(c));
  const void* const arguments[] = {&a, &b, &c};
  run.report = module.launch(kernel, model::find_gpu("h200"), memory, {1, 1, 1}, {32, 1, 1}, 0,
                             arguments, {});
  std::copy_n(reinterpret_cast<const float*>(c), 256, run.c.begin());
  return run;
}

// Every row of matrix.h200.csv.
void expect_counts_of_the_h200(const Counters& counted, std::size_t column) {
  std::istringstream csv(read_file(kCubins + "matrix.h200.csv"));
  std::string line;
  std::getline(csv, line);
  int rows = 0;
  while (std::getline(csv, line)) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 4u) << line;
    for (const CounterField& field : kCounterFields) {
      if (field.name != cells[0]) continue;
      EXPECT_EQ(counted.*field.member, std::stoull(cells[column])) << line;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 10);
}

TEST(MatrixKernels, MmaCountsWhatTheHardwareCounted) {
  const Operands operands;
  const MatrixRun run = run_matrix("with_mma", operands);
  EXPECT_EQ(run.fidelity, Fidelity::kExact);
  const auto* d = reinterpret_cast<const std::uint16_t*>(run.c.data());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) EXPECT_EQ(d[8 * i + j], half_of(operands.product(i, j)));
  expect_counts_of_the_h200(run.report.counters, 2);
  EXPECT_EQ(run.report.counters.fma_threads, 0u);
}

TEST(MatrixKernels, WmmaCountsWhatTheHardwareCounted) {
  const Operands operands;
  const MatrixRun run = run_matrix("with_wmma", operands);
  EXPECT_EQ(run.fidelity, Fidelity::kExact);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      EXPECT_EQ(run.c[16 * i + j], 2 * (3.0f + static_cast<float>(operands.product(i, j))));
  expect_counts_of_the_h200(run.report.counters, 3);
}

// A and B of registers 1 to 6, C and D of 7 to 10, loaded from the buffer; `mma` in between.
std::string mma_kernel(const std::string& mma) {
  std::string ptx =
      ".visible .entry test(.param .u64 p) { .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %a, %o;\n"
      ".reg .pred %p, %q;\n ld.param.u64 %a, [p]; mov.u32 %r15, %tid.x; mul.wide.u32 %o, %r15, 4;\n"
      "add.u64 %a, %a, %o; setp.ne.u32 %q, %r15, 99; setp.lt.u32 %p, %r15, 16;\n";
  for (int i = 0; i < 6; ++i)
    ptx += "ld.global.u32 %r" + std::to_string(i) + ", [%a+" + std::to_string(128 * i) + "];\n";
  for (int i = 0; i < 4; ++i)
    ptx +=
        "ld.global.f32 %f" + std::to_string(i) + ", [%a+" + std::to_string(128 * (6 + i)) + "];\n";
  ptx += mma + "\n";
  for (int i = 0; i < 4; ++i)
    ptx += "st.global.f32 [%a+" + std::to_string(128 * i) + "], %f" + std::to_string(i) + ";\n";
  return ptx + "ret; }\n";
}
const std::string kMma =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
    "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};";

std::vector<std::uint32_t> ones() {
  std::vector<std::uint32_t> words(10 * 32, 0x3C003C00);  // f16 ones
  std::fill(words.begin() + 6 * 32, words.end(), 0x3F800000);
  return words;
}

TEST(Mma, AGuardDecidesForTheWholeWarp) {
  const PtxRun runs = run_ptx(mma_kernel("@%q " + kMma), ones());
  EXPECT_EQ(runs.words[0], 0x41880000u);  // 17
  EXPECT_EQ(runs.report.counters.tensor_fmas_f16, 2048u);
  const PtxRun rests = run_ptx(mma_kernel("@!%q " + kMma), ones());
  EXPECT_EQ(rests.words[0], 0x3F800000u);
  EXPECT_EQ(rests.report.counters.tensor_fmas_f16, 0u);
}

TEST(Mma, MissingLanesAreAFault) {
  const std::string guarded =
      message_of(ErrorCode::kExecution, [] { run_ptx(mma_kernel("@%p " + kMma), ones()); });
  EXPECT_CONTAINS(guarded, "whole warp");
  EXPECT_CONTAINS(guarded, "0x0000ffff");
  const std::string small = message_of(ErrorCode::kExecution, [] {
    run_ptx(mma_kernel(kMma), ones(), {1, 1, 1}, {31, 1, 1});
  });
  EXPECT_CONTAINS(small, "0x7fffffff");
}

TEST(Mma, NumericsAreThoseOfTheLaunch) {
  // 1 - 1 + 2^-25: hidden beside a term of 1 where only 24 fraction bits are kept.
  std::vector<std::uint32_t> words(10 * 32, 0);
  for (int lane = 0; lane < 32; lane += 4) {
    words[lane] = 0xBC003C00, words[4 * 32 + lane] = 0x3C003C00;  // k = 0, 1
    words[lane + 1] = 0x0C00, words[4 * 32 + lane + 1] = 0x0800;  // k = 2
  }
  const Module module(kPtxHead + mma_kernel(kMma), "test.ptx");
  for (const auto& [numerics, expected] : {std::pair{Numerics::kSm90, 0x33000000u},
                                           {Numerics::kSm80, 0u},
                                           {Numerics::kF32, 0x33000000u}}) {
    Memory memory(1 << 20);
    const std::uint64_t address = memory.allocate(words.size() * 4);
    std::copy(words.begin(), words.end(), reinterpret_cast<std::uint32_t*>(address));
    const void* arguments[] = {&address};
    LaunchOptions options;
    options.numerics = numerics;
    module.launch("test", model::find_gpu("h200"), memory, {1, 1, 1}, {32, 1, 1}, 0, arguments,
                  options);
    EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(address), expected);
  }
}

TEST(Mma, WhatDoesNotExistIsNamed) {
  const auto complaint = [](const std::string& mma, ErrorCode code = ErrorCode::kUnsupported) {
    return message_of(code, [&] { run_ptx(mma_kernel(mma), ones()); });
  };
  const std::string tail =
      " {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
      "{%f0, %f1, %f2, %f3};";
  const std::string deep = complaint("mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32" + tail);
  EXPECT_CONTAINS(deep, "this shape of mma");
  EXPECT_CONTAINS(deep, "m16n8k64");
  EXPECT_CONTAINS(deep, "test.ptx:");
  EXPECT_CONTAINS(complaint("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32" + tail),
                  "m16n8k32 of .f32.f16.f16");
  EXPECT_CONTAINS(complaint("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32" + tail),
                  ".row.col");
  EXPECT_CONTAINS(complaint("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32" + tail),
                  "m8n8k4 of .f32.f16.f16");
  EXPECT_CONTAINS(complaint("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + tail), ".sp");
  EXPECT_CONTAINS(complaint("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" + tail,
                            ErrorCode::kInvalidInput),
                  "A has 4 registers, expected 2");
}

// A kernel with 256 bytes of shared memory whose first address is in %s (32 bits) and %w (generic).
std::string shared_kernel(const std::string& body) {
  return ".shared .align 128 .b8 tile[256];\n"
         ".visible .entry test(.param .u64 p) { .reg .b32 %r<9>, %s, %t; .reg .b64 %a, %w; .reg "
         ".pred %p;\n"
         "ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %s, tile; cvt.u64.u32 %w, %s;\n"
         "cvta.shared.u64 %w, %w;\n" +
         body + "\nret; }\n";
}

TEST(MatrixLoads, RowsOutsideOrOffTheirAlignmentAreFaults) {
  const auto complaint = [](const std::string& body) {
    return message_of(ErrorCode::kExecution, [&] { run_ptx(shared_kernel(body), ones()); });
  };
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%s+";
  const std::string outside = complaint("mad.lo.u32 %s, %t, 16, %s;\n" + load + "144];");
  EXPECT_CONTAINS(outside, "reads 16 bytes of shared memory at offset 256");
  EXPECT_CONTAINS(outside, "thread (7, 0, 0)");
  EXPECT_CONTAINS(complaint(load + "8];"), "not a multiple of 16");
  EXPECT_CONTAINS(complaint("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s+256], {%r0};"),
                  "writes 16 bytes of shared memory");
  EXPECT_CONTAINS(complaint("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%a];"), "shared memory");
  EXPECT_CONTAINS(
      complaint("setp.lt.u32 %p, %t, 5;\n@%p movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;"),
      "whole warp");
}

// Lanes 8 to 31 give addresses that .x1 does not use.
TEST(MatrixLoads, OnlyTheRowsOfTheMatricesCount) {
  const PtxRun run = run_ptx(shared_kernel("setp.gt.u32 %p, %t, 7;\nand.b32 %t, %t, 1;\n"
                                           "mad.lo.u32 %s, %t, 128, %s;\n@%p mov.u32 %s, 0x77777;\n"
                                           "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%s];"),
                             ones());
  EXPECT_EQ(run.report.counters.shared_load_wavefronts, 2u);  // two distinct rows in one bank
  EXPECT_EQ(run.report.counters.shared_load_conflicts, 1u);
}

// Fragments of f16 have eight registers; wmma.mma looks at the first four of a m16n16k16 alone.
TEST(Wmma, CopiesOfElementsAreNotRead) {
  const PtxRun run = run_ptx(
      ".visible .entry test(.param .u64 p) { .reg .b32 %one, %junk; .reg .f32 %c<8>; .reg .b64 "
      "%a;\n"
      "mov.u32 %one, 0x3C003C00; mov.u32 %junk, 0x7BFF7BFF; mov.f32 %c0, 0f40000000;\n"
      "ld.param.u64 %a, [p];\n"
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, "
      "{%one, %one, %one, %one, %junk, %junk, %junk, %junk}, "
      "{%one, %one, %one, %one, %junk, %junk, %junk, %junk}, "
      "{%c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0};\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%a], "
      "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}; ret; }\n",
      std::vector<std::uint32_t>(256));
  for (const std::uint32_t word : run.words) EXPECT_EQ(word, 0x41900000u);  // 18
}

TEST(Wmma, MatricesOutsideOrOffTheirAlignmentAreFaults) {
  const auto complaint = [](const std::string& from, const std::string& stride) {
    return message_of(ErrorCode::kExecution, [&] {
      run_ptx(shared_kernel("wmma.load.a.sync.aligned.row.m16n16k16" + from + ", " + stride + ";"),
              std::vector<std::uint32_t>(128));
    });
  };
  const std::string registers = ".f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, ";
  EXPECT_CONTAINS(complaint(".shared" + registers + "[%s]", "16"), "256 bytes");  // needs 512
  EXPECT_CONTAINS(complaint(".shared" + registers + "[%s+8]", "16"), "not a multiple of 16");
  EXPECT_CONTAINS(complaint(".shared" + registers + "[%s]", "4"), "not a multiple of 16");
  EXPECT_CONTAINS(complaint(".global" + registers + "[%a]", "17"), "not a multiple of 4");
  EXPECT_CONTAINS(complaint(".global" + registers + "[%a]", "18"), "outside every allocation");
  EXPECT_CONTAINS(complaint(registers + "[%a+32]", "16"), "outside every allocation");
  EXPECT_CONTAINS(complaint(".global" + registers + "[%a]", "0xFFFFFFF8"),
                  "outside every allocation");
}

TEST(Wmma, WhatDoesNotExistIsNamed) {
  const auto complaint = [](const std::string& code, ErrorCode error = ErrorCode::kUnsupported) {
    return message_of(error, [&] { run_ptx(shared_kernel(code), ones()); });
  };
  EXPECT_CONTAINS(complaint("wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r0}, [%a];"),
                  "this shape of wmma");
  EXPECT_CONTAINS(complaint("wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r0}, [%a];"),
                  "this shape of .f16");
  EXPECT_CONTAINS(complaint("wmma.load.a.sync.aligned.m16n16k16.global.f16 {%r0}, [%a];",
                            ErrorCode::kInvalidInput),
                  ".row or .col");
  EXPECT_CONTAINS(complaint("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0}, [%a];",
                            ErrorCode::kInvalidInput),
                  "1 registers, expected 8");
  EXPECT_CONTAINS(complaint("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%r0}, {%r1}, "
                            "{%r2}, {%r3};"),
                  "wmma.mma of .s32.s8.u8.s32");
}

}  // namespace
}  // namespace tilewise::vgpu
