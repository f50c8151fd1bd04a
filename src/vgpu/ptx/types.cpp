// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/ptx/types.hpp"

#include <array>

namespace tilewise::vgpu::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  int bytes;
};

// clang-format off
constexpr std::array<TypeFacts, 25> kTypes{{
    {"b8", 1},    {"b16", 2},    {"b32", 4},  {"b64", 8},    {"b128", 16},
    {"u8", 1},    {"u16", 2},    {"u32", 4},  {"u64", 8},
    {"s8", 1},    {"s16", 2},    {"s32", 4},  {"s64", 8},
    {"f16", 2},   {"f16x2", 4},  {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4},
    {"e4m3", 1},  {"e5m2", 1},   {"e4m3x2", 2}, {"e5m2x2", 2},
    {"f32", 4},   {"f64", 8},    {"pred", 0},
}};
// clang-format on
static_assert(kTypes.size() == static_cast<std::size_t>(Type::kPred) + 1);

}  // namespace

int size_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::optional<Type> find_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

}  // namespace tilewise::vgpu::ptx
