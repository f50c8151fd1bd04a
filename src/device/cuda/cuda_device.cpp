// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.hpp"

#include <algorithm>
#include <bit>

#include "core/phrase.hpp"
#include "device/cuda/facts.hpp"

namespace tilewise::device::cuda {
namespace {

DeviceOrdinal device_at(const DriverApi& api, int ordinal) {
  const int count = device_count(api);
  if (ordinal < 0 || ordinal >= count) {
    throw Error(ErrorCode::kNoDevice, phrase("CUDA device {}: the driver shows {}", ordinal,
                                             count == 0 ? "none" : std::to_string(count)));
  }
  DeviceOrdinal device = 0;
  check(api, api.device_get(&device, ordinal), [&] { return phrase("cuDeviceGet({})", ordinal); });
  return device;
}

// Lets the calling thread do what else invalidates a capture that is going on.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const DriverApi& api) : api_(api) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void exchange() noexcept {
    if (api_.exchange_capture_mode) api_.exchange_capture_mode(&mode_);
  }
  const DriverApi& api_;
  int mode_ = kCaptureRelaxed;
};

constexpr int kInterleaveNone = 0;  // CU_TENSOR_MAP_INTERLEAVE_NONE

// CUtensorMapL2promotion: none, 64, 128, 256 bytes.
int l2_promotion_of(std::uint32_t bytes) { return bytes == 0 ? 0 : std::countr_zero(bytes) - 5; }

}  // namespace

int device_count(const DriverApi& api) {
  int count = 0;
  check(api, api.device_get_count(&count), "cuDeviceGetCount()");
  return count;
}

CudaDevice::CudaDevice(int ordinal) : api_(driver()) {
  const DeviceOrdinal device = device_at(api_, ordinal);
  gpu_ = describe(api_, device);
  description_ = phrase("{}, {}", gpu_.name, driver_description());
  context_ = std::make_shared<PrimaryContext>(api_, device);
}

std::uint64_t CudaDevice::free_memory() const {
  make_current();
  std::size_t free = 0, total = 0;
  check(api_, api_.memory_get_info(&free, &total), "cuMemGetInfo_v2()");
  return free;
}

Address CudaDevice::allocate(std::uint64_t bytes) {
  make_current();
  DevicePointer address = 0;
  // The driver refuses 0 bytes; an empty matrix still wants an address of its own.
  check(api_, api_.memory_allocate(&address, std::max<std::uint64_t>(bytes, 1)),
        [&] { return phrase("cuMemAlloc_v2({} bytes)", bytes); });
  return address;
}

void CudaDevice::free(Address address) noexcept {
  // An error here is one of earlier work, which the next synchronize() reports.
  if (context_->try_make_current()) api_.memory_free(address);
}

void CudaDevice::copy_to_device(Address destination, const void* source, std::uint64_t bytes,
                                Stream& stream) {
  if (bytes == 0) return;
  make_current();
  check(api_, api_.copy_to_device_async(destination, source, bytes, handle_of(stream)),
        [&] { return phrase("cuMemcpyHtoDAsync_v2({} bytes)", bytes); });
}

void CudaDevice::copy_to_host(void* destination, Address source, std::uint64_t bytes,
                              Stream& stream) {
  if (bytes == 0) return;
  make_current();
  check(api_, api_.copy_to_host_async(destination, source, bytes, handle_of(stream)),
        [&] { return phrase("cuMemcpyDtoHAsync_v2({} bytes)", bytes); });
}

void CudaDevice::fill(Address destination, unsigned char value, std::uint64_t bytes,
                      Stream& stream) {
  if (bytes == 0) return;
  make_current();
  check(api_, api_.fill_async(destination, value, bytes, handle_of(stream)),
        [&] { return phrase("cuMemsetD8Async({} bytes)", bytes); });
}

Result CudaDevice::encode(const TensorMapRequest& request, TensorMap& map) {
  if (!api_.tensor_map_encode_tiled) {
    throw Error(ErrorCode::kUnsupported,
                "libcuda.so.1 has no cuTensorMapEncodeTiled: the NVIDIA driver is too old");
  }
  make_current();
  return api_.tensor_map_encode_tiled(
      &map, static_cast<int>(request.type), request.rank, reinterpret_cast<void*>(request.address),
      request.dimensions.data(), request.strides.data(), request.box.data(),
      request.element_strides.data(), kInterleaveNone, static_cast<int>(request.swizzle),
      l2_promotion_of(request.l2_promotion), static_cast<int>(request.fill));
}

TensorMap CudaDevice::make_tensor_map(const TensorMapRequest& request) {
  require_tensor_maps(gpu_);
  tilewise::check(request);
  TensorMap map;
  check(api_, encode(request, map), [&] {
    return phrase("cuTensorMapEncodeTiled({} dimensions of {})", request.rank,
                  name_of(request.type));
  });
  return map;
}

