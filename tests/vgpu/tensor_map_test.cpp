// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps and box copies: the rules that golden files cannot show (golden_tma_test.cpp has those).
#include "vgpu/exec/tensor_map.hpp"

#include <gtest/gtest.h>

#include "vgpu/exec/tensor_map_field.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {
namespace {

std::uint64_t everything(std::uint64_t, std::uint64_t bytes) { return bytes + 16; }

TEST(Swizzle, MovesPiecesByTheAddressItself) {
  EXPECT_EQ(swizzled(0x12F8, TensorSwizzle::kNone), 0x12F8u);
  EXPECT_EQ(swizzled(0x0380, TensorSwizzle::k128B), 0x0380u + 7 * 16);
  EXPECT_EQ(swizzled(0x03F4, TensorSwizzle::k128B), 0x0384u);
  EXPECT_EQ(swizzled(0x0380, TensorSwizzle::k64B), 0x0380u + 3 * 16);
  EXPECT_EQ(swizzled(0x0380, TensorSwizzle::k32B), 0x0380u + 1 * 16);
  for (const auto swizzle : {TensorSwizzle::k32B, TensorSwizzle::k64B, TensorSwizzle::k128B}) {
    for (std::uint32_t a = 0; a < 4096; ++a) EXPECT_EQ(swizzled(swizzled(a, swizzle), swizzle), a);
  }
}

TEST(TensorMap, OtherBytesAreNone) {
  const TensorMap zeros;
  EXPECT_FALSE(read_tensor_map(zeros.bytes.data()).has_value());
}

TensorMapRequest row_of_floats(const void* from, TensorType type, std::uint32_t count) {
  TensorMapRequest r;
  r.type = type;
  r.address = reinterpret_cast<std::uint64_t>(from);
  r.dimensions[0] = count;
  r.box[0] = count;
  return r;
}

TEST(TensorMap, FieldsAreReplacedWithinTheirLimits) {
  const TensorMap made = make_tensor_map(row_of_floats(nullptr, TensorType::kF32, 8));
  TensorMapContents map = *read_tensor_map(made.bytes.data());
  EXPECT_EQ(replace_field(map, TensorMapField::kRank, 0, 2), "");
  EXPECT_EQ(map.rank, 3);
  EXPECT_EQ(replace_field(map, TensorMapField::kType, 0, 9), "");
  EXPECT_EQ(map.type, TensorType::kF64);
  EXPECT_EQ(replace_field(map, TensorMapField::kStride, 1, 4096), "");
  EXPECT_EQ(map.strides[1], 4096u);
  EXPECT_EQ(replace_field(map, TensorMapField::kStride, 1, 24),
            "global_stride 24: expected 0 to 1099511627760, a multiple of 16");
  EXPECT_EQ(replace_field(map, TensorMapField::kBox, 2, 257), "box_dim 257: expected 1 to 256");
  EXPECT_EQ(replace_field(map, TensorMapField::kRank, 0, 5), "rank 5: expected 0 to 4");
  EXPECT_EQ(map.rank, 3) << "nothing changes then";
}

// What replacing one field after another may leave behind.
TEST(TensorMap, SaysWhichFieldsDoNotGoTogether) {
  const TensorMap made = make_tensor_map(row_of_floats(nullptr, TensorType::kF32, 8));
  const TensorMapContents map = *read_tensor_map(made.bytes.data());
  EXPECT_EQ(flaw_of(map), "");
  TensorMapContents changed = map;
  changed.rank = 5;
  EXPECT_EQ(flaw_of(changed), "its box or its element stride 1 was never set");
  for (int i = 1; i < 5; ++i) changed.box[i] = 256, changed.element_strides[i] = 1;
  EXPECT_EQ(flaw_of(changed), "its box has 137438953472 bytes");
  changed = map;
  changed.type = TensorType::kU8;
  EXPECT_EQ(flaw_of(changed), "rows of its box have 8 bytes, expected a multiple of 16 up to 2048");
  changed = map;
  changed.box[0] = 64;
  changed.swizzle = TensorSwizzle::k32B;
  EXPECT_EQ(flaw_of(changed), "rows of its box have 256 bytes, expected a multiple of 16 up to 32");
}

TEST(TensorLoad, RoundsTf32ToEvenAndMakesOneNanOfAll) {
  // Read off an H100 (tests/golden/README.md, "tf32 maps").
  alignas(64) const std::uint32_t from[16] = {0x3F801000, 0x3F803000, 0x3F801001, 0x7F7FF000,
                                              0x7F800001, 0xFFC00000, 0x7F800000, 0x00001000,
                                              0x007FFFFF, 0x80003000, 0xB4569000, 0xFF7FFFFF,
                                              0x7F7FEFFF, 0xFF800000, 0x80000000, 0x00000FFF};
  const std::uint32_t rounded[16] = {0x3F800000, 0x3F804000, 0x3F802000, 0x7F800000,
                                     0x7FFFE000, 0x7FFFE000, 0x7F800000, 0x00000000,
                                     0x00800000, 0x80004000, 0xB4568000, 0xFF800000,
                                     0x7F7FE000, 0xFF800000, 0x80000000, 0x00000000};
  for (const auto type : {TensorType::kTf32, TensorType::kTf32Ftz, TensorType::kF32Ftz}) {
    const TensorMap map = make_tensor_map(row_of_floats(from, type, 16));
    const auto contents = read_tensor_map(map.bytes.data());
    const std::int32_t origin = 0;
    std::uint32_t to[16] = {};
    load_box(TensorBox(*contents, {&origin, 1}), reinterpret_cast<std::byte*>(to), 0, everything);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(to[i], type == TensorType::kF32Ftz ? from[i] : rounded[i]);
  }
}

TEST(TensorStore, TouchesNoMoreThanPermitted) {
  alignas(64) std::uint32_t to[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  TensorMapRequest r = row_of_floats(to, TensorType::kU32, 8);
  r.dimensions[0] = 5;
  const TensorMap map = make_tensor_map(r);
  const auto contents = read_tensor_map(map.bytes.data());
  const std::int32_t origin = 0;
  alignas(128) const std::uint32_t from[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  const auto* window = reinterpret_cast<const std::byte*>(from);
  store_box(TensorBox(*contents, {&origin, 1}), window, 0,
            [&](std::uint64_t address, std::uint64_t b) {
              EXPECT_EQ(address, reinterpret_cast<std::uint64_t>(to));
              EXPECT_EQ(b, 20u) << "elements of the tensor are asked for, not the piece's rest";
              return b + 4;
            });
  const std::uint32_t expected[8] = {10, 20, 30, 40, 50, 60, 7, 8};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(to[i], expected[i]) << i;
}

TEST(TensorBox, SaysWhatTheHardwareRefuses) {
  TensorMapRequest r = row_of_floats(nullptr, TensorType::kF32, 8);
  const auto contents = read_tensor_map(make_tensor_map(r).bytes.data());
  const auto refusal = [&](std::int32_t c, std::uint32_t shared, TensorBox::Direction direction) {
    return TensorBox(*contents, {&c, 1}).refusal(shared, direction);
  };
  using enum TensorBox::Direction;
  EXPECT_EQ(refusal(-4, 128, kToShared), "");
  EXPECT_EQ(refusal(-4, 128, kToGlobal),
            "coordinate 0 = -4 is negative, which only loads may have");
  EXPECT_EQ(refusal(3, 0, kToShared), "coordinate 0 = 3 is 12 bytes, not a multiple of 16");
  EXPECT_EQ(refusal(0, 64, kToShared), "the shared address 64 is not a multiple of 128");
}

TEST(BulkReduction, IntegersAreExactAndWrap) {
  const auto result = [](BulkReduction reduction, TensorType type, auto to, decltype(to) from) {
    alignas(8) auto cell = to;
    reduce(reduction, type, reinterpret_cast<std::byte*>(&cell),
           reinterpret_cast<const std::byte*>(&from), sizeof(cell));
    return cell;
  };
  using enum BulkReduction;
  EXPECT_EQ(result(kAdd, TensorType::kU32, 0xFFFFFFFFu, 2u), 1u);
  EXPECT_EQ(result(kMin, TensorType::kS32, -5, 3), -5);
  EXPECT_EQ(result(kMin, TensorType::kU32, 0xFFFFFFFBu, 3u), 3u);
  EXPECT_EQ(result(kMax, TensorType::kS64, std::int64_t{-5}, std::int64_t{-6}), -5);
  EXPECT_EQ(result(kInc, TensorType::kU32, 7u, 7u), 0u);
  EXPECT_EQ(result(kDec, TensorType::kU32, 0u, 7u), 7u);
  EXPECT_EQ(result(kXor, TensorType::kU64, std::uint64_t{12}, std::uint64_t{10}), 6u);
  EXPECT_FALSE(is_reduction(kAdd, TensorType::kS64));
  EXPECT_FALSE(is_reduction(kMin, TensorType::kF32));
  EXPECT_FALSE(is_reduction(kAdd, TensorType::kU8));
}

TEST(BulkReduction, FloatsKeepSubnormalsUnlessTheyAreFlushed) {
  const auto sum = [](TensorType type, std::uint32_t to, std::uint32_t from) {
    reduce(BulkReduction::kAdd, type, reinterpret_cast<std::byte*>(&to),
           reinterpret_cast<const std::byte*>(&from), 4);
    return to;
  };
  // The first two pairs and the flushed sum were read off an H100.
  EXPECT_EQ(sum(TensorType::kF32, 0x80017574, 0x80F42B9F), 0x80F5A113u);
  EXPECT_EQ(sum(TensorType::kF32, 0x807008C0, 0x000A343B), 0x8065D485u);
  EXPECT_EQ(sum(TensorType::kF32Ftz, 0x001A4172, 0x81FDCB5F), 0x81FDCB5Fu);
  EXPECT_EQ(sum(TensorType::kF32, 0x7F800000, 0xFF800000), 0x7FFFFFFFu);
  EXPECT_EQ(sum(TensorType::kF16, 0x00010001, 0x7C000001), 0x7C000002u);
}

}  // namespace
}  // namespace tilewise::vgpu
