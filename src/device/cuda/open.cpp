// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/phrase.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/facts.hpp"
#include "device/device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::device {

std::unique_ptr<Device> open_cuda(int ordinal) {
  try {
    return std::make_unique<cuda::CudaDevice>(ordinal);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNoDevice) throw;
    throw Error(ErrorCode::kNoDevice, phrase("no CUDA device: {}", error.what()));
  }
}

std::unique_ptr<Stream> Device::adopt_stream(void*) {
  throw Error(ErrorCode::kUnsupported, phrase("{} has no foreign streams", description()));
}

// Devices without a driver of their own go by the rules.
bool Device::accepts_tensor_map(const TensorMapRequest& request) {
  require_tensor_maps(gpu());
  return is_accepted(request);
}

void require_tensor_maps(const model::Gpu& gpu) {
  if (gpu.compute_major >= 9) return;
  throw Error(ErrorCode::kUnsupported,
              phrase("{} (compute capability {}.{}) has no tensor maps, they need 9.0", gpu.name,
                     gpu.compute_major, gpu.compute_minor));
}

std::vector<model::Gpu> cuda_devices() {
  std::vector<model::Gpu> gpus;
  try {
    const cuda::DriverApi& api = cuda::driver();
    for (int ordinal = 0; ordinal < cuda::device_count(api); ++ordinal) {
      cuda::DeviceOrdinal device = 0;
      cuda::check(api, api.device_get(&device, ordinal),
                  [&] { return phrase("cuDeviceGet({})", ordinal); });
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
