// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A product on a GPU as plans see it: C is in row-major order, and each factor stands along k or across.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "gemm/arguments.hpp"
#include "kernels/gemm/arguments.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::gpu {

/// The arguments are those of the kernels (kernels/gemm/arguments.hpp), but for the split, which the plan
/// decides.
struct Problem {
  Dtype operand = Dtype::kF32, result = Dtype::kF32;
  ComputeMode mode = ComputeMode::kIeee;
  bool a_along_k = true, b_along_k = false;
  std::int64_t count = 1;  ///< matrices of the batch
  kernels::GemmArguments arguments{};

  std::int64_t m() const { return arguments.m; }
  std::int64_t n() const { return arguments.n; }
  std::int64_t k() const { return arguments.k; }
  /// Whether C is read: beta is not known to be 0.
  bool reads_c() const { return arguments.beta.address != nullptr || arguments.beta.value != 0; }
  /// Whether nothing is computed and nothing written: no results, or C = C.
  bool changes_nothing() const;
};

/// alpha or beta, whatever its type.
struct Scalar {
  double value = 0;
  const void* address = nullptr;
  bool is_on_device = false;

  template <class S>
  Scalar(const GpuScalar<S>& scalar)
      : value(static_cast<double>(scalar.value())),
        address(scalar.address()),
        is_on_device(scalar.is_on_device()) {}
  Scalar(double value_, const void* address_, bool is_on_device_)
      : value(value_), address(address_), is_on_device(is_on_device_) {}
  bool is_value(double x) const { return !is_on_device && value == x; }
};

/// The problem of arguments that check_batch() has let pass. A and B are left out (k = 0) where nothing of them
/// is added.
Problem problem_of(Dtype operand, Dtype result, ComputeMode mode, std::int64_t count,
                   const Scalar& alpha, const api::Batch& a, const api::Batch& b,
                   const Scalar& beta, const api::Batch& c);

/// Bytes, a power of two up to 256, that the factor's addresses, leading dimension and stride are all multiples
/// of. Of pointers nothing is known but that elements are whole.
std::int64_t alignment_of(const kernels::GemmFactor& factor, std::int64_t count,
                          std::size_t element_bytes);

}  // namespace tilewise::gpu
