// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What tensormap.replace changes (PTX ISA 9.0, section 9.7.9.28). Op::mode is the field, Op::count its
// ordinal. r = {address of the map, new value}.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vgpu/exec/tensor_map.hpp"

namespace tilewise::vgpu {

enum class TensorMapField : std::uint8_t {
  kAddress,
  kRank,  ///< its value is the rank less one
  kBox,
  kDimension,
  kStride,  ///< in bytes, of the dimension behind its ordinal
  kElementStride,
  kType,
  kInterleave,
  kSwizzle,
  kFill,
};

struct TensorMapFieldFacts {
  std::string_view name;  ///< as PTX writes it
  bool wide = false;      ///< .b64, else .b32
  int ordinals = 0;       ///< 0: the field stands alone
  bool is_immediate = false;
};
/// By TensorMapField.
inline constexpr std::array<TensorMapFieldFacts, 10> kTensorMapFields{{
    {"global_address", true, 0, false},
    {"rank", false, 0, false},
    {"box_dim", false, 5, false},
    {"global_dim", false, 5, false},
    {"global_stride", true, 4, false},
    {"element_stride", false, 5, false},
    {"elemtype", false, 0, true},
    {"interleave_layout", false, 0, true},
    {"swizzle_mode", false, 0, true},
    {"fill_mode", false, 0, true},
}};

/// Changes one field. Returns what is wrong with the value: "rank 5: expected 0 to 4"; empty when nothing.
std::string replace_field(TensorMapContents& map, TensorMapField field, int ordinal,
                          std::uint64_t value);

}  // namespace tilewise::vgpu
