// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/lead_in.hpp"

#include <gtest/gtest.h>

#include "device/device.hpp"
#include "fake_device.hpp"

namespace tilewise::bench {
namespace {

TEST(LeadIn, TheKernelThatWaitsEnds) {
  if (kernels::images().empty()) GTEST_SKIP() << "built without nvcc";
  const auto device = device::open(device::Choice::kVirtual, "h200");
  const auto stream = device->create_stream();
  LeadIn lead(*device, *stream);
  lead.enqueue(0);
  lead.enqueue(2);
  stream->synchronize();
}

TEST(LeadIn, TakesMemoryOnlyWhereThereIsNoKernel) {
  FakeDevice device;
  const auto stream = device.create_stream();
  LeadIn lead(device, *stream);
  lead.enqueue(5);
  EXPECT_EQ(device.live_allocations(), kernels::images().empty() ? 1u : 0u);
}

}  // namespace
}  // namespace tilewise::bench
