// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A real GPU behind the Device interface.
#pragma once

#include <mutex>

#include "device/cuda/handles.hpp"
#include "device/device.hpp"

namespace tilewise::device::cuda {

class CudaDevice final : public Device {
 public:
  /// Opens device number `ordinal`. Throws Error{kNoDevice} when there are not so many.
  explicit CudaDevice(int ordinal);

  const model::Gpu& gpu() const override { return gpu_; }
  bool is_virtual() const override { return false; }
  std::string description() const override { return description_; }
  std::uint64_t free_memory() const override;

  Address allocate(std::uint64_t bytes) override;
  void free(Address address) noexcept override;
  void copy_to_device(Address destination, const void* source, std::uint64_t bytes,
                      Stream& stream) override;
  void copy_to_host(void* destination, Address source, std::uint64_t bytes,
                    Stream& stream) override;
  void fill(Address destination, unsigned char value, std::uint64_t bytes, Stream& stream) override;

  TensorMap make_tensor_map(const TensorMapRequest& request) override;
  bool accepts_tensor_map(const TensorMapRequest& request) override;

  std::unique_ptr<Stream> create_stream() override;
  std::unique_ptr<Stream> adopt_stream(void* handle) override;
  Address allocate_in(Stream& stream, std::uint64_t bytes) override;
  void free_in(Stream& stream, Address address) noexcept override;
  void enter() override { context_->push(); }
  void leave() noexcept override { context_->pop(); }
  std::unique_ptr<Event> create_event() override;
  std::unique_ptr<Module> load(const kernels::KernelImage& image) override;

  void launch(Kernel& kernel, const Launch& launch, Stream& stream) override;
  std::optional<LaunchCount> launch_counted(Kernel& kernel, const Launch& launch,
                                            Stream& stream) override;

  /// Makes the device's context the calling thread's, for a library that works on it (cuBLAS).
  void make_current() const { context_->make_current(); }

 private:
  /// Asks the driver for a tensor map, which it writes to `map`.
  Result encode(const TensorMapRequest& request, TensorMap& map);

  const DriverApi& api_;
  model::Gpu gpu_;
  std::string description_;
  SharedContext context_;
  std::once_flag pool_made_;
  std::unique_ptr<MemoryPool> pool_;  // made at its first use
};

/// Number of GPUs the driver shows. Throws as driver() does.
int device_count(const DriverApi& api);

}  // namespace tilewise::device::cuda
