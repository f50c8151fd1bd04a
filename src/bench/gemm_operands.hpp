// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The matrices of what is measured, a product or a batch of them: random A and B; C random, too, or poisoned where beta is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "bench/suite.hpp"
#include "core/dtype.hpp"

namespace tilewise::bench {

/// The dtype of C: f32 for 16-bit floats, s32 for s8, else the operands' own.
Dtype result_dtype(Dtype operands);

/// Bytes of A, B and C together, of all products of a batch; those of the largest sizes do not fit 64 bits.
double operand_bytes(const GemmShape& shape, Dtype dtype);

/// A, B and C of a product, row-major without gaps, each on a 64-byte boundary and at its own place within a page, the
/// same in every process; of a batch the first ones, which the others follow without gaps. The place matters: a processor
/// takes a load for one that has to wait for a store to the same place in another page, which makes small products slower
/// by a tenth, or not, by accident of the heap.
class GemmOperands {
 public:
  /// A, B and C uniform in [-1, 1), the same for the same seed; in s8 all 256 values. C as begin() leaves it.
  /// Throws Error{kOutOfMemory}, and Error{kUnsupported} for a dtype other than f32, f64, bf16, f16, s8, and for s8 with
  /// other factors than 1 and 0.
  GemmOperands(const GemmShape& shape, Dtype dtype, std::uint64_t seed,
               const Scaling& scaling = {});

  const GemmShape& shape() const { return shape_; }
  Dtype dtype() const { return dtype_; }
  /// As the product takes it: rounded to f32 but for f64.
  const Scaling& scaling() const { return scaling_; }
  /// Of a product of the batch, counted from 0.
  template <class T> const T* a(std::int64_t product = 0) const {
    return reinterpret_cast<const T*>(a_.get()) + product * size_a();
  }
  template <class T> const T* b(std::int64_t product = 0) const {
    return reinterpret_cast<const T*>(b_.get()) + product * size_b();
  }
  template <class T> T* c(std::int64_t product = 0) const {
    return reinterpret_cast<T*>(c_.get()) + product * size_c();
  }
  /// Elements of one matrix, and so from one product's to the next one's.
  std::int64_t size_a() const { return shape_.m * shape_.k; }
  std::int64_t size_b() const { return shape_.k * shape_.n; }
  std::int64_t size_c() const { return shape_.m * shape_.n; }
  /// Elements from one row to the next of A, B and C as they are stored.
  std::int64_t lda() const { return shape_.trans_a ? shape_.m : shape_.k; }
  std::int64_t ldb() const { return shape_.trans_b ? shape_.k : shape_.n; }
  std::int64_t ldc() const { return shape_.n; }

  /// Makes C what it is before a product: random where beta is not 0, else with every bit set, which is NaN in floats, so
  /// that an element that is not written shows.
  void begin();
  /// Element `index` of all C, one behind the other, as begin() makes it where beta is not 0.
  double first_c(std::int64_t index) const;

 private:
  struct Free {
    Free() : offset(0) {}
    explicit Free(std::uint64_t bytes) : offset(bytes) {}
    std::uint64_t offset;
    void operator()(std::byte* bytes) const { std::free(bytes - offset); }
  };
  using Bytes = std::unique_ptr<std::byte, Free>;
  static Bytes allocate(std::uint64_t bytes, std::uint64_t offset);

  GemmShape shape_;
  Dtype dtype_;
  std::uint64_t seed_;
  Scaling scaling_;
  Bytes a_, b_, c_;
};

}  // namespace tilewise::bench
