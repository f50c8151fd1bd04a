// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/elements.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/float16.hpp"

namespace tilewise {
namespace {

double value_of(Float16 element) { return f16_to_f32(element.bits); }
double value_of(BFloat16 element) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(element.bits) << 16);
}
template <class T> double value_of(T element) { return static_cast<double>(element); }

// The nearest bf16 of an f64, ties to even, rounded once: f32 lies between, and where it stands at a
// tie of bf16 the f64 says to which side.
BFloat16 to_bf16(double value) {
  const float near = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(near);
  if (std::isnan(near)) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
  constexpr std::uint32_t kDropped = 0xFFFF, kTie = 0x8000;
  if ((bits & kDropped) == kTie && std::isfinite(near)) {
    if (std::abs(value) > std::abs(static_cast<double>(near))) ++bits;
    if (std::abs(value) < std::abs(static_cast<double>(near))) --bits;
  }
  bits += 0x7FFFu + (bits >> 16 & 1u);
  return {static_cast<std::uint16_t>(bits >> 16)};
}

template <class T>
void read_as(const void* first, std::int64_t stride, std::int64_t count, double* to) {
  const T* from = static_cast<const T*>(first);
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value_of(from[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value_of(from[i * stride]);
  }
}

template <class T> bool holds(double value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max() &&
         std::trunc(value) == value;
}

template <class T> std::int64_t write_as(const double* from, std::int64_t count, void* to) {
  T* target = static_cast<T*>(to);
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, Float16>) {
      target[i] = {f64_to_f16(from[i])};
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      target[i] = to_bf16(from[i]);
    } else if constexpr (std::is_integral_v<T>) {
      if (!holds<T>(from[i])) return i;
      target[i] = static_cast<T>(from[i]);
    } else {
      target[i] = static_cast<T>(from[i]);
    }
  }
  return count;
}

}  // namespace

void read_elements(Dtype dtype, const void* first, std::int64_t stride, std::int64_t count,
                   double* to) {
  switch (dtype) {
    case Dtype::kF16: return read_as<Float16>(first, stride, count, to);
    case Dtype::kBF16: return read_as<BFloat16>(first, stride, count, to);
    case Dtype::kF32: return read_as<float>(first, stride, count, to);
    case Dtype::kF64: return read_as<double>(first, stride, count, to);
    case Dtype::kS8: return read_as<std::int8_t>(first, stride, count, to);
    case Dtype::kU8: return read_as<std::uint8_t>(first, stride, count, to);
    case Dtype::kS32: return read_as<std::int32_t>(first, stride, count, to);
  }
}

std::int64_t write_elements(Dtype dtype, const double* from, std::int64_t count, void* to) {
  switch (dtype) {
    case Dtype::kF16: return write_as<Float16>(from, count, to);
    case Dtype::kBF16: return write_as<BFloat16>(from, count, to);
    case Dtype::kF32: return write_as<float>(from, count, to);
    case Dtype::kF64: return write_as<double>(from, count, to);
    case Dtype::kS8: return write_as<std::int8_t>(from, count, to);
    case Dtype::kU8: return write_as<std::uint8_t>(from, count, to);
    case Dtype::kS32: return write_as<std::int32_t>(from, count, to);
  }
  return count;
}

}  // namespace tilewise
