// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a plan to launches: the kernels of one device, loaded when first needed, and what they are told.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "device/device.hpp"
#include "gemm/gpu/plan.hpp"

namespace tilewise::gpu {

/// The library's kernels on one device. Any number of threads may ask.
class Kernels {
 public:
  explicit Kernels(device::Device& device) : device_(device) {}

  /// The kernel `entry` of a unit of src/kernels/gemm/, loaded at the first call. Throws Error{kUnsupported} when
  /// this build has no image of it for the device.
  device::Kernel& find(std::string_view unit, std::string_view entry);

 private:
  device::Device& device_;
  std::mutex loading_;
  std::map<std::string_view, std::unique_ptr<device::Module>> modules_;  // by unit
  std::map<std::string_view, device::Kernel*> kernels_;                  // by entry
};

/// Puts the launches of `plan` into the stream. `workspace`: plan.workspace_bytes bytes of device memory, aligned to
/// kWorkspaceAlignment.
void launch(const Plan& plan, const Problem& problem, device::Device& device, Kernels& kernels,
            device::Stream& stream, device::Address workspace);

}  // namespace tilewise::gpu
