// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/operand_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/elements.hpp"
#include "core/random.hpp"
#include "core/thread_pool.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr std::int64_t kAlignment = 256;     // bytes: what the driver's own allocations have
constexpr std::int64_t kPeriod = 4'194'301;  // a prime: no row length divides it
constexpr std::uint64_t kRows = 1, kColumns = 2, kExponents = 3, kNumbers = 4;  // random streams
constexpr std::array kKinds{OperandKind::kNormal, OperandKind::kPositive, OperandKind::kWide,
                            OperandKind::kRowScaled};

std::uint64_t bits_of(std::uint64_t seed, std::uint64_t stream, std::int64_t index) {
  return mix64(mix64(seed * 0x100000001B3u + stream) + static_cast<std::uint64_t>(index));
}

// In (0, 1), with 53 random bits.
double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

// Uniform among -most … most.
int exponent(std::uint64_t bits, int most) {
  return static_cast<int>(bits % static_cast<std::uint64_t>(2 * most + 1)) - most;
}

// Box and Muller's transformation.
double normal(std::uint64_t seed, std::int64_t index) {
  const std::uint64_t bits = bits_of(seed, kNumbers, index);
  return std::sqrt(-2 * std::log(unit(bits))) * std::cos(2 * std::numbers::pi * unit(mix64(bits)));
}

double number(OperandKind kind, Dtype dtype, std::uint64_t seed, std::int64_t index) {
  if (kind == OperandKind::kPositive) return unit(bits_of(seed, kNumbers, index));
  const double value = normal(seed, index);
  if (kind != OperandKind::kWide) return value;
  return std::ldexp(value, exponent(bits_of(seed, kExponents, index), wide_exponent(dtype)));
}

std::int64_t aligned(std::int64_t elements, Dtype dtype) {
  const std::int64_t unit_elements = kAlignment / static_cast<std::int64_t>(size_of(dtype));
  return (elements + unit_elements - 1) / unit_elements * unit_elements;
}

double bytes_of(std::int64_t elements, Dtype dtype) {
  return static_cast<double>(elements) * static_cast<double>(size_of(dtype));
}

}  // namespace

std::string_view name_of(OperandKind kind) {
  switch (kind) {
    case OperandKind::kNormal: return "normal";
    case OperandKind::kPositive: return "positive";
    case OperandKind::kWide: return "wide";
    case OperandKind::kRowScaled: return "row-scaled";
  }
  return "?";
}

