// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands of the GPU benchmark: one pool of random numbers on the device, of which every product takes
// views. Filling it costs a few copies a dtype, not a few a shape; runs take turns with views that lie so far
// apart that none is still in the L2 cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/gpu_product.hpp"
#include "device/device.hpp"

namespace tilewise::bench {

/// What the numbers are like. kWide: normal times 2^e, e uniform in ±wide_exponent(); kRowScaled: normal, and
/// every row of op(A) and every column of op(B) times a power of two of its own, up to ±row_exponent().
enum class OperandKind { kNormal, kPositive, kWide, kRowScaled };

/// "normal", "positive", "wide", "row-scaled": what --operands says.
std::string_view name_of(OperandKind kind);
std::optional<OperandKind> operand_kind_of(std::string_view name);

/// 20, and 5 for f16, whose numbers reach from 6e-8 to 65504.
int wide_exponent(Dtype dtype);
/// 30, and 5 for f16.
int row_exponent(Dtype dtype);

/// Where a problem's matrices stand: set s has A at element s·ab_stride of the pool, B at s·ab_stride +
/// b_offset, C at s·c_stride of the results. Each begins on 256 bytes.
struct Arrangement {
  std::int64_t b_offset = 0, ab_stride = 0, c_stride = 0;
  int sets = 1;
};

/// As many sets as reach past three times the cache, at least one and at most what `memory` bytes hold. Throws
/// Error{kOutOfMemory} when they do not hold one.
Arrangement arrange(const GpuProblem& problem, std::uint64_t cache_bytes, std::uint64_t memory);
/// Elements of the pool and of the results that it reaches over.
std::int64_t pool_elements(const Arrangement& arrangement);
std::int64_t result_elements(const Arrangement& arrangement);

class OperandPool {
 public:
  /// Room for `elements` numbers, filled. Throws Error{kOutOfMemory}.
  OperandPool(device::Device& device, device::Stream& stream, Dtype dtype, OperandKind kind,
              std::uint64_t seed, std::int64_t elements);

  /// Makes the pool what `problem` reads: nothing to do but for kRowScaled, whose scales follow the matrices.
  void lay_out(const GpuProblem& problem, const Arrangement& arrangement);
  device::Address address(std::int64_t element) const;

  /// Elements first, first + stride, … of the pool, exactly.
  void read(std::int64_t first, std::int64_t stride, std::int64_t count, double* to) const;
  /// Exponent of the power of two of column j of op(B); 0 but for kRowScaled.
  int column_exponent(std::int64_t j) const;

 private:
  int row_exponent_of(std::int64_t i) const;
  int exponent_at(std::int64_t element) const;
  void upload();

  device::Device& device_;
  device::Stream& stream_;
  Dtype dtype_;
  OperandKind kind_;
  std::uint64_t seed_;
  std::int64_t elements_;
  device::Buffer buffer_;
  std::vector<double> period_;  // the pool's elements, which repeat after this many
  GpuProblem problem_;          // of kRowScaled: whose rows and columns are scaled
  Arrangement arrangement_;
};

}  // namespace tilewise::bench
