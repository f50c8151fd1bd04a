// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's handles, each with one owner: calls throw, destructors do not.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/driver_api.hpp"
#include "device/device.hpp"

namespace tilewise::device::cuda {

/// A device's primary context, retained: the one that libraries such as cuBLAS use too.
class PrimaryContext {
 public:
  PrimaryContext(const DriverApi& api, DeviceOrdinal device);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  const DriverApi& api() const { return api_; }
  DeviceOrdinal device() const { return device_; }
  /// Makes it the calling thread's. Every call below does so first: a Device may be used by any thread.
  void make_current() const;
  /// The same for destructors, which have nobody to tell of an error: false when it failed.
  bool try_make_current() const noexcept;
  /// Makes it the calling thread's until pop(), which brings the one before back.
  void push() const;
  void pop() const noexcept;

 private:
  const DriverApi& api_;
  DeviceOrdinal device_;
  ContextHandle context_ = nullptr;
};

using SharedContext = std::shared_ptr<const PrimaryContext>;

/// Memory that streams take and give back in their own order. What it once had it keeps until it ends.
class MemoryPool {
 public:
  /// Throws Error{kUnsupported} for a driver without them.
  explicit MemoryPool(SharedContext context);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  PoolHandle handle() const { return handle_; }

 private:
  SharedContext context_;
  PoolHandle handle_ = nullptr;
};

class CudaStream final : public Stream {
 public:
  explicit CudaStream(SharedContext context);
  /// Of somebody else's, who keeps it.
  CudaStream(SharedContext context, StreamHandle handle)
      : context_(std::move(context)), handle_(handle), is_own_(false) {}
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void synchronize() override;
  StreamHandle handle() const { return handle_; }

 private:
  SharedContext context_;
  StreamHandle handle_ = nullptr;
  bool is_own_ = true;
};

/// The driver's handle of a stream. Throws Error{kInvalidArgument} for another device's stream.
StreamHandle handle_of(Stream& stream);

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(SharedContext context);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void record(Stream& stream) override;
  void synchronize() override;
  double milliseconds_since(const Event& start) const override;

 private:
  SharedContext context_;
  EventHandle handle_ = nullptr;
};

class CudaKernel final : public Kernel {
 public:
  CudaKernel(SharedContext context, FunctionHandle handle, std::string name);

  KernelAttributes attributes() const override { return attributes_; }
  const std::string& name() const { return name_; }
  FunctionHandle handle() const { return handle_; }
  /// Opts in to more dynamic shared memory than a kernel gets unasked.
  void allow_dynamic_shared(std::uint32_t bytes);

 private:
  int attribute(FunctionAttribute attribute) const;

  SharedContext context_;
  FunctionHandle handle_;
  std::string name_;
  KernelAttributes attributes_;
  std::mutex allowing_;
  std::atomic<std::uint32_t> allowed_dynamic_bytes_ = 0;
};

class CudaModule final : public Module {
 public:
  /// Loads what `gpu` can run of the image: its machine code, or its PTX through the driver's compiler.
  /// Throws Error{kUnsupported} where it can run neither, Error{kDriver} with the compiler's words.
  CudaModule(SharedContext context, const kernels::KernelImage& image, const model::Gpu& gpu);
  ~CudaModule() override;
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  Kernel& kernel(std::string_view name) override;

 private:
  void load(const void* code, std::string_view what);

  SharedContext context_;
  std::string name_;
  ModuleHandle handle_ = nullptr;
  std::deque<CudaKernel> kernels_;  // a deque: references to its elements stay valid
};

}  // namespace tilewise::device::cuda
