// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/virtual/virtual_device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

#include "core/memory.hpp"
#include "kernels/listing.hpp"
#include "tilewise/error.hpp"

namespace tilewise::device {
namespace {

using Clock = std::chrono::steady_clock;

class VirtualStream final : public Stream {
 public:
  void synchronize() override {}  // every call finished its work before it returned
};

// Measures the host: how long the virtual GPU took, never how long a GPU would.
class VirtualEvent final : public Event {
 public:
  void record(Stream&) override { time_ = Clock::now(); }
  void synchronize() override {}
  double milliseconds_since(const Event& start) const override {
    const auto* own = dynamic_cast<const VirtualEvent*>(&start);
    if (!own || !own->time_ || !time_) {
      throw Error(ErrorCode::kInvalidArgument,
                  "start: both events must be of the virtual GPU and recorded");
    }
    return std::chrono::duration<double, std::milli>(*time_ - *own->time_).count();
  }

 private:
  std::optional<Clock::time_point> time_;
};

class VirtualKernel final : public Kernel {
 public:
  VirtualKernel(const vgpu::Module& module, const vgpu::KernelInfo& info)
      : module_(module), info_(info) {}

  KernelAttributes attributes() const override {
    return {info_.registers, info_.static_shared_bytes, info_.local_bytes};
  }
  const vgpu::Module& module() const { return module_; }
  const vgpu::KernelInfo& info() const { return info_; }

 private:
  const vgpu::Module& module_;
  const vgpu::KernelInfo& info_;
};

class VirtualModule final : public Module {
 public:
  explicit VirtualModule(const kernels::KernelImage& image)
      : module_(module_of(image, kernels::listing_of(image))) {}

  Kernel& kernel(std::string_view name) override {
    const vgpu::KernelInfo& info = module_.find(name);
    const auto known = std::ranges::find(
        kernels_, &info, [](const VirtualKernel& kernel) { return &kernel.info(); });
    return known != kernels_.end() ? *known : kernels_.emplace_back(module_, info);
  }

 private:
  static vgpu::Module module_of(const kernels::KernelImage& image,
                                const kernels::Listing& listing) {
    return {listing.ptx, fmt::format("{}.{}.ptx", image.unit, image.arch), listing.cubin};
  }

  vgpu::Module module_;
  std::deque<VirtualKernel> kernels_;  // a deque: references to its elements stay valid
};

const VirtualKernel& own_kernel(const Kernel& kernel) {
  const auto* own = dynamic_cast<const VirtualKernel*>(&kernel);
  if (!own) throw Error(ErrorCode::kInvalidArgument, "kernel: not a kernel of the virtual GPU");
  return *own;
}

// The rest is for the operating system, the program itself and the matrices' host copies.
std::uint64_t share_of(std::uint64_t host_memory) { return host_memory / 4 * 3; }

}  // namespace

VirtualDevice::VirtualDevice(model::Gpu gpu) : VirtualDevice(std::move(gpu), available_memory()) {}

VirtualDevice::VirtualDevice(model::Gpu gpu, std::uint64_t host_memory)
    : gpu_(std::move(gpu)),
      limit_(std::min(gpu_.memory_bytes, share_of(host_memory))),
      limited_by_host_(share_of(host_memory) < gpu_.memory_bytes),
      memory_(limit_) {}

std::string VirtualDevice::description() const {
  return fmt::format("virtual {} ({})", gpu_.name, vgpu::simd_level());
}

std::uint64_t VirtualDevice::free_memory() const {
  return limit_ - std::min(limit_, memory_.allocated_bytes());
}

Address VirtualDevice::allocate(std::uint64_t bytes) {
  if (bytes > free_memory()) {
    throw Error(ErrorCode::kOutOfMemory,
                fmt::format("virtual {}: cannot allocate {} bytes: {} of {} bytes are free ({})",
                            gpu_.name, bytes, free_memory(), limit_,
                            limited_by_host_ ? "75% of the memory this machine has available"
                                             : "the memory of that GPU"));
  }
  return memory_.allocate(bytes);
}

void VirtualDevice::free(Address address) noexcept {
  try {
    memory_.free(address);
  } catch (const Error&) {  // not an address of this device: nothing to free
  }
}

void VirtualDevice::require_inside(const char* what, Address address, std::uint64_t bytes) const {
  if (memory_.contains(address, bytes)) return;
  const vgpu::Memory::Range range = memory_.find(address);
  const std::string found =
      range.end > range.begin
          ? fmt::format("runs past the end of the allocation of {} bytes at {:#x}",
                        range.end - range.begin, range.begin)
          : std::string("does not point into an allocation");
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} = {:#x}, {} bytes: {}", what, address, bytes, found));
}

void VirtualDevice::copy_to_device(Address destination, const void* source, std::uint64_t bytes,
                                   Stream&) {
  if (bytes == 0) return;
  require_inside("destination", destination, bytes);
  std::memcpy(reinterpret_cast<void*>(destination), source, bytes);
  memory_.mark_written(destination, bytes);
}

void VirtualDevice::copy_to_host(void* destination, Address source, std::uint64_t bytes, Stream&) {
  if (bytes == 0) return;
  require_inside("source", source, bytes);
  std::memcpy(destination, reinterpret_cast<const void*>(source), bytes);
}

void VirtualDevice::fill(Address destination, unsigned char value, std::uint64_t bytes, Stream&) {
  if (bytes == 0) return;
  require_inside("destination", destination, bytes);
  std::memset(reinterpret_cast<void*>(destination), value, bytes);
  memory_.mark_written(destination, bytes);
}

TensorMap VirtualDevice::make_tensor_map(const TensorMapRequest& request) {
  require_tensor_maps(gpu_);
  return vgpu::make_tensor_map(request);
}

std::unique_ptr<Stream> VirtualDevice::create_stream() { return std::make_unique<VirtualStream>(); }

std::unique_ptr<Event> VirtualDevice::create_event() { return std::make_unique<VirtualEvent>(); }

std::unique_ptr<Module> VirtualDevice::load(const kernels::KernelImage& image) {
  return std::make_unique<VirtualModule>(image);
}

vgpu::LaunchReport VirtualDevice::run(Kernel& kernel, const Launch& launch, bool count) {
  const VirtualKernel& own = own_kernel(kernel);
  vgpu::LaunchOptions options = options_;
  options.count = count || options_.count;
  if (launch.cluster.count() > 1) options.cluster = launch.cluster;
  vgpu::LaunchReport report =
      own.module().launch(own.info().name, gpu_, memory_, launch.grid, launch.block,
                          launch.dynamic_shared_bytes, launch.arguments, options);
  const std::scoped_lock lock(keeping_);
  findings_.insert(findings_.end(), report.findings.begin(), report.findings.end());
  if (options_.count) counters_ += report.counters;
  return report;
}

void VirtualDevice::launch(Kernel& kernel, const Launch& launch, Stream&) {
  run(kernel, launch, false);
}

std::optional<LaunchCount> VirtualDevice::launch_counted(Kernel& kernel, const Launch& launch,
                                                         Stream&) {
  LaunchCount result;
  result.report = run(kernel, launch, true);
  result.fidelity = own_kernel(kernel).info().fidelity;
  result.fidelity_notes = own_kernel(kernel).info().fidelity_notes;
  return result;
}

}  // namespace tilewise::device
