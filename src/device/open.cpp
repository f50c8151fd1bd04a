// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/facts.hpp"
#include "device/device.hpp"
#include "device/virtual/virtual_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::device {
namespace {

std::unique_ptr<Device> open_cuda() {
  try {
    return std::make_unique<cuda::CudaDevice>(0);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNoDevice) throw;
    throw Error(ErrorCode::kNoDevice, fmt::format("no CUDA device: {}", error.what()));
  }
}

std::unique_ptr<Device> open_virtual(std::string_view gpu) {
  return std::make_unique<VirtualDevice>(model::find_gpu(gpu));
}

}  // namespace

std::unique_ptr<Device> open(Choice choice, std::string_view gpu) {
  if (choice == Choice::kVirtual) return open_virtual(gpu);
  if (choice == Choice::kCuda) return open_cuda();
  return cuda_devices().empty() ? open_virtual(gpu) : open_cuda();
}

void require_tensor_maps(const model::Gpu& gpu) {
  if (gpu.compute_major >= 9) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{} (compute capability {}.{}) has no tensor maps, they need 9.0",
                          gpu.name, gpu.compute_major, gpu.compute_minor));
}

std::vector<model::Gpu> cuda_devices() {
  std::vector<model::Gpu> gpus;
  try {
    const cuda::DriverApi& api = cuda::driver();
    for (int ordinal = 0; ordinal < cuda::device_count(api); ++ordinal) {
      cuda::DeviceOrdinal device = 0;
      cuda::check(api, api.device_get(&device, ordinal),
                  [&] { return fmt::format("cuDeviceGet({})", ordinal); });
      gpus.push_back(cuda::describe(api, device));
    }
  } catch (const Error&) {  // cuda_status() says why
    gpus.clear();
  }
  return gpus;
}

std::string cuda_status() {
  try {
    const std::string description = cuda::driver_description();
    return cuda::device_count(cuda::driver()) > 0 ? description : description + ", but no GPU";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace tilewise::device
