// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of the CUDA driver's interface that Tilewise calls, declared here so that no toolkit is
// needed to build, and bound at run time so that no driver is needed to start. Signatures, numbers
// and versioned names are those of CUDA 13.0's cuda.h; tests/device/driver_api_test.cpp compares them
// with that header where there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/tensor_map.hpp"
#include "tilewise/error.hpp"

namespace tilewise::device::cuda {

/// CUresult: only the values that Tilewise tells apart.
enum class Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kNotFound = 500,
  kNotReady = 600,
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockDimX = 2,
  kMaxBlockDimY = 3,
  kMaxBlockDimZ = 4,
  kMaxGridDimX = 5,
  kMaxGridDimY = 6,
  kMaxGridDimZ = 7,
  kMaxSharedMemoryPerBlock = 8,
  kTotalConstantMemory = 9,
  kWarpSize = 10,
  kMaxRegistersPerBlock = 12,
  kClockRate = 13,  // kHz
  kMultiprocessorCount = 16,
  kMemoryClockRate = 36,       // kHz
  kGlobalMemoryBusWidth = 37,  // bits
  kL2CacheSize = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedMemoryPerMultiprocessor = 81,
  kMaxRegistersPerMultiprocessor = 82,
  kMaxSharedMemoryPerBlockOptin = 97,
  kMaxBlocksPerMultiprocessor = 106,
  kReservedSharedMemoryPerBlock = 111,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  kSharedSizeBytes = 1,
  kLocalSizeBytes = 3,
  kNumRegisters = 4,
  kMaxDynamicSharedSizeBytes = 8,
};

/// CUjit_option.
enum class JitOption : int {
  kErrorLogBuffer = 5,
  kErrorLogBufferSizeBytes = 6,
};

using DeviceOrdinal = int;                 // CUdevice
using DevicePointer = unsigned long long;  // CUdeviceptr
using ContextHandle = struct CUctx_st*;
using ModuleHandle = struct CUmod_st*;
using FunctionHandle = struct CUfunc_st*;
using StreamHandle = struct CUstream_st*;
using EventHandle = struct CUevent_st*;

using PoolHandle = struct CUmemPoolHandle_st*;

constexpr unsigned kStreamNonBlocking = 1;  // CU_STREAM_NON_BLOCKING

/// CUlaunchAttributeID, of those that Tilewise uses.
enum class LaunchAttributeId : int { kClusterDimension = 4, kProgrammaticStreamSerialization = 6 };

/// CUlaunchAttribute: an id and 64 bytes whose meaning it decides.
struct alignas(8) LaunchAttribute {
  LaunchAttributeId id{};
  char padding[4] = {};
  union {
    char bytes[64] = {};
    struct {
      unsigned x, y, z;
    } cluster;
    int programmatic;
  };
};

