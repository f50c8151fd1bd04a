// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/bulk_reduction.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "vgpu/exec/small_float.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::array<std::string_view, 8> kNames{"add", "min", "max", "inc",
                                                 "dec", "and", "or",  "xor"};

template <class T> T integer_result(BulkReduction reduction, T old, T value) {
  using U = std::make_unsigned_t<T>;
  switch (reduction) {
    case BulkReduction::kAdd: return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
    case BulkReduction::kMin: return std::min(old, value);
    case BulkReduction::kMax: return std::max(old, value);
    case BulkReduction::kInc: return old >= value ? T{0} : static_cast<T>(old + 1);
    case BulkReduction::kDec: return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case BulkReduction::kAnd: return old & value;
    case BulkReduction::kOr: return old | value;
    case BulkReduction::kXor: return old ^ value;
  }
  return old;
}

std::uint32_t add_f32(std::uint32_t old, std::uint32_t value) {
  const float sum = std::bit_cast<float>(old) + std::bit_cast<float>(value);
  return std::isnan(sum) ? 0x7FFFFFFFu : std::bit_cast<std::uint32_t>(sum);
}

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

std::uint32_t add_flushing(std::uint32_t old, std::uint32_t value) {
  const float a = flush(std::bit_cast<float>(old)), b = flush(std::bit_cast<float>(value));
  const float sum = flush(a + b);
  return std::isnan(sum) ? 0x7FFFFFFFu : std::bit_cast<std::uint32_t>(sum);
}

// A NaN that comes in goes out with its bits, a signalling one too.
std::uint64_t add_f64(std::uint64_t old, std::uint64_t value) {
  const double a = std::bit_cast<double>(old), b = std::bit_cast<double>(value);
  if (std::isnan(b)) return value;
  return std::isnan(a) ? old : std::bit_cast<std::uint64_t>(a + b);
}

// A number wins over a NaN, -0 is less than +0.
template <class Format>
std::uint16_t least(std::uint16_t a, std::uint16_t b, bool greatest_instead) {
  const double x = Format::decode(a), y = Format::decode(b);
  if (std::isnan(x)) return std::isnan(y) ? Format::kNan : b;
  if (std::isnan(y)) return a;
  const bool a_is_less = x < y || (x == y && std::signbit(x));
  return a_is_less != greatest_instead ? a : b;
}

// Sums of two halves are exact in f64.
template <class Format>
std::uint16_t half_result(BulkReduction reduction, std::uint16_t old, std::uint16_t value) {
  if (reduction != BulkReduction::kAdd) {
    return least<Format>(old, value, reduction == BulkReduction::kMax);
  }
  return Format::encode(Format::decode(old) + Format::decode(value), kRoundNearest);
}

// Blocks on other host threads may reduce into the same element.
template <class T, class Change>
void each(std::byte* to, const std::byte* from, std::uint64_t bytes, const Change& change) {
  for (std::uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T value;
    std::memcpy(&value, from + at, sizeof(T));
    const std::atomic_ref<T> cell(*reinterpret_cast<T*>(to + at));
    T old = cell.load();
    while (!cell.compare_exchange_weak(old, change(old, value))) {
    }
  }
}

template <class T>
void each_integer(BulkReduction r, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  each<T>(to, from, bytes, [r](T old, T value) { return integer_result<T>(r, old, value); });
}

}  // namespace

std::string_view name_of(BulkReduction reduction) {
  return kNames.at(static_cast<std::size_t>(reduction));
}

std::optional<BulkReduction> find_bulk_reduction(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<BulkReduction>(found - kNames.begin());
}

bool is_reduction(BulkReduction r, TensorType type) {
  const bool is_sum = r == BulkReduction::kAdd;
  const bool is_extreme = r == BulkReduction::kMin || r == BulkReduction::kMax;
  const bool is_count = r == BulkReduction::kInc || r == BulkReduction::kDec;
  switch (type) {
    case TensorType::kU8:
    case TensorType::kU16: return false;
    case TensorType::kU32: return true;
    case TensorType::kS32: return !is_count;
    case TensorType::kU64: return !is_count;
    case TensorType::kS64: return is_extreme;
    case TensorType::kF16:
    case TensorType::kBf16: return is_sum || is_extreme;
    case TensorType::kF32:
    case TensorType::kF64:
    case TensorType::kF32Ftz:
    case TensorType::kTf32:
    case TensorType::kTf32Ftz: return is_sum;
  }
  return false;
}

void reduce(BulkReduction r, TensorType type, std::byte* to, const std::byte* from,
            std::uint64_t bytes) {
  switch (type) {
    case TensorType::kU8:
    case TensorType::kU16: return;
    case TensorType::kU32: return each_integer<std::uint32_t>(r, to, from, bytes);
    case TensorType::kS32: return each_integer<std::int32_t>(r, to, from, bytes);
    case TensorType::kU64: return each_integer<std::uint64_t>(r, to, from, bytes);
    case TensorType::kS64: return each_integer<std::int64_t>(r, to, from, bytes);
    case TensorType::kF16:
      return each<std::uint16_t>(to, from, bytes, [r](std::uint16_t old, std::uint16_t value) {
        return half_result<F16>(r, old, value);
      });
    case TensorType::kBf16:
      return each<std::uint16_t>(to, from, bytes, [r](std::uint16_t old, std::uint16_t value) {
        return half_result<Bf16>(r, old, value);
      });
    case TensorType::kF64: return each<std::uint64_t>(to, from, bytes, add_f64);
    case TensorType::kF32:
    case TensorType::kTf32: return each<std::uint32_t>(to, from, bytes, add_f32);
    case TensorType::kF32Ftz:
    case TensorType::kTf32Ftz: return each<std::uint32_t>(to, from, bytes, add_flushing);
  }
}

}  // namespace tilewise::vgpu
