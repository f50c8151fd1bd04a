// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Holds the driver's interface as Tilewise declares it against the toolkit's cuda.h, where there is
// one: the names with their versions, the numbers, and the shapes of the functions.
#include "device/cuda/driver_api.hpp"

#include <gtest/gtest.h>

#include <string>

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

namespace tilewise::device::cuda {
namespace {

std::string message_of(Result result, std::string_view call, ErrorCode code) {
  DriverApi api;
  api.get_error_name = [](Result failed, const char** name) {
    *name = failed == Result::kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
    return failed == Result::kOutOfMemory ? Result::kSuccess : Result{1};
  };
  api.get_error_string = [](Result failed, const char** text) {
    *text = failed == Result::kOutOfMemory ? "out of memory" : nullptr;
    return failed == Result::kOutOfMemory ? Result::kSuccess : Result{1};
  };
  try {
    throw_driver_error(api, result, call);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
}

TEST(DriverError, NamesTheCallTheCodeAndTheDriversWords) {
  EXPECT_EQ(
      message_of(Result::kOutOfMemory, "cuMemAlloc_v2(68719476736 bytes)", ErrorCode::kOutOfMemory),
      "cuMemAlloc_v2(68719476736 bytes): CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_EQ(message_of(Result{12345}, "cuInit(0)", ErrorCode::kDriver),
            "cuInit(0): unknown error (no description)");
}

TEST(DriverError, IsThrownForFailuresOnlyAndMakesItsTextLate) {
  const DriverApi api{};
  bool made = false;
  check(api, Result::kSuccess, [&] {
    made = true;
    return std::string("call");
  });
  EXPECT_FALSE(made);
}

TEST(DriverVersion, IsWrittenAsPeopleDo) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12080), "12.8");
  EXPECT_EQ(cuda_version_text(11040), "11.4");
}

