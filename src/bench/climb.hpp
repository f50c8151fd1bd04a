// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One arithmetic's share of the ladder: what its rungs have in common (operands, reference, device memory)
// and how one of them is run, checked, counted and timed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/check.hpp"
#include "bench/cublas.hpp"
#include "bench/device_operands.hpp"
#include "bench/ladder.hpp"
#include "bench/operands.hpp"
#include "bench/reference.hpp"

namespace tilewise::bench {

/// Finds a rung's image for a GPU; tests put in their own.
using ImageOf = std::function<const kernels::KernelImage&(const kernels::Rung&, const model::Gpu&)>;

/// run_ladder() with images from `image_of`.
LadderResult climb_ladder(device::Device& device, const LadderRequest& request,
                          const LadderProgress& progress, const ImageOf& image_of);

/// T is the type of C.
template <class T> class Climb {
 public:
  /// `peer` may be nullptr. Makes the operands and the reference.
  Climb(device::Device& device, const LadderRequest& request, const Sizes& sizes, Cublas* peer,
        kernels::Arithmetic arithmetic);

  kernels::Arithmetic arithmetic() const { return operands_.arithmetic; }

  /// Runs one rung of that arithmetic. `whole_result`: also where the host's loop would compute some rows only.
  RungResult run(const kernels::Rung& rung, const ImageOf& image_of, bool whole_result);

  /// C of the rung that ran last, row-major.
  npy::Array last_result() const;

 private:
  void run_on_host(RungResult& row, bool whole_result);
  void run_on_device(RungResult& row, const kernels::KernelImage& image);
  void describe_kernel(RungResult& row, const LoadedRung& loaded) const;
  void launch(RungResult& row, LoadedRung& loaded);
  void count(RungResult& row, const kernels::KernelImage& image);
  void take_count(RungResult& row, device::LaunchCount count, Dim3 grid) const;
  void check(RungResult& row, LoadedRung& loaded);
  void time(RungResult& row, LoadedRung& loaded);
  void check_again(RungResult& row, LoadedRung& loaded);
  DeviceOperands<T>& on_device(Order order);
  // nullptr where k is too long for exact sums.
  DeviceOperands<T>* integers_on_device(Order order);

  device::Device& device_;
  const LadderRequest& request_;
  Sizes sizes_;  // of the request; operands_.sizes are those of the launch
  Cublas* peer_;
  std::unique_ptr<device::Stream> stream_;
  Operands<T> operands_, integers_;
  Reference reference_;
  std::unique_ptr<device::Device> counting_device_;  // a virtual GPU beside a real one, or nullptr
  std::optional<DeviceOperands<T>> on_device_, integers_on_device_;  // in the last rung's order
  std::vector<T> c_;                                                 // of the last rung, row-major
};

}  // namespace tilewise::bench
