// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/tensor_map.hpp"

#include <algorithm>

#include "core/phrase.hpp"
#include "tilewise/error.hpp"

namespace tilewise {
namespace {

struct TypeFacts {
  std::string_view name;
  std::size_t bytes;
  bool is_float;
};

// In the order of TensorType.
constexpr std::array<TypeFacts, 13> kTypes{{
    {"u8", 1, false},
    {"u16", 2, false},
    {"u32", 4, false},
    {"s32", 4, false},
    {"u64", 8, false},
    {"s64", 8, false},
    {"f16", 2, true},
    {"f32", 4, true},
    {"f64", 8, true},
    {"bf16", 2, true},
    {"f32_ftz", 4, true},
    {"tf32", 4, true},
    {"tf32_ftz", 4, true},
}};

/// All shared memory that a multiprocessor has.
constexpr std::uint64_t kMostBoxBytes = 228 * 1024;

constexpr std::array<std::string_view, 4> kSwizzles{"none", "32B", "64B", "128B"};

const TypeFacts& facts_of(TensorType type) { return kTypes.at(static_cast<std::size_t>(type)); }

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, "tensor map: " + what);
}

void check_tensor(const TensorMapRequest& r) {
  if (r.address % 16 != 0) {
    refuse(phrase("address = {:#x}: expected a multiple of 16", r.address));
  }
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;
  for (std::uint32_t i = 0; i < r.rank; ++i) {
    if (r.dimensions[i] < 1 || r.dimensions[i] > kMostElements) {
      refuse(phrase("dimensions[{}] = {}: expected 1 to 2^32", i, r.dimensions[i]));
    }
  }
  constexpr std::uint64_t kStrideEnd = std::uint64_t{1} << 40;
  for (std::uint32_t i = 0; i + 1 < r.rank; ++i) {
    if (r.strides[i] % 16 != 0 || r.strides[i] >= kStrideEnd) {
      refuse(
          phrase("strides[{}] = {} bytes: expected a multiple of 16 below 2^40", i, r.strides[i]));
    }
  }
}

void check_box(const TensorMapRequest& r) {
  for (std::uint32_t i = 0; i < r.rank; ++i) {
    if (r.box[i] < 1 || r.box[i] > 256) {
      refuse(phrase("box[{}] = {}: expected 1 to 256", i, r.box[i]));
    }
    if (r.element_strides[i] < 1 || r.element_strides[i] > 8) {
      refuse(phrase("element_strides[{}] = {}: expected 1 to 8", i, r.element_strides[i]));
    }
  }
  const std::uint64_t row = r.box[0] * size_of(r.type);
  if (row % 16 != 0) {
    refuse(phrase("box[0] = {} elements of {}, {} bytes: expected a multiple of 16 bytes", r.box[0],
                  name_of(r.type), row));
  }
  if (r.swizzle != TensorSwizzle::kNone && row > span_of(r.swizzle)) {
    refuse(phrase("box[0] = {} elements of {}, {} bytes: expected at most the swizzle's {}",
                  r.box[0], name_of(r.type), row, span_of(r.swizzle)));
  }
}

// As the driver of CUDA 13.0 reckons, for 30,000 requests out of 30,000: quotients are rounded down, so that a box
// which is narrower than its stride counts nothing, and swizzles do not matter.
void check_box_size(const TensorMapRequest& r) {
  std::uint64_t bytes = size_of(r.type);
  for (std::uint32_t i = 0; i < r.rank; ++i) bytes *= r.box[i] / r.element_strides[i];
  if (bytes > kMostBoxBytes)
    refuse(phrase("box: its {} bytes are more than the {} a box can have", bytes, kMostBoxBytes));
}

}  // namespace

std::size_t size_of(TensorType type) { return facts_of(type).bytes; }
std::string_view name_of(TensorType type) { return facts_of(type).name; }

std::optional<TensorType> find_tensor_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeFacts::name);
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<TensorType>(found - kTypes.begin());
}

std::uint32_t span_of(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::kNone ? 0 : 16u << static_cast<unsigned>(swizzle);
}

std::string_view name_of(TensorSwizzle swizzle) {
  return kSwizzles.at(static_cast<std::size_t>(swizzle));
}

std::optional<TensorSwizzle> find_tensor_swizzle(std::string_view name) {
  const auto found = std::ranges::find(kSwizzles, name);
  if (found == kSwizzles.end()) return std::nullopt;
  return static_cast<TensorSwizzle>(found - kSwizzles.begin());
}

void check(const TensorMapRequest& r) {
  if (r.rank < 1 || r.rank > kTensorRanks) refuse(phrase("rank = {}: expected 1 to 5", r.rank));
  check_tensor(r);
  check_box(r);
  check_box_size(r);
  if (r.fill == TensorFill::kNan && !facts_of(r.type).is_float) {
    refuse(phrase("fill = NaN: elements of {} have none", name_of(r.type)));
  }
  if (r.l2_promotion != 0 && r.l2_promotion != 64 && r.l2_promotion != 128 &&
      r.l2_promotion != 256) {
    refuse(phrase("l2_promotion = {}: expected 0, 64, 128 or 256", r.l2_promotion));
  }
}

bool is_accepted(const TensorMapRequest& request) {
  try {
    check(request);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw;
    return false;
  }
}

}  // namespace tilewise
