// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/tensor_map_field.hpp"

#include <fmt/format.h>

namespace tilewise::vgpu {
namespace {

// tensormap.replace counts element types in an order of its own.
constexpr std::array kTypes{
    TensorType::kU8,      TensorType::kU16, TensorType::kU32,  TensorType::kS32,
    TensorType::kU64,     TensorType::kS64, TensorType::kF16,  TensorType::kF32,
    TensorType::kF32Ftz,  TensorType::kF64, TensorType::kBf16, TensorType::kTf32,
    TensorType::kTf32Ftz,
};

struct Limits {
  std::uint64_t least = 0, most = 0, multiple_of = 1;
};

Limits limits_of(TensorMapField field) {
  switch (field) {
    case TensorMapField::kAddress: return {0, ~std::uint64_t{0}, 16};
    case TensorMapField::kRank: return {0, 4};
    case TensorMapField::kBox: return {1, 256};
    case TensorMapField::kDimension: return {1, 0xFFFF'FFFF};
    case TensorMapField::kStride: return {0, (std::uint64_t{1} << 40) - 16, 16};
    case TensorMapField::kElementStride: return {1, 8};
    case TensorMapField::kType: return {0, kTypes.size() - 1};
    case TensorMapField::kInterleave: return {0, 0};
    case TensorMapField::kSwizzle: return {0, 3};
    case TensorMapField::kFill: return {0, 1};
  }
  return {};
}

}  // namespace

std::string replace_field(TensorMapContents& map, TensorMapField field, int ordinal,
                          std::uint64_t value) {
  const Limits limits = limits_of(field);
  if (value < limits.least || value > limits.most || value % limits.multiple_of != 0) {
    const std::string multiple =
        limits.multiple_of > 1 ? fmt::format(", a multiple of {}", limits.multiple_of) : "";
    return fmt::format("{} {}: expected {} to {}{}",
                       kTensorMapFields[static_cast<std::size_t>(field)].name, value, limits.least,
                       limits.most, multiple);
  }
  switch (field) {
    case TensorMapField::kAddress: map.address = value; break;
    case TensorMapField::kRank: map.rank = static_cast<std::uint8_t>(value + 1); break;
    case TensorMapField::kBox: map.box[ordinal] = static_cast<std::uint16_t>(value); break;
    case TensorMapField::kDimension:
      map.last[ordinal] = static_cast<std::uint32_t>(value - 1);
      break;
    case TensorMapField::kStride: map.strides[ordinal] = value; break;
    case TensorMapField::kElementStride:
      map.element_strides[ordinal] = static_cast<std::uint8_t>(value);
      break;
    case TensorMapField::kType: map.type = kTypes[value]; break;
    case TensorMapField::kInterleave: break;
    case TensorMapField::kSwizzle: map.swizzle = static_cast<TensorSwizzle>(value); break;
    case TensorMapField::kFill: map.fill = static_cast<TensorFill>(value); break;
  }
  return {};
}

}  // namespace tilewise::vgpu
