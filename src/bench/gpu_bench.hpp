// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures products on a GPU, this library and its peers side by side, run by run in turn. The results are
// those of the CPU benchmark (gemm_bench.hpp): one schema.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/gemm_bench.hpp"
#include "bench/gpu_product.hpp"
#include "bench/operand_pool.hpp"
#include "bench/timing.hpp"
#include "device/device.hpp"

namespace tilewise::bench {

struct GpuRequest {
  std::vector<GemmShape> shapes;
  std::string suite;
  std::vector<Dtype> dtypes;
  std::vector<ComputeMode> modes{ComputeMode::kIeee};  ///< of f32; all else is ieee
  OperandKind operands = OperandKind::kNormal;
  bool narrow_result = false;  ///< C of 16-bit floats in their own type instead of f32
  std::int64_t gap = 0;        ///< unused elements between rows
  Scaling scaling;             ///< of all products
  TurnLimits limits;
  std::uint64_t seed = 1;
};

/// What is asked for, type by type, mode by mode.
std::vector<GpuProblem> problems_of(const GpuRequest& request);

/// The libraries that take part; peers may be none. `left_out` says of others why they do not.
struct GpuLibraries {
  std::unique_ptr<GpuLibrary> own;
  std::vector<std::unique_ptr<GpuLibrary>> peers;
  std::vector<PeerTrouble> left_out;
};

/// Runs it. On the virtual GPU results have errors but no times. A shape that ours has no kernel for is a
/// result that says so (GemmResult::no_kernel); peers that fail or are wrong on a shape are left out there and
/// reported in the context. Throws Error for failures of the device.
GemmReport run_gpu_bench(device::Device& device, GpuLibraries libraries, const GpuRequest& request,
                         const GemmListener& listener);

}  // namespace tilewise::bench