TEST(DriverVersion, IsFoundInTheKernelModulesText) {
  EXPECT_EQ(
      parse_kernel_module_version(
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release Build  "
          "(dvs-builder@U22-I3)  Tue\nGCC version:  gcc version 12.3.0"),
      "580.159.03");
  EXPECT_EQ(parse_kernel_module_version(
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun 6 22:20:39"),
            "535.54.03");
  EXPECT_EQ(parse_kernel_module_version(""), "");
  EXPECT_EQ(parse_kernel_module_version("NVRM version: none"), "");
  EXPECT_EQ(parse_kernel_module_version("GCC version: 12.3.0"), "");
}

#if __has_include(<cuda.h>)

#define TILEWISE_TEXT(name) #name
// cuda.h renames its functions to their current versions with macros: expanded first, then spelled.
#define TILEWISE_EXPANDED_TEXT(name) TILEWISE_TEXT(name)

template <class... Ours, class... Theirs>
constexpr bool same_shape(Result (*)(Ours...), CUresult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return ((sizeof(Ours) == sizeof(Theirs) &&
             std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...);
  }
}

#define TILEWISE_EXPECT_FUNCTION(member, function)                                              \
  static_assert(same_shape(decltype(DriverApi::member){}, decltype(&::function){}), #function); \
  EXPECT_EQ(std::string(symbols.member), TILEWISE_EXPANDED_TEXT(function))

TEST(DriverApi, HasTheStructuresOfTheToolkitsHeader) {
  static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
  static_assert(alignof(LaunchAttribute) == alignof(CUlaunchAttribute));
  static_assert(offsetof(LaunchAttribute, bytes) == offsetof(CUlaunchAttribute, value));
  static_assert(int(LaunchAttributeId::kClusterDimension) ==
                int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
  static_assert(int(LaunchAttributeId::kProgrammaticStreamSerialization) ==
                int(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION));
  static_assert(sizeof(LaunchConfiguration) == sizeof(CUlaunchConfig));
  static_assert(offsetof(LaunchConfiguration, stream) == offsetof(CUlaunchConfig, hStream));
  static_assert(offsetof(LaunchConfiguration, attribute_count) ==
                offsetof(CUlaunchConfig, numAttrs));
  static_assert(sizeof(PoolProperties) == sizeof(CUmemPoolProps));
  static_assert(offsetof(PoolProperties, location_id) ==
                offsetof(CUmemPoolProps, location) + offsetof(CUmemLocation, id));
  static_assert(offsetof(PoolProperties, most_bytes) == offsetof(CUmemPoolProps, maxSize));
  static_assert(offsetof(PoolProperties, usage) == offsetof(CUmemPoolProps, usage));
  EXPECT_EQ(PoolProperties().allocation_type, int{CU_MEM_ALLOCATION_TYPE_PINNED});
  EXPECT_EQ(PoolProperties().location_type, int{CU_MEM_LOCATION_TYPE_DEVICE});
  EXPECT_EQ(kPoolReleaseThreshold, int{CU_MEMPOOL_ATTR_RELEASE_THRESHOLD});
  EXPECT_EQ(kCaptureRelaxed, int{CU_STREAM_CAPTURE_MODE_RELAXED});
}

TEST(DriverApi, HasTheNamesAndShapesOfTheToolkitsHeader) {
  constexpr struct {
#define TILEWISE_SYMBOL(member, symbol, parameters) const char* member = symbol;
    TILEWISE_DRIVER_FUNCTIONS(TILEWISE_SYMBOL)
#undef TILEWISE_SYMBOL
  } symbols;
  TILEWISE_EXPECT_FUNCTION(init, cuInit);
  TILEWISE_EXPECT_FUNCTION(driver_get_version, cuDriverGetVersion);
  TILEWISE_EXPECT_FUNCTION(get_error_name, cuGetErrorName);
  TILEWISE_EXPECT_FUNCTION(get_error_string, cuGetErrorString);
  TILEWISE_EXPECT_FUNCTION(device_get_count, cuDeviceGetCount);
  TILEWISE_EXPECT_FUNCTION(device_get, cuDeviceGet);
  TILEWISE_EXPECT_FUNCTION(device_get_name, cuDeviceGetName);
  TILEWISE_EXPECT_FUNCTION(device_get_attribute, cuDeviceGetAttribute);
  TILEWISE_EXPECT_FUNCTION(device_total_memory, cuDeviceTotalMem);
  TILEWISE_EXPECT_FUNCTION(primary_context_retain, cuDevicePrimaryCtxRetain);
  TILEWISE_EXPECT_FUNCTION(primary_context_release, cuDevicePrimaryCtxRelease);
  TILEWISE_EXPECT_FUNCTION(context_set_current, cuCtxSetCurrent);
  TILEWISE_EXPECT_FUNCTION(context_push_current, cuCtxPushCurrent);
  TILEWISE_EXPECT_FUNCTION(context_pop_current, cuCtxPopCurrent);
  TILEWISE_EXPECT_FUNCTION(memory_get_info, cuMemGetInfo);
  TILEWISE_EXPECT_FUNCTION(memory_allocate, cuMemAlloc);
  TILEWISE_EXPECT_FUNCTION(memory_free, cuMemFree);
  TILEWISE_EXPECT_FUNCTION(copy_to_device_async, cuMemcpyHtoDAsync);
  TILEWISE_EXPECT_FUNCTION(copy_to_host_async, cuMemcpyDtoHAsync);
  TILEWISE_EXPECT_FUNCTION(fill_async, cuMemsetD8Async);
  TILEWISE_EXPECT_FUNCTION(stream_create, cuStreamCreate);
  TILEWISE_EXPECT_FUNCTION(stream_destroy, cuStreamDestroy);
  TILEWISE_EXPECT_FUNCTION(stream_synchronize, cuStreamSynchronize);
  TILEWISE_EXPECT_FUNCTION(event_create, cuEventCreate);
  TILEWISE_EXPECT_FUNCTION(event_destroy, cuEventDestroy);
  TILEWISE_EXPECT_FUNCTION(event_record, cuEventRecord);
  TILEWISE_EXPECT_FUNCTION(event_synchronize, cuEventSynchronize);
  TILEWISE_EXPECT_FUNCTION(module_load_data_ex, cuModuleLoadDataEx);
  TILEWISE_EXPECT_FUNCTION(module_unload, cuModuleUnload);
  TILEWISE_EXPECT_FUNCTION(module_get_function, cuModuleGetFunction);
  TILEWISE_EXPECT_FUNCTION(function_get_attribute, cuFuncGetAttribute);
  TILEWISE_EXPECT_FUNCTION(function_set_attribute, cuFuncSetAttribute);
  TILEWISE_EXPECT_FUNCTION(launch_kernel, cuLaunchKernel);
  constexpr struct {
#define TILEWISE_SYMBOL(member, symbol, parameters) const char* member = symbol;
    TILEWISE_NEWER_DRIVER_FUNCTIONS(TILEWISE_SYMBOL)
#undef TILEWISE_SYMBOL
  } newer;
#define TILEWISE_EXPECT_NEWER(member, function)                                      \
  static_assert(same_shape(decltype(DriverApi::member){}, decltype(&::function){})); \
  EXPECT_EQ(std::string(newer.member), TILEWISE_EXPANDED_TEXT(function))
  TILEWISE_EXPECT_NEWER(tensor_map_encode_tiled, cuTensorMapEncodeTiled);
  TILEWISE_EXPECT_NEWER(launch_kernel_ex, cuLaunchKernelEx);
  TILEWISE_EXPECT_NEWER(pool_create, cuMemPoolCreate);
  TILEWISE_EXPECT_NEWER(pool_destroy, cuMemPoolDestroy);
  TILEWISE_EXPECT_NEWER(pool_set_attribute, cuMemPoolSetAttribute);
  TILEWISE_EXPECT_NEWER(memory_allocate_in, cuMemAllocFromPoolAsync);
  TILEWISE_EXPECT_NEWER(memory_free_in, cuMemFreeAsync);
  TILEWISE_EXPECT_NEWER(exchange_capture_mode, cuThreadExchangeStreamCaptureMode);
  // Bound under its first name and, where the driver has it, under its second: the same shape.
  static_assert(
      same_shape(decltype(DriverApi::event_elapsed_time){}, decltype(&::cuEventElapsedTime){}));
}

#define TILEWISE_EXPECT_NUMBER(ours, theirs) \
  EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs)) << #theirs

TEST(DriverApi, HasTheNumbersOfTheToolkitsHeader) {
  TILEWISE_EXPECT_NUMBER(Result::kSuccess, CUDA_SUCCESS);
  TILEWISE_EXPECT_NUMBER(Result::kInvalidValue, CUDA_ERROR_INVALID_VALUE);
  TILEWISE_EXPECT_NUMBER(Result::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  TILEWISE_EXPECT_NUMBER(Result::kNoDevice, CUDA_ERROR_NO_DEVICE);
  TILEWISE_EXPECT_NUMBER(Result::kNotFound, CUDA_ERROR_NOT_FOUND);
  TILEWISE_EXPECT_NUMBER(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  TILEWISE_EXPECT_NUMBER(JitOption::kErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  TILEWISE_EXPECT_NUMBER(JitOption::kErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  TILEWISE_EXPECT_NUMBER(TensorType::kU8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
  TILEWISE_EXPECT_NUMBER(TensorType::kU16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
  TILEWISE_EXPECT_NUMBER(TensorType::kU32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
  TILEWISE_EXPECT_NUMBER(TensorType::kS32, CU_TENSOR_MAP_DATA_TYPE_INT32);
  TILEWISE_EXPECT_NUMBER(TensorType::kU64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
  TILEWISE_EXPECT_NUMBER(TensorType::kS64, CU_TENSOR_MAP_DATA_TYPE_INT64);
  TILEWISE_EXPECT_NUMBER(TensorType::kF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  TILEWISE_EXPECT_NUMBER(TensorType::kF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  TILEWISE_EXPECT_NUMBER(TensorType::kF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  TILEWISE_EXPECT_NUMBER(TensorType::kBf16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  TILEWISE_EXPECT_NUMBER(TensorType::kF32Ftz, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
  TILEWISE_EXPECT_NUMBER(TensorType::kTf32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
  TILEWISE_EXPECT_NUMBER(TensorType::kTf32Ftz, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
  TILEWISE_EXPECT_NUMBER(TensorSwizzle::kNone, CU_TENSOR_MAP_SWIZZLE_NONE);
  TILEWISE_EXPECT_NUMBER(TensorSwizzle::k32B, CU_TENSOR_MAP_SWIZZLE_32B);
  TILEWISE_EXPECT_NUMBER(TensorSwizzle::k64B, CU_TENSOR_MAP_SWIZZLE_64B);
  TILEWISE_EXPECT_NUMBER(TensorSwizzle::k128B, CU_TENSOR_MAP_SWIZZLE_128B);
  TILEWISE_EXPECT_NUMBER(TensorFill::kZero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  TILEWISE_EXPECT_NUMBER(TensorFill::kNan, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  using F = FunctionAttribute;
  TILEWISE_EXPECT_NUMBER(F::kSharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  TILEWISE_EXPECT_NUMBER(F::kLocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  TILEWISE_EXPECT_NUMBER(F::kNumRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
  TILEWISE_EXPECT_NUMBER(F::kMaxDynamicSharedSizeBytes,
                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
}

#define TILEWISE_EXPECT_ATTRIBUTE(ours, theirs) \
  TILEWISE_EXPECT_NUMBER(DeviceAttribute::ours, CU_DEVICE_ATTRIBUTE_##theirs)

TEST(DriverApi, HasTheDeviceAttributesOfTheToolkitsHeader) {
  TILEWISE_EXPECT_ATTRIBUTE(kMaxThreadsPerBlock, MAX_THREADS_PER_BLOCK);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxBlockDimX, MAX_BLOCK_DIM_X);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxBlockDimY, MAX_BLOCK_DIM_Y);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxBlockDimZ, MAX_BLOCK_DIM_Z);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxGridDimX, MAX_GRID_DIM_X);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxGridDimY, MAX_GRID_DIM_Y);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxGridDimZ, MAX_GRID_DIM_Z);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxSharedMemoryPerBlock, MAX_SHARED_MEMORY_PER_BLOCK);
  TILEWISE_EXPECT_ATTRIBUTE(kTotalConstantMemory, TOTAL_CONSTANT_MEMORY);
  TILEWISE_EXPECT_ATTRIBUTE(kWarpSize, WARP_SIZE);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxRegistersPerBlock, MAX_REGISTERS_PER_BLOCK);
  TILEWISE_EXPECT_ATTRIBUTE(kClockRate, CLOCK_RATE);
  TILEWISE_EXPECT_ATTRIBUTE(kMultiprocessorCount, MULTIPROCESSOR_COUNT);
  TILEWISE_EXPECT_ATTRIBUTE(kMemoryClockRate, MEMORY_CLOCK_RATE);
  TILEWISE_EXPECT_ATTRIBUTE(kGlobalMemoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH);
  TILEWISE_EXPECT_ATTRIBUTE(kL2CacheSize, L2_CACHE_SIZE);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxThreadsPerMultiprocessor, MAX_THREADS_PER_MULTIPROCESSOR);
  TILEWISE_EXPECT_ATTRIBUTE(kComputeCapabilityMajor, COMPUTE_CAPABILITY_MAJOR);
  TILEWISE_EXPECT_ATTRIBUTE(kComputeCapabilityMinor, COMPUTE_CAPABILITY_MINOR);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxSharedMemoryPerMultiprocessor,
                            MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxRegistersPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxSharedMemoryPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  TILEWISE_EXPECT_ATTRIBUTE(kMaxBlocksPerMultiprocessor, MAX_BLOCKS_PER_MULTIPROCESSOR);
  TILEWISE_EXPECT_ATTRIBUTE(kReservedSharedMemoryPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK);
}

#endif

}  // namespace
}  // namespace tilewise::device::cuda