std::optional<OperandKind> operand_kind_of(std::string_view name) {
  for (const OperandKind kind : kKinds) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

int wide_exponent(Dtype dtype) { return dtype == Dtype::kF16 ? 5 : 20; }
int row_exponent(Dtype dtype) { return dtype == Dtype::kF16 ? 5 : 30; }

Arrangement arrange(const GpuProblem& problem, std::uint64_t cache_bytes, std::uint64_t memory) {
  Arrangement result;
  result.b_offset = aligned(problem.shape.batch * problem.rows_of_a() * problem.lda, problem.dtype);
  result.ab_stride =
      result.b_offset +
      aligned(problem.shape.batch * problem.rows_of_b() * problem.ldb, problem.dtype);
  result.c_stride = aligned(problem.shape.batch * problem.shape.m * problem.ldc, problem.result);
  const double bytes =
      bytes_of(result.ab_stride, problem.dtype) + bytes_of(result.c_stride, problem.result);
  const double sets = std::min(std::ceil(3 * static_cast<double>(cache_bytes) / bytes),
                               std::floor(static_cast<double>(memory) / bytes));
  if (bytes > static_cast<double>(memory)) {
    throw Error(ErrorCode::kOutOfMemory,
                fmt::format("{}: needs {:.0f} MiB of device memory, {} MiB are there",
                            problem.name(), bytes / 0x1p20, memory >> 20));
  }
  result.sets = static_cast<int>(std::max(sets, 1.0));
  return result;
}

std::int64_t pool_elements(const Arrangement& a) { return a.ab_stride * a.sets; }
std::int64_t result_elements(const Arrangement& a) { return a.c_stride * a.sets; }

OperandPool::OperandPool(device::Device& device, device::Stream& stream, Dtype dtype,
                         OperandKind kind, std::uint64_t seed, std::int64_t elements)
    : device_(device),
      stream_(stream),
      dtype_(dtype),
      kind_(kind),
      seed_(seed),
      elements_(elements),
      buffer_(device, static_cast<std::uint64_t>(elements) * size_of(dtype)),
      period_(static_cast<std::size_t>(std::min(elements, kPeriod))) {
  constexpr std::uint64_t kChunk = 1 << 14;
  const std::uint64_t count = period_.size();
  parallel_for((count + kChunk - 1) / kChunk, 0, [&](int, std::uint64_t chunk) {
    const std::uint64_t first = chunk * kChunk, size = std::min(kChunk, count - first);
    double* values = &period_[first];
    for (std::uint64_t i = 0; i < size; ++i) {
      values[i] = number(kind_, dtype_, seed_, static_cast<std::int64_t>(first + i));
    }
    std::vector<std::byte> rounded(size * size_of(dtype_));
    write_elements(dtype_, values, static_cast<std::int64_t>(size), rounded.data());
    read_elements(dtype_, rounded.data(), 1, static_cast<std::int64_t>(size), values);
  });
  if (kind_ != OperandKind::kRowScaled) upload();
}

void OperandPool::lay_out(const GpuProblem& problem, const Arrangement& arrangement) {
  if (kind_ != OperandKind::kRowScaled) return;
  problem_ = problem;
  arrangement_ = arrangement;
  upload();
}

device::Address OperandPool::address(std::int64_t element) const {
  return buffer_.address() + static_cast<std::uint64_t>(element) * size_of(dtype_);
}

// The pool is written period by period; where rows have scales of their own, every element is made anew.
void OperandPool::upload() {
  const auto period = static_cast<std::int64_t>(period_.size());
  constexpr std::int64_t kChunk = 1 << 14;
  std::vector<std::byte> rounded(period_.size() * size_of(dtype_));
  const bool scaled = kind_ == OperandKind::kRowScaled;
  const std::int64_t end = scaled ? pool_elements(arrangement_) : elements_;
  for (std::int64_t first = 0; first < end; first += period) {
    const std::int64_t count = std::min(period, end - first);
    if (scaled || first == 0) {
      const auto chunks = static_cast<std::uint64_t>((count + kChunk - 1) / kChunk);
      parallel_for(chunks, 0, [&](int, std::uint64_t chunk) {
        const std::int64_t begin = static_cast<std::int64_t>(chunk) * kChunk;
        const std::int64_t size = std::min(kChunk, count - begin);
        std::vector<double> values(static_cast<std::size_t>(size));
        read(first + begin, 1, size, values.data());
        write_elements(dtype_, values.data(), size,
                       &rounded[static_cast<std::size_t>(begin) * size_of(dtype_)]);
      });
    }
    device_.copy_to_device(address(first), rounded.data(),
                           static_cast<std::uint64_t>(count) * size_of(dtype_), stream_);
    stream_.synchronize();  // the copy reads `rounded`
  }
}

int OperandPool::row_exponent_of(std::int64_t i) const {
  return exponent(bits_of(seed_, kRows, i), row_exponent(dtype_));
}

int OperandPool::column_exponent(std::int64_t j) const {
  if (kind_ != OperandKind::kRowScaled) return 0;
  return exponent(bits_of(seed_, kColumns, j), row_exponent(dtype_));
}

// Every set has the same scales.
int OperandPool::exponent_at(std::int64_t element) const {
  const std::int64_t place = element % arrangement_.ab_stride;
  if (place < arrangement_.b_offset) {
    return row_exponent_of(problem_.shape.trans_a ? place % problem_.lda : place / problem_.lda);
  }
  const std::int64_t in_b = place - arrangement_.b_offset;
  return column_exponent(problem_.shape.trans_b ? in_b / problem_.ldb : in_b % problem_.ldb);
}

void OperandPool::read(std::int64_t first, std::int64_t stride, std::int64_t count,
                       double* to) const {
  const auto period = static_cast<std::int64_t>(period_.size());
  std::int64_t place = first % period;
  const std::int64_t step = stride % period;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = period_[static_cast<std::size_t>(place)];
    place += step;
    if (place >= period) place -= period;
  }
  if (kind_ != OperandKind::kRowScaled) return;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = std::ldexp(to[i], exponent_at(first + i * stride));
  }
}

}  // namespace tilewise::bench
