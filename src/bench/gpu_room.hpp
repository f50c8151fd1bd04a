// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The device memory that products are measured in: operands, results, and which of them a problem takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/batch_reference.hpp"
#include "bench/gpu_product.hpp"
#include "bench/operand_pool.hpp"
#include "device/device.hpp"

namespace tilewise::bench {

class GpuRoom {
 public:
  GpuRoom(device::Device& device, device::Stream& stream, OperandKind kind, std::uint64_t seed)
      : device_(device), stream_(stream), kind_(kind), seed_(seed) {}

  /// Makes room for those of `problems` that have the type of `problem`, as far as the device holds them, unless it
  /// is there already; then lays `problem` out. Throws Error{kOutOfMemory} where the device does not hold it.
  void enter(const GpuProblem& problem, const std::vector<GpuProblem>& problems);

  /// Of the problem entered last: so many sets of matrices, which together do not fit in the cache.
  int sets() const { return arrangement_.sets; }
  GpuMatrices matrices(int set) const;
  /// What its C should be.
  BatchReference reference() const;
  /// Computes C of the first set, where every element is NaN before, or where beta is not 0 random, and holds it against
  /// `reference`.
  SampledVerdict check(GpuProduct& product, const BatchReference& reference);

 private:
  void make_room(Dtype dtype, const std::vector<GpuProblem>& problems);
  void begin_results(int sets);
  std::uint64_t result_bytes() const;
  std::uint64_t memory() const;
  std::uint64_t cache() const { return device_.is_virtual() ? 0 : device_.gpu().l2_bytes; }

  device::Device& device_;
  device::Stream& stream_;
  OperandKind kind_;
  std::uint64_t seed_;
  std::optional<Dtype> filled_;
  std::uint64_t room_ = 0;  // bytes of device memory for operands and results
  std::optional<OperandPool> pool_;
  std::optional<device::Buffer> results_;
  std::vector<std::byte> c_;  // as it came back
  /// What C is before, where beta is not 0: these elements over and over.
  std::vector<double> first_c_;
  GpuProblem problem_;
  Arrangement arrangement_;
};

}  // namespace tilewise::bench
