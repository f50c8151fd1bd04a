// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"
#include "device/virtual/virtual_device.hpp"

namespace tilewise::device {
namespace {

std::unique_ptr<Device> open_virtual(std::string_view gpu) {
  return std::make_unique<VirtualDevice>(model::find_gpu(gpu));
}

}  // namespace

std::unique_ptr<Device> open(Choice choice, std::string_view gpu) {
  if (choice == Choice::kVirtual) return open_virtual(gpu);
  if (choice == Choice::kCuda) return open_cuda(0);
  return cuda_devices().empty() ? open_virtual(gpu) : open_cuda(0);
}

}  // namespace tilewise::device
