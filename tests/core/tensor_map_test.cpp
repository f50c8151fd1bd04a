// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/tensor_map.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tilewise/error.hpp"

namespace tilewise {
namespace {

TensorMapRequest matrix() {
  TensorMapRequest r;
  r.type = TensorType::kBf16;
  r.rank = 2;
  r.address = 0x1000;
  r.dimensions = {512, 256};
  r.strides = {1024};
  r.box = {64, 128};
  r.swizzle = TensorSwizzle::k128B;
  r.fill = TensorFill::kNan;
  return r;
}

std::string message(const std::function<void(TensorMapRequest&)>& change) {
  TensorMapRequest r = matrix();
  change(r);
  try {
    check(r);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "accepted";
}

TEST(TensorMapRules, NameTheArgumentItsValueAndWhatIsExpected) {
  using R = TensorMapRequest;
  EXPECT_EQ(message([](R&) {}), "accepted");
  EXPECT_EQ(message([](R& r) { r.rank = 6; }), "tensor map: rank = 6: expected 1 to 5");
  EXPECT_EQ(message([](R& r) { r.address = 0x1008; }),
            "tensor map: address = 0x1008: expected a multiple of 16");
  EXPECT_EQ(message([](R& r) { r.dimensions[1] = 0; }),
            "tensor map: dimensions[1] = 0: expected 1 to 2^32");
  EXPECT_EQ(message([](R& r) { r.strides[0] = 1000; }),
            "tensor map: strides[0] = 1000 bytes: expected a multiple of 16 below 2^40");
  EXPECT_EQ(message([](R& r) { r.box[1] = 257; }), "tensor map: box[1] = 257: expected 1 to 256");
  EXPECT_EQ(message([](R& r) { r.box[0] = 60; }),
            "tensor map: box[0] = 60 elements of bf16, 120 bytes: expected a multiple of 16 bytes");
  EXPECT_EQ(
      message([](R& r) { r.box[0] = 72; }),
      "tensor map: box[0] = 72 elements of bf16, 144 bytes: expected at most the swizzle's 128");
  EXPECT_EQ(message([](R& r) { r.element_strides[1] = 9; }),
            "tensor map: element_strides[1] = 9: expected 1 to 8");
  EXPECT_EQ(message([](R& r) { r.type = TensorType::kU16; }),
            "tensor map: fill = NaN: elements of u16 have none");
  EXPECT_EQ(message([](R& r) { r.l2_promotion = 32; }),
            "tensor map: l2_promotion = 32: expected 0, 64, 128 or 256");
  EXPECT_EQ(message([](R& r) {
              r.rank = 3;
              r.dimensions[2] = 64;
              r.strides[1] = 1 << 20;
              r.box = {64, 256, 16};
            }),
            "tensor map: box: its 524288 bytes are more than the 233472 a box can have");
}

// What the driver of CUDA 13.0 (580.159) said on an H200 to the largest boxes that it accepts, and the next.
TEST(TensorMapRules, ABoxHasAsManyBytesAsAMultiprocessorHasSharedMemory) {
  using enum TensorType;
  using enum TensorSwizzle;
  struct Case {
    TensorType type;
    TensorSwizzle swizzle;
    std::array<std::uint32_t, kTensorRanks> box, element_strides;
    bool is_accepted;
  };
  const Case cases[] = {
      {kU64, kNone, {256, 114, 1, 1, 1}, {1, 1, 1, 1, 1}, true},
      {kBf16, k128B, {16, 8, 152, 6, 1}, {1, 1, 1, 1, 1}, true},
      {kU16, k128B, {48, 136, 8, 120, 29}, {6, 7, 1, 5, 7}, true},
      {kF32Ftz, k32B, {4, 48, 8, 76, 1}, {1, 1, 2, 1, 1}, true},
      {kU8, k64B, {16, 122, 5, 2, 230}, {1, 1, 6, 1, 3}, true},  // 5 / 6 is 0
      {kS64, k64B, {6, 46, 7, 3, 139}, {1, 8, 1, 3, 1}, false},
      {kF32Ftz, k128B, {4, 166, 11, 4, 180}, {1, 1, 8, 1, 8}, false},
      {kTf32, k32B, {4, 252, 58, 1, 1}, {1, 1, 1, 1, 1}, false},
      {kF64, kNone, {58, 168, 3, 1, 1}, {1, 1, 1, 1, 1}, false},
  };
  for (const Case& c : cases) {
    const std::string said = message([&c](TensorMapRequest& r) {
      r.type = c.type, r.swizzle = c.swizzle, r.box = c.box, r.element_strides = c.element_strides;
      r.rank = 5;
      r.dimensions = {64, 64, 64, 64, 64};
      r.strides = {1024, 1024, 1024, 1024};
      r.fill = TensorFill::kZero;
    });
    EXPECT_EQ(said == "accepted", c.is_accepted) << name_of(c.type) << ": " << said;
  }
}

TEST(TensorMapRules, DimensionsBeyondTheRankDoNotMatter) {
  EXPECT_EQ(message([](TensorMapRequest& r) {
              r.dimensions[2] = 0;
              r.box[3] = 1000;
              r.strides[1] = 5;
              r.element_strides[2] = 0;
            }),
            "accepted");
}

TEST(TensorMapNames, GoBothWays) {
  for (const char* name : {"u8", "s64", "bf16", "f32_ftz", "tf32", "tf32_ftz"})
    EXPECT_EQ(name_of(find_tensor_type(name).value()), name);
  for (const char* name : {"none", "32B", "64B", "128B"})
    EXPECT_EQ(name_of(find_tensor_swizzle(name).value()), name);
  EXPECT_FALSE(find_tensor_type("f8").has_value());
  EXPECT_FALSE(find_tensor_swizzle("16B").has_value());
  EXPECT_EQ(span_of(TensorSwizzle::kNone), 0u);
  EXPECT_EQ(span_of(TensorSwizzle::k32B), 32u);
  EXPECT_EQ(span_of(TensorSwizzle::k128B), 128u);
  EXPECT_EQ(size_of(TensorType::kTf32), 4u);
  EXPECT_EQ(size_of(TensorType::kBf16), 2u);
}

}  // namespace
}  // namespace tilewise