// CUDA_ERROR_INVALID_VALUE is the driver's no; anything else is trouble.
bool CudaDevice::accepts_tensor_map(const TensorMapRequest& request) {
  require_tensor_maps(gpu_);
  TensorMap map;
  const Result result = encode(request, map);
  if (result == Result::kInvalidValue) return false;
  check(api_, result, "cuTensorMapEncodeTiled()");
  return true;
}

std::unique_ptr<Stream> CudaDevice::create_stream() {
  return std::make_unique<CudaStream>(context_);
}

std::unique_ptr<Stream> CudaDevice::adopt_stream(void* handle) {
  return std::make_unique<CudaStream>(context_, static_cast<StreamHandle>(handle));
}

Address CudaDevice::allocate_in(Stream& stream, std::uint64_t bytes) {
  make_current();
  std::call_once(pool_made_, [&] {
    const RelaxedCapture relaxed(api_);
    pool_ = std::make_unique<MemoryPool>(context_);
  });
  DevicePointer address = 0;
  check(api_,
        api_.memory_allocate_in(&address, std::max<std::uint64_t>(bytes, 1), pool_->handle(),
                                handle_of(stream)),
        [&] { return phrase("cuMemAllocFromPoolAsync({} bytes)", bytes); });
  return address;
}

void CudaDevice::free_in(Stream& stream, Address address) noexcept {
  if (context_->try_make_current()) api_.memory_free_in(address, handle_of(stream));
}

std::unique_ptr<Event> CudaDevice::create_event() { return std::make_unique<CudaEvent>(context_); }

// Loading allocates, which a thread whose stream is being captured is not allowed unasked.
std::unique_ptr<Module> CudaDevice::load(const kernels::KernelImage& image) {
  make_current();
  const RelaxedCapture relaxed(api_);
  return std::make_unique<CudaModule>(context_, image, gpu_);
}

namespace {

LaunchConfiguration configuration_of(const Launch& launch, StreamHandle stream) {
  const Dim3 &grid = launch.grid, &block = launch.block;
  return {grid.x, grid.y,  grid.z, block.x, block.y, block.z, launch.dynamic_shared_bytes,
          stream, nullptr, 0};
}

std::string call_text(const CudaKernel& kernel, const Launch& launch) {
  const Dim3 &grid = launch.grid, &block = launch.block;
  return phrase("cuLaunchKernel({}, grid {}x{}x{}, block {}x{}x{}, {} bytes shared)", kernel.name(),
                grid.x, grid.y, grid.z, block.x, block.y, block.z, launch.dynamic_shared_bytes);
}

// With attributes: a cluster, an early begin.
Result launch_with_attributes(const DriverApi& api, const CudaKernel& kernel, const Launch& launch,
                              StreamHandle stream, void** arguments) {
  LaunchAttribute attributes[2];
  LaunchConfiguration configuration = configuration_of(launch, stream);
  configuration.attributes = attributes;
  if (launch.cluster.count() > 1) {
    LaunchAttribute& attribute = attributes[configuration.attribute_count++];
    attribute.id = LaunchAttributeId::kClusterDimension;
    attribute.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  }
  if (launch.overlaps_previous) {
    LaunchAttribute& attribute = attributes[configuration.attribute_count++];
    attribute.id = LaunchAttributeId::kProgrammaticStreamSerialization;
    attribute.programmatic = 1;
  }
  return api.launch_kernel_ex(&configuration, kernel.handle(), arguments, nullptr);
}

}  // namespace

void CudaDevice::launch(Kernel& kernel, const Launch& launch, Stream& stream) {
  auto* own = dynamic_cast<CudaKernel*>(&kernel);
  if (!own) throw Error(ErrorCode::kInvalidArgument, "kernel: not a kernel of the CUDA device");
  make_current();
  const std::uint32_t shared_bytes =
      launch.dynamic_shared_bytes + own->attributes().static_shared_bytes;
  if (launch.dynamic_shared_bytes > 0 && shared_bytes > gpu_.shared_per_block) {
    own->allow_dynamic_shared(launch.dynamic_shared_bytes);
  }
  // The driver only reads the arguments; its signature is older than const.
  void** arguments = const_cast<void**>(launch.arguments.data());
  const Dim3 &grid = launch.grid, &block = launch.block;
  const bool plain = launch.cluster.count() == 1 && !launch.overlaps_previous;
  if (!plain && !api_.launch_kernel_ex && launch.cluster.count() > 1) {
    throw Error(ErrorCode::kUnsupported,
                "libcuda.so.1 has no cuLaunchKernelEx: the NVIDIA driver is too old");
  }
  const Result result =
      plain || !api_.launch_kernel_ex
          ? api_.launch_kernel(own->handle(), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                               launch.dynamic_shared_bytes, handle_of(stream), arguments, nullptr)
          : launch_with_attributes(api_, *own, launch, handle_of(stream), arguments);
  check(api_, result, [&] { return call_text(*own, launch); });
}

std::optional<LaunchCount> CudaDevice::launch_counted(Kernel&, const Launch&, Stream&) {
  return std::nullopt;
}

}  // namespace tilewise::device::cuda
