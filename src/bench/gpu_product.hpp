// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU benchmark asks of a library, ours and its peers alike: prepare a product, put it in a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/suite.hpp"
#include "core/dtype.hpp"
#include "device/device.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::bench {

/// C = alpha·op(A)·op(B) + beta·C, all row-major.
struct GpuProblem {
  GemmShape shape;
  Dtype dtype = Dtype::kF32;              ///< of A and B
  Dtype result = Dtype::kF32;             ///< of C: f64 for f64, else f32 or `dtype`
  ComputeMode mode = ComputeMode::kIeee;  ///< of f32; other dtypes have kIeee only
  /// Elements from one row to the next of A, B and C as they are stored (A m×k, or k×m when transposed).
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  Scaling scaling = {};  ///< as the product takes it (rounded_to())

  std::int64_t rows_of_a() const { return shape.trans_a ? shape.k : shape.m; }
  std::int64_t rows_of_b() const { return shape.trans_b ? shape.n : shape.k; }
  /// 2·m·n·k of each product.
  double flops() const;
  /// Of all A, B and C once each, of C twice where beta is not 0; without gaps between rows.
  double compulsory_bytes() const;
  /// "f32 accurate 64x64x64 NN".
  std::string name() const;
};

/// The problem whose rows follow one another with `gap` unused elements between.
GpuProblem make_problem(const GemmShape& shape, Dtype dtype, Dtype result, ComputeMode mode,
                        std::int64_t gap = 0, const Scaling& scaling = {});

/// Where the three matrices stand on the device; of a batch the first ones, which the others follow without gaps.
struct GpuMatrices {
  device::Address a = 0, b = 0, c = 0;
};

/// One problem, prepared by a library: every enqueue() is the same work on other memory.
class GpuProduct {
 public:
  virtual ~GpuProduct() = default;
  virtual void enqueue(const GpuMatrices& matrices, device::Stream& stream) = 0;
  /// What runs, in words: a kernel and its tiles, or the rank of a heuristic. Empty: the library does not say.
  virtual std::string plan() const { return {}; }

  /// Ways to compute it, of which the benchmark measures each shortly and keeps the fastest.
  virtual int candidates() const { return 1; }
  virtual void select(int /*candidate*/) {}
};

class GpuLibrary {
 public:
  virtual ~GpuLibrary() = default;
  virtual std::string name() const = 0;     ///< "cublaslt"
  virtual std::string version() const = 0;  ///< "cuBLASLt 13.1.0"
  virtual std::string file() const { return {}; }
  /// Throws Error{kUnsupported} with the reason for a problem that it has no kernel for.
  virtual std::unique_ptr<GpuProduct> prepare(const GpuProblem& problem) = 0;
};

}  // namespace tilewise::bench
