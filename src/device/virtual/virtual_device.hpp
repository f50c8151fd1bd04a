// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The virtual GPU behind the Device interface. Work is done when a call returns.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::device {

class VirtualDevice final : public Device {
 public:
  /// A device that plays `gpu`. It lends the GPU's memory, or three quarters of what this machine has
  /// available, whichever is less.
  explicit VirtualDevice(model::Gpu gpu);
  /// The same with `host_memory` bytes taken as what this machine has available.
  VirtualDevice(model::Gpu gpu, std::uint64_t host_memory);

  const model::Gpu& gpu() const override { return gpu_; }
  bool is_virtual() const override { return true; }
  std::string description() const override;
  std::uint64_t free_memory() const override;

  Address allocate(std::uint64_t bytes) override;
  void free(Address address) noexcept override;
  void copy_to_device(Address destination, const void* source, std::uint64_t bytes,
                      Stream& stream) override;
  void copy_to_host(void* destination, Address source, std::uint64_t bytes,
                    Stream& stream) override;
  void fill(Address destination, unsigned char value, std::uint64_t bytes, Stream& stream) override;

  TensorMap make_tensor_map(const TensorMapRequest& request) override;

  std::unique_ptr<Stream> create_stream() override;
  /// Streams of the virtual GPU are all alike, whatever their handle.
  std::unique_ptr<Stream> adopt_stream(void*) override { return create_stream(); }
  std::unique_ptr<Event> create_event() override;
  std::unique_ptr<Module> load(const kernels::KernelImage& image) override;

  void launch(Kernel& kernel, const Launch& launch, Stream& stream) override;
  std::optional<LaunchCount> launch_counted(Kernel& kernel, const Launch& launch,
                                            Stream& stream) override;

  /// From now on launches run as `options` say, but for `cluster`, and what checks find is kept; what is counted as well.
  void watch(const vgpu::LaunchOptions& options) { options_ = options; }
  /// What the launches since the last call had found.
  std::vector<vgpu::Finding> take_findings() { return std::exchange(findings_, {}); }
  /// What launches since the last call counted, where options say that they count.
  Counters take_counters() { return std::exchange(counters_, {}); }

 private:
  vgpu::LaunchReport run(Kernel& kernel, const Launch& launch, bool count);
  void require_inside(const char* what, Address address, std::uint64_t bytes) const;

  model::Gpu gpu_;
  std::uint64_t limit_;
  bool limited_by_host_;
  vgpu::Memory memory_;
  vgpu::LaunchOptions options_;
  std::vector<vgpu::Finding> findings_;
  Counters counters_;
  std::mutex keeping_;
};

}  // namespace tilewise::device
