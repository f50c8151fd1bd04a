// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a worker measures: this library, or a peer that is opened at run time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/gemm_operands.hpp"

namespace tilewise::bench {

class Multiplier {
 public:
  virtual ~Multiplier() = default;

  /// Where it was loaded from; empty for this program itself.
  virtual std::string file() const = 0;

  /// Version, and whose kernels it chose for this processor: "OpenBLAS 0.3.21 … SkylakeX".
  virtual std::string version() const = 0;

  /// Computes C = alpha·op(A)·op(B) + beta·C, or a batch of them, `calls` times, one after the other.
  using Calls = std::function<void(std::int64_t calls)>;

  /// Empty when it has no product, or no batch, of this dtype. The operands must outlive what is returned.
  virtual Calls bind(const GemmOperands& operands) = 0;

  /// How it would compute this product, in words; empty when it does not say.
  virtual std::string path(const GemmOperands& operands) = 0;
};

/// This library, on `threads` threads.
std::unique_ptr<Multiplier> make_own_multiplier(int threads);

/// The first of the shared libraries `candidates` (names or paths) that can be opened, on `threads`
/// threads. It offers dnnl_sgemm, or else the Fortran names sgemm_ and dgemm_; a batch is computed by
/// cblas_?gemm_batch_strided where it has them, else one product after the other. Throws Error{kInvalidInput}
/// when none can be opened, Error{kUnsupported} when it has none of these names.
std::unique_ptr<Multiplier> open_peer(const std::vector<std::string>& candidates, int threads);

}  // namespace tilewise::bench
