// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The vendor's library as a peer: opened at run time, never required.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/gpu_product.hpp"
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
  virtual std::string file() const = 0;
  /// C = alpha·A·B + beta·C, all packed in `order`, in `stream`. f16, bf16 and tf32 with sums in f32.
  virtual void gemm(kernels::Arithmetic arithmetic, Order order, std::int64_t m, std::int64_t n,
                    std::int64_t k, double alpha, device::Address a, device::Address b, double beta,
                    device::Address c, device::Stream& stream) = 0;
  /// C = alpha·op(A)·op(B) + beta·C through cublasGemmEx with its default algorithm. `problem.mode` kAccurate is computed as
  /// kIeee: plain SGEMM is what accurate products are held against.
  virtual void gemm_ex(const GpuProblem& problem, const GpuMatrices& matrices,
                       device::Stream& stream) = 0;
};

/// cublasGemmEx as a peer of the GPU benchmark, or nullptr with the reason.
std::unique_ptr<GpuLibrary> open_cublas_peer(device::Device& device, std::string& why_not);

/// cublasLtMatmul with up to eight heuristics and a workspace of 64 MiB, or nullptr with the reason.
std::unique_ptr<GpuLibrary> open_cublaslt_peer(device::Device& device, std::string& why_not);

}  // namespace tilewise::bench
