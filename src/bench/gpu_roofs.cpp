// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_roofs.hpp"

#include <algorithm>

namespace tilewise::bench {
namespace {

double tensor_peak(const model::Gpu& gpu, int rate) {
  return static_cast<double>(rate) * gpu.sm_count * gpu.boost_clock_mhz * 1e6;
}

}  // namespace

double peak_of(const model::Gpu& gpu, Dtype dtype, ComputeMode mode) {
  switch (dtype) {
    case Dtype::kF16: return tensor_peak(gpu, gpu.tensor.f16);
    case Dtype::kBF16: return tensor_peak(gpu, gpu.tensor.bf16);
    case Dtype::kF64: return std::max(tensor_peak(gpu, gpu.tensor.f64), gpu.peak_f64());
    case Dtype::kF32:
      if (mode == ComputeMode::kTf32) return tensor_peak(gpu, gpu.tensor.tf32);
      if (mode == ComputeMode::kAccurate) return tensor_peak(gpu, gpu.tensor.f16) / 3;
      return gpu.peak_f32();
    default: return 0;
  }
}

}  // namespace tilewise::bench
