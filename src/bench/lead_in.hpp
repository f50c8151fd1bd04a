// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "device/device.hpp"

namespace tilewise::bench {

/// Keeps a device busy while the host puts short runs into the stream behind it: their events would else
/// measure how fast the host is. Waits in a kernel that touches no memory; where the build has none, or there is
/// no such image for the GPU, fills some memory instead, which leaves the cache full of it.
class LeadIn {
 public:
  LeadIn(device::Device& device, device::Stream& stream);

  /// Puts about so many microseconds of work into the stream, at most 2000.
  void enqueue(double microseconds);

 private:
  device::Device& device_;
  device::Stream& stream_;
  std::unique_ptr<device::Module> module_;
  device::Kernel* kernel_ = nullptr;
  std::optional<device::Buffer> memory_;
};

}  // namespace tilewise::bench
