// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One interface to a GPU, real or virtual: allocate, copy, load an image, launch, time.
//
// Streams order work; on the virtual GPU they do so by finishing each call before it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.hpp"
#include "core/dim3.hpp"
#include "core/tensor_map.hpp"
#include "kernels/images.hpp"
#include "model/gpu.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::device {

using Address = std::uint64_t;  ///< of device memory

/// A kernel's facts as its device reports them.
struct KernelAttributes {
  int registers = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;
  /// Waits until all work of the stream is done. Throws what that work threw.
  virtual void synchronize() = 0;
};

class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  virtual void synchronize() = 0;
  /// Milliseconds from `start` to this event; both recorded and finished.
  virtual double milliseconds_since(const Event& start) const = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual KernelAttributes attributes() const = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  /// Throws Error{kInvalidArgument} when the image has no kernel of that name.
  virtual Kernel& kernel(std::string_view name) = 0;
};

struct Launch {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::span<const void* const> arguments;  ///< one pointer to a value for each kernel parameter
  Dim3 cluster = {};  ///< blocks of a cluster; 1×1×1: as the kernel itself says, else none
  /// May begin before the work ahead of it in the stream has ended: the kernel waits for that itself
  /// (griddepcontrol.wait). Where the device cannot, it begins behind it.
  bool overlaps_previous = false;
};

/// What a counted launch found; only the virtual GPU counts.
struct LaunchCount {
  vgpu::LaunchReport report;
  vgpu::Fidelity fidelity = vgpu::Fidelity::kApproximate;
  std::vector<std::string> fidelity_notes;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const model::Gpu& gpu() const = 0;
  virtual bool is_virtual() const = 0;
  /// One line for results: "NVIDIA H200, driver 580.159, CUDA 13.0" or "virtual NVIDIA H200 (avx512)".
  virtual std::string description() const = 0;
  /// Memory that can still be allocated, in bytes.
  virtual std::uint64_t free_memory() const = 0;

  /// Throws Error{kOutOfMemory}. Prefer Buffer.
  virtual Address allocate(std::uint64_t bytes) = 0;
  virtual void free(Address address) noexcept = 0;
  /// Asynchronous in `stream` where the device can; the host memory must live until then.
  virtual void copy_to_device(Address destination, const void* source, std::uint64_t bytes,
                              Stream& stream) = 0;
  virtual void copy_to_host(void* destination, Address source, std::uint64_t bytes,
                            Stream& stream) = 0;
  /// Fills `bytes` bytes with `value`.
  virtual void fill(Address destination, unsigned char value, std::uint64_t bytes,
                    Stream& stream) = 0;

  /// A tensor map of memory of this device, for kernels that take one as a parameter. Throws
  /// Error{kInvalidArgument} that names the argument which breaks a rule, Error{kUnsupported} below
  /// compute capability 9.0.
  virtual TensorMap make_tensor_map(const TensorMapRequest& request) = 0;
  /// Whether the device itself takes the request: a real GPU's driver is asked, whatever check() says. Throws
  /// Error{kUnsupported} as make_tensor_map() does.
  virtual bool accepts_tensor_map(const TensorMapRequest& request);

  virtual std::unique_ptr<Stream> create_stream() = 0;
  /// A stream of somebody else's, a CUstream, which keeps it; null: the default stream. Throws
  /// Error{kUnsupported} for a device without foreign streams.
  virtual std::unique_ptr<Stream> adopt_stream(void* handle);

  /// Memory that exists between two points of a stream: no call waits for anything, and both may be
  /// part of a graph that is being captured. Throws Error{kOutOfMemory}.
  virtual Address allocate_in(Stream&, std::uint64_t bytes) { return allocate(bytes); }
  virtual void free_in(Stream&, Address address) noexcept { free(address); }

  /// Between the two, the calling thread may use the device; then whatever it used before is back.
  /// Every other call here leaves this device behind as the thread's current one. Prefer InUse.
  virtual void enter() {}
  virtual void leave() noexcept {}

  virtual std::unique_ptr<Event> create_event() = 0;
  virtual std::unique_ptr<Module> load(const kernels::KernelImage& image) = 0;

  virtual void launch(Kernel& kernel, const Launch& launch, Stream& stream) = 0;
  /// Runs the launch with counters on; nullopt where the device cannot count (a real GPU).
  virtual std::optional<LaunchCount> launch_counted(Kernel& kernel, const Launch& launch,
                                                    Stream& stream) = 0;
};

/// Throws Error{kUnsupported} for a GPU without tensor maps.
void require_tensor_maps(const model::Gpu& gpu);

/// Inside a library that is called by somebody who uses another device, or none.
class InUse {
 public:
  explicit InUse(Device& device) : device_(device) { device_.enter(); }
  ~InUse() { device_.leave(); }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  Device& device_;
};

/// Device memory with an owner.
class Buffer {
 public:
  Buffer(Device& device, std::uint64_t bytes)
      : device_(&device), address_(device.allocate(bytes)), bytes_(bytes) {}
  ~Buffer() {
    if (device_) device_->free(address_);
  }
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), address_(other.address_), bytes_(other.bytes_) {
    other.device_ = nullptr;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  Address address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Device* device_;
  Address address_;
  std::uint64_t bytes_;
};

enum class Choice { kAuto, kCuda, kVirtual };

/// Opens a device. kAuto: the first CUDA device, or the virtual GPU where there is none. `gpu` is the
/// catalogue key that the virtual GPU plays. Throws Error{kNoDevice} that says what is missing.
std::unique_ptr<Device> open(Choice choice, std::string_view gpu);

/// Real GPU number `ordinal`, as the installed library opens it. Throws Error{kNoDevice}.
std::unique_ptr<Device> open_cuda(int ordinal);

/// The real GPUs of this machine, as the driver describes them; empty without driver or GPU.
std::vector<model::Gpu> cuda_devices();
/// Why cuda_devices() is empty, or what it stands on: "driver 580.159, CUDA 13.0".
std::string cuda_status();

}  // namespace tilewise::device