/// CUlaunchConfig.
struct LaunchConfiguration {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  StreamHandle stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// CUmemPoolProps: device memory of one GPU, not shared with other programs.
struct PoolProperties {
  int allocation_type = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = 0;     // CU_MEM_HANDLE_TYPE_NONE
  int location_type = 1;    // CU_MEM_LOCATION_TYPE_DEVICE
  int location_id = 0;
  void* windows_attributes = nullptr;
  std::size_t most_bytes = 0;  // no limit
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

constexpr int kPoolReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
constexpr int kCaptureRelaxed = 2;        // CU_STREAM_CAPTURE_MODE_RELAXED

// X(member, symbol, parameters): every function that must be there. Old symbols stay in newer drivers.
#define TILEWISE_DRIVER_FUNCTIONS(X)                                                               \
  X(init, "cuInit", (unsigned flags))                                                              \
  X(driver_get_version, "cuDriverGetVersion", (int* version))                                      \
  X(get_error_name, "cuGetErrorName", (Result result, const char** name))                          \
  X(get_error_string, "cuGetErrorString", (Result result, const char** text))                      \
  X(device_get_count, "cuDeviceGetCount", (int* count))                                            \
  X(device_get, "cuDeviceGet", (DeviceOrdinal * device, int ordinal))                              \
  X(device_get_name, "cuDeviceGetName", (char* name, int length, DeviceOrdinal device))            \
  X(device_get_attribute, "cuDeviceGetAttribute",                                                  \
    (int* value, DeviceAttribute attribute, DeviceOrdinal device))                                 \
  X(device_total_memory, "cuDeviceTotalMem_v2", (std::size_t * bytes, DeviceOrdinal device))       \
  X(primary_context_retain, "cuDevicePrimaryCtxRetain",                                            \
    (ContextHandle * context, DeviceOrdinal device))                                               \
  X(primary_context_release, "cuDevicePrimaryCtxRelease_v2", (DeviceOrdinal device))               \
  X(context_set_current, "cuCtxSetCurrent", (ContextHandle context))                               \
  X(context_push_current, "cuCtxPushCurrent_v2", (ContextHandle context))                          \
  X(context_pop_current, "cuCtxPopCurrent_v2", (ContextHandle * context))                          \
  X(memory_get_info, "cuMemGetInfo_v2", (std::size_t * free, std::size_t * total))                 \
  X(memory_allocate, "cuMemAlloc_v2", (DevicePointer * address, std::size_t bytes))                \
  X(memory_free, "cuMemFree_v2", (DevicePointer address))                                          \
  X(copy_to_device_async, "cuMemcpyHtoDAsync_v2",                                                  \
    (DevicePointer destination, const void* source, std::size_t bytes, StreamHandle stream))       \
  X(copy_to_host_async, "cuMemcpyDtoHAsync_v2",                                                    \
    (void* destination, DevicePointer source, std::size_t bytes, StreamHandle stream))             \
  X(fill_async, "cuMemsetD8Async",                                                                 \
    (DevicePointer destination, unsigned char value, std::size_t count, StreamHandle stream))      \
  X(stream_create, "cuStreamCreate", (StreamHandle * stream, unsigned flags))                      \
  X(stream_destroy, "cuStreamDestroy_v2", (StreamHandle stream))                                   \
  X(stream_synchronize, "cuStreamSynchronize", (StreamHandle stream))                              \
  X(event_create, "cuEventCreate", (EventHandle * event, unsigned flags))                          \
  X(event_destroy, "cuEventDestroy_v2", (EventHandle event))                                       \
  X(event_record, "cuEventRecord", (EventHandle event, StreamHandle stream))                       \
  X(event_synchronize, "cuEventSynchronize", (EventHandle event))                                  \
  X(event_elapsed_time, "cuEventElapsedTime",                                                      \
    (float* milliseconds, EventHandle start, EventHandle end))                                     \
  X(module_load_data_ex, "cuModuleLoadDataEx",                                                     \
    (ModuleHandle * module, const void* image, unsigned option_count, JitOption* options,          \
     void** option_values))                                                                        \
  X(module_unload, "cuModuleUnload", (ModuleHandle module))                                        \
  X(module_get_function, "cuModuleGetFunction",                                                    \
    (FunctionHandle * function, ModuleHandle module, const char* name))                            \
  X(function_get_attribute, "cuFuncGetAttribute",                                                  \
    (int* value, FunctionAttribute attribute, FunctionHandle function))                            \
  X(function_set_attribute, "cuFuncSetAttribute",                                                  \
    (FunctionHandle function, FunctionAttribute attribute, int value))                             \
  X(launch_kernel, "cuLaunchKernel",                                                               \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream,               \
     void** parameters, void** extra))

// The same for functions that older drivers lack; null then. The numbers of TensorType, TensorSwizzle
// and TensorFill are the driver's.
#define TILEWISE_NEWER_DRIVER_FUNCTIONS(X)                                                      \
  X(tensor_map_encode_tiled, "cuTensorMapEncodeTiled",                                          \
    (TensorMap * map, int type, unsigned rank, void* address, const std::uint64_t* dimensions,  \
     const std::uint64_t* strides, const unsigned* box, const unsigned* element_strides,        \
     int interleave, int swizzle, int l2_promotion, int fill))                                  \
  X(launch_kernel_ex, "cuLaunchKernelEx",                                                       \
    (const LaunchConfiguration* configuration, FunctionHandle function, void** parameters,      \
     void** extra))                                                                             \
  X(pool_create, "cuMemPoolCreate", (PoolHandle * pool, const PoolProperties* properties))      \
  X(pool_destroy, "cuMemPoolDestroy", (PoolHandle pool))                                        \
  X(pool_set_attribute, "cuMemPoolSetAttribute", (PoolHandle pool, int attribute, void* value)) \
  X(memory_allocate_in, "cuMemAllocFromPoolAsync",                                              \
    (DevicePointer * address, std::size_t bytes, PoolHandle pool, StreamHandle stream))         \
  X(memory_free_in, "cuMemFreeAsync", (DevicePointer address, StreamHandle stream))             \
  X(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", (int* mode))

/// The bound functions.
struct DriverApi {
#define TILEWISE_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
  TILEWISE_DRIVER_FUNCTIONS(TILEWISE_DECLARE)
  TILEWISE_NEWER_DRIVER_FUNCTIONS(TILEWISE_DECLARE)
#undef TILEWISE_DECLARE
};

/// The driver, opened and initialised once a process. Throws Error{kNoDevice} where libcuda.so.1 is
/// missing or the driver finds no GPU, Error{kDriver} when it fails otherwise.
const DriverApi& driver();

/// What a failed call throws: "cuMemAlloc_v2(64 bytes): CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
/// Code kOutOfMemory for CUDA_ERROR_OUT_OF_MEMORY, kNoDevice for CUDA_ERROR_NO_DEVICE, else kDriver.
[[noreturn]] void throw_driver_error(const DriverApi& api, Result result, std::string_view call);

/// Throws unless `result` is success. `call` is the call's text, or makes it when it is needed.
template <class Call> void check(const DriverApi& api, Result result, const Call& call) {
  if (result == Result::kSuccess) return;
  if constexpr (std::is_invocable_v<Call>) {
    throw_driver_error(api, result, call());
  } else {
    throw_driver_error(api, result, call);
  }
}

/// 13000 -> "13.0", 12080 -> "12.8": as cuDriverGetVersion counts.
std::string cuda_version_text(int version);

/// The driver's version out of /proc/driver/nvidia/version ("580.159.03"), or empty.
std::string parse_kernel_module_version(std::string_view text);

/// "driver 580.159.03, CUDA 13.0". Throws as driver() does.
std::string driver_description();

}  // namespace tilewise::device::cuda
