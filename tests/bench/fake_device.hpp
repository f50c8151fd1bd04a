// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A Device that multiplies on the host and can be told to get it wrong: what the ladder's checks are
// tested with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/climb.hpp"
#include "device/device.hpp"
#include "kernels/catalogue.hpp"

namespace tilewise::bench {

/// How the fake kernel misbehaves.
enum class Fault {
  kNone,
  kWrongElement,    ///< one element of C a little off
  kUnwritten,       ///< one element of C never written
  kDroppedProduct,  ///< the last product of one element left out
  kReadsC,          ///< adds beta·C even when beta is 0
  kOtherBits,       ///< launches after the first differ in the last bit of one element
};

class FakeDevice final : public device::Device {
 public:
  explicit FakeDevice(Fault fault = Fault::kNone, bool is_virtual = false);

  /// Where the fault strikes; by default in the middle of C.
  void strike_at(std::int64_t row, std::int64_t column);
  /// Launches so far.
  int launches() const { return launches_; }
  std::size_t live_allocations() const { return allocations_.size(); }
  /// What free_memory() says.
  void set_memory(std::uint64_t bytes) { memory_ = bytes; }

  const model::Gpu& gpu() const override { return gpu_; }
  bool is_virtual() const override { return is_virtual_; }
  std::string description() const override { return "fake device"; }
  std::uint64_t free_memory() const override { return memory_; }
  device::Address allocate(std::uint64_t bytes) override;
  TensorMap make_tensor_map(const TensorMapRequest&) override { return {}; }
  void free(device::Address address) noexcept override { allocations_.erase(address); }
  void copy_to_device(device::Address destination, const void* source, std::uint64_t bytes,
                      device::Stream& stream) override;
  void copy_to_host(void* destination, device::Address source, std::uint64_t bytes,
                    device::Stream& stream) override;
  void fill(device::Address destination, unsigned char value, std::uint64_t bytes,
            device::Stream& stream) override;
  std::unique_ptr<device::Stream> create_stream() override;
  std::unique_ptr<device::Event> create_event() override;
  std::unique_ptr<device::Module> load(const kernels::KernelImage& image) override;
  void launch(device::Kernel& kernel, const device::Launch& launch,
              device::Stream& stream) override;
  std::optional<device::LaunchCount> launch_counted(device::Kernel& kernel,
                                                    const device::Launch& launch,
                                                    device::Stream& stream) override;

 private:
  // A and B hold elements of `operand`.
  template <class T> void multiply(const device::Launch& launch, Order order, Dtype operand);

  Fault fault_;
  bool is_virtual_;
  model::Gpu gpu_;
  std::uint64_t memory_ = std::uint64_t{1} << 40;
  std::int64_t strike_row_ = -1, strike_column_ = -1;
  int launches_ = 0;
  std::map<device::Address, std::vector<std::byte>> allocations_;
};

/// Rungs for the fake device: f32 and f64, row- and column-major, and the host's loop.
const kernels::Rung& fake_rung(Dtype dtype, Order order);
/// Row-major, f16, bf16 or tf32; the fake device multiplies as f32 what it finds.
const kernels::Rung& fake_rung(kernels::Arithmetic arithmetic);
const kernels::Rung& fake_host_rung();

/// run_ladder() on rungs that have no image.
LadderResult run_fake_ladder(FakeDevice& device, const LadderRequest& request,
                             const LadderProgress& progress = {});

}  // namespace tilewise::bench
