// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that multiplies on the host, in the memory of a FakeDevice, and can be told to get it wrong.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_product.hpp"

namespace tilewise::bench {

/// Which library computed on which matrices, in the order in which it happened.
using Calls = std::vector<std::pair<std::string, GpuMatrices>>;

struct FakeBehaviour {
  /// Called with each product that was computed, to spoil it: C, and the problem.
  std::function<void(void* c, const GpuProblem&)> spoil = {};
  std::string refusal = {};          ///< of every problem, with Error{kUnsupported}
  std::string failure = {};          ///< of every call, with Error{kDriver}
  std::vector<int> candidates = {};  ///< how many milliseconds each takes
};

class FakeLibrary final : public GpuLibrary {
 public:
  FakeLibrary(std::string name, Calls& calls, FakeBehaviour behaviour = {})
      : name_(std::move(name)), calls_(calls), behaviour_(std::move(behaviour)) {}
  std::string name() const override { return name_; }
  std::string version() const override { return name_ + " 1.0"; }
  std::unique_ptr<GpuProduct> prepare(const GpuProblem& problem) override;

 private:
  std::string name_;
  Calls& calls_;
  FakeBehaviour behaviour_;
};

/// Sets element (i, j) of C, of any dtype; rows of a batch are counted on from product to product.
void set_element(void* c, const GpuProblem& problem, std::int64_t i, std::int64_t j, double value);

}  // namespace tilewise::bench
