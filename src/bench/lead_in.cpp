// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/lead_in.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;
constexpr double kMost = 2000;  // µs
constexpr double kBytesPerMicrosecond = 3e6;

}  // namespace

LeadIn::LeadIn(device::Device& device, device::Stream& stream) : device_(device), stream_(stream) {
  const model::Gpu& gpu = device.gpu();
  try {
    module_ = device.load(kernels::find_image("pause", gpu.compute_major, gpu.compute_minor));
    kernel_ = &module_->kernel("pause_clocks");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported && error.code() != ErrorCode::kInvalidArgument) {
      throw;
    }
    memory_.emplace(device, kBytes);
  }
}

void LeadIn::enqueue(double microseconds) {
  const double time = std::clamp(microseconds, 1.0, kMost);
  if (kernel_) {
    const auto clocks = static_cast<long long>(time * device_.gpu().boost_clock_mhz);
    const std::array<const void*, 1> arguments{&clocks};
    device_.launch(*kernel_, {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments},
                   stream_);
    return;
  }
  const auto fills =
      static_cast<int>(std::ceil(time * kBytesPerMicrosecond / static_cast<double>(kBytes)));
  for (int i = 0; i < fills; ++i) device_.fill(memory_->address(), 1, kBytes, stream_);
}

}  // namespace tilewise::bench
