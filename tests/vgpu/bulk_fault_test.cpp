// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The messages for bulk copies that the hardware refuses, and for PTX that cannot be run.
#include "bulk_kernel.hpp"

namespace tilewise::vgpu {
namespace {

TEST(BulkCopyFaults, NameTheThreadAndWhatIsWrong) {
  const BulkScene scene{matrix_of_words(), {1, 1, 1}, {32, 1, 1}, {}};
  const auto load = [&](const std::string& to, const std::string& from, const std::string& bytes,
                        const std::string& barrier) {
    return bulk_failure(
        bulk_kernel("  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" +
                    to + "], [" + from + "], " + bytes + ", [" + barrier + "];\n"),
        scene);
  };
  EXPECT_CONTAINS(
      load("%r2+8", "%rd1", "16", "%r3"),
      "kernel test (test.ptx:22): block (0, 0, 0), thread (0, 0, 0) copies with the shared "
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
    return bulk_failure(
        bulk_kernel(
            "  mov.u32 %r4, 0; mov.u32 %r5, 1; mov.u32 %r6, -4;\n  @%p1 cp.async.bulk.tensor." +
            rank + ".shared::cluster.global.mbarrier::complete_tx::bytes " + operands +
            ", [%r3];\n"),
        {map, {1, 1, 1}, {32, 1, 1}, {}});
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
  const std::string far = bulk_failure(
      bulk_kernel("  mov.u32 %r4, 0; mov.u32 %r5, 124;\n"
                  "  @%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                  "[%r2], [%rd2, "
                  "{%r4, %r5}], [%r3];\n"),
      {beyond, {1, 1, 1}, {32, 1, 1}, {}});
  EXPECT_CONTAINS(far, "reads 64 bytes of global memory at");
  const auto store = [](const std::string& operation, TensorType type) {
    return bulk_failure(bulk_kernel("  mov.u32 %r4, 0; mov.u32 %r6, -4;\n  @%p1 " + operation +
                                    ".bulk_group [%rd2, {%r4, %r6}], [%r2];\n"),
                        {matrix_of_words(type), {1, 1, 1}, {32, 1, 1}, {}});
  };
  EXPECT_CONTAINS(store("cp.async.bulk.tensor.2d.global.shared::cta", TensorType::kU32),
                  "coordinate 1 = -4 is negative, which only loads may have");
  EXPECT_CONTAINS(store("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min", TensorType::kF32),
                  "reduces elements of f32 with .min, which the hardware does not");
}

TEST(TensorMapFaults, NameTheFieldAndItsValue) {
  const auto replace = [](const std::string& field, const std::string& operands) {
    return bulk_failure(
        bulk_kernel("  mov.u32 %r4, 300; mov.u64 %rd4, 24;\n  @%p1 tensormap.replace.tile." +
                    field + " " + operands + ";\n"),
        {matrix_of_words(), {1, 1, 1}, {32, 1, 1}, {}});
  };
  // The buffer's first 128 bytes are no map; the parameter cannot be written.
  EXPECT_CONTAINS(replace("rank.global.b1024.b32", "[%rd1], %r4"),
                  "a tensor map where there is none");
  EXPECT_CONTAINS(replace("rank.global.b1024.b32", "[%rd2], %r4"), "outside every allocation");
}

TEST(BulkDecode, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](ErrorCode code, const std::string& line) {
    return message_of(code,
                      [&] { Module(kPtxHead + bulk_kernel("  " + line + ";\n"), "test.ptx"); });
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
  EXPECT_CONTAINS(refusal(ErrorCode::kInvalidInput,
                          "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r4"),
                  "the ordinal of .box_dim must be a constant below 5");
  EXPECT_CONTAINS(refusal(ErrorCode::kInvalidInput,
                          "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], %r4"),
                  "the value of .elemtype must be a constant");
  EXPECT_CONTAINS(refusal(ErrorCode::kUnsupported,
                          "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%rd1], 0"),
                  "this field of tensor maps");
}

}  // namespace
}  // namespace tilewise::vgpu
