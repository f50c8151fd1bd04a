// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The vendor's library as a peer: opened at run time, never required.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/dtype.hpp"
#include "device/device.hpp"
#include "kernels/catalogue.hpp"

namespace tilewise::bench {

class Cublas {
 public:
  /// Opens libcublas for `device`, or returns nullptr with the reason in `why_not`.
  static std::unique_ptr<Cublas> open(device::Device& device, std::string& why_not);
  virtual ~Cublas() = default;

  /// "cuBLAS 13.1.0"
  virtual std::string version() const = 0;
  /// C = alpha·A·B + beta·C, all packed in `order`, in `stream`. f16, bf16 and tf32 with sums in f32.
  virtual void gemm(kernels::Arithmetic arithmetic, Order order, std::int64_t m, std::int64_t n,
                    std::int64_t k, double alpha, device::Address a, device::Address b, double beta,
                    device::Address c, device::Stream& stream) = 0;
};

}  // namespace tilewise::bench
