// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_operands.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "core/float16.hpp"
#include "core/random.hpp"
#include "tilewise/error.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::bench {
namespace {

constexpr std::uint64_t kStreamA = 1, kStreamB = 2, kStreamC = 3;
constexpr std::uint64_t kCacheLine = 64;  // and the widest vector
constexpr std::uint64_t kPage = 4096;

// In [-1, 1), with as many bits as T holds: 24 random bits would make f64 products exact.
template <class T> T element(std::uint64_t bits) {
  const double unit = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
  if constexpr (std::is_same_v<T, Float16>) {
    return {f64_to_f16(unit)};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return {
        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(unit)) >> 16)};
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return static_cast<std::int8_t>(bits >> 56);
  } else {
    return static_cast<T>(static_cast<double>(bits >> 40) * 0x1p-23 - 1.0);
  }
}

template <> double element<double>(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

std::uint64_t start_of(std::uint64_t seed, std::uint64_t stream) {
  return mix64(mix64(seed) + stream);
}

template <class T> T element_at(std::uint64_t start, std::int64_t index) {
  return element<T>(mix64(start + static_cast<std::uint64_t>(index)));
}

template <class T>
void fill(std::byte* bytes, std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
  T* values = reinterpret_cast<T*>(bytes);
  const std::uint64_t start = start_of(seed, stream);
  for (std::int64_t i = 0; i < count; ++i) values[i] = element_at<T>(start, i);
}

using Fill = void (*)(std::byte*, std::int64_t, std::uint64_t, std::uint64_t);

Fill fill_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32: return fill<float>;
    case Dtype::kF64: return fill<double>;
    case Dtype::kF16: return fill<Float16>;
    case Dtype::kBF16: return fill<BFloat16>;
    case Dtype::kS8: return fill<std::int8_t>;
    default: break;
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("dtype: expected f32, f64, bf16, f16 or s8, got '{}'", name_of(dtype)));
}

std::uint64_t bytes_of(std::int64_t batch, std::int64_t elements, Dtype dtype) {
  return static_cast<std::uint64_t>(batch) * static_cast<std::uint64_t>(elements) * size_of(dtype);
}

}  // namespace

Dtype result_dtype(Dtype operands) {
  switch (operands) {
    case Dtype::kF16:
    case Dtype::kBF16: return Dtype::kF32;
    case Dtype::kS8:
    case Dtype::kU8: return Dtype::kS32;
    default: return operands;
  }
}

double operand_bytes(const GemmShape& s, Dtype dtype) {
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k);
  return static_cast<double>(s.batch) * ((m * k + k * n) * static_cast<double>(size_of(dtype)) +
                                         m * n * static_cast<double>(size_of(result_dtype(dtype))));
}

GemmOperands::Bytes GemmOperands::allocate(std::uint64_t bytes, std::uint64_t offset) {
  const std::uint64_t rounded = (offset + bytes + kPage - 1) / kPage * kPage;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kPage, rounded));
  if (memory == nullptr) {
    throw Error(ErrorCode::kOutOfMemory, fmt::format("a matrix of {} bytes: no memory", bytes));
  }
  return Bytes(memory + offset, Free(offset));
}

GemmOperands::GemmOperands(const GemmShape& shape, Dtype dtype, std::uint64_t seed,
                           const Scaling& scaling)
    : shape_(shape), dtype_(dtype), seed_(seed), scaling_(rounded_to(scaling, dtype)) {
  if (dtype == Dtype::kS8 && scaling != Scaling{}) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("s8: expected alpha 1, beta 0, got {}", scaling_name(scaling)));
  }
  const Fill fill_matrix = fill_of(dtype);
  a_ = allocate(bytes_of(shape.batch, size_a(), dtype), 5 * kCacheLine);
  b_ = allocate(bytes_of(shape.batch, size_b(), dtype), 26 * kCacheLine);
  c_ = allocate(bytes_of(shape.batch, size_c(), result_dtype(dtype)), 47 * kCacheLine);
  fill_matrix(a_.get(), shape.batch * size_a(), seed, kStreamA);
  fill_matrix(b_.get(), shape.batch * size_b(), seed, kStreamB);
  begin();
}

void GemmOperands::begin() {
  const Dtype result = result_dtype(dtype_);
  if (scaling_.beta != 0) fill_of(result)(c_.get(), shape_.batch * size_c(), seed_, kStreamC);
  else std::memset(c_.get(), 0xFF, bytes_of(shape_.batch, size_c(), result));
}

double GemmOperands::first_c(std::int64_t index) const {
  const std::uint64_t start = start_of(seed_, kStreamC);
  return dtype_ == Dtype::kF64 ? element_at<double>(start, index) : element_at<float>(start, index);
}

}  // namespace tilewise::bench
