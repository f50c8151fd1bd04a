// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "real_gpu.hpp"

#include <fmt/format.h>

#include <memory>

#include "device/device.hpp"

namespace tilewise::vgpu {
namespace {

// Opened once: a context takes longer than all kernels together. Null below compute capability 9.0.
device::Device* real_gpu() {
  static const std::unique_ptr<device::Device> gpu = [] {
    std::unique_ptr<device::Device> opened;
    if (!device::cuda_devices().empty()) opened = device::open(device::Choice::kCuda, "h200");
    if (opened && opened->gpu().compute_major != 9) opened.reset();
    return opened;
  }();
  return gpu.get();
}

// The same text for the target that has wgmma, setmaxnreg and tensormap.replace.
std::string for_sm_90a(std::string ptx) {
  const std::string target = ".target sm_90\n";
  const std::size_t at = ptx.find(target);
  if (at != std::string::npos) ptx.replace(at, target.size(), ".target sm_90a\n");
  return ptx;
}

}  // namespace

std::string text_of(const Where& where) {
  if (where.is_real) return "on " + real_gpu()->description();
  switch (where.async_order) {
    case AsyncOrder::kEarliest: return "earliest";
    case AsyncOrder::kSoon: return "soon";
    case AsyncOrder::kLatest: return "latest";
    case AsyncOrder::kRandom: break;
  }
  return fmt::format("random:{}", where.async_seed);
}

std::vector<Where> and_real_gpu(std::vector<Where> places) {
  if (real_gpu()) places.emplace_back().is_real = true;
  return places;
}

std::vector<Where> every_order() {
  std::vector<Where> all(11);
  all[1].async_order = AsyncOrder::kSoon;
  all[2].async_order = AsyncOrder::kLatest;
  for (std::size_t i = 3; i < all.size(); ++i) {
    all[i].async_order = AsyncOrder::kRandom;
    all[i].async_seed = i - 2;
  }
  return all;
}

std::vector<Where> everywhere() { return and_real_gpu(every_order()); }

std::vector<Where> on_both() { return and_real_gpu({Where()}); }

std::vector<std::uint32_t> run_on_real_gpu(const RealLaunch& launch,
                                           std::vector<std::uint32_t> words) {
  device::Device& gpu = *real_gpu();
  const std::uint64_t bytes = words.size() * sizeof words[0];
  const device::Buffer buffer(gpu, bytes);
  const auto stream = gpu.create_stream();
  gpu.copy_to_device(buffer.address(), words.data(), bytes, *stream);
  const device::Address address = buffer.address();
  std::vector<const void*> arguments{&address};
  TensorMap map;
  if (launch.map) {
    TensorMapRequest request = *launch.map;
    request.address += address;
    map = gpu.make_tensor_map(request);
    arguments.push_back(&map);
  }
  // No machine code: the driver compiles the PTX, which a device loads from images of sm_80 only.
  const std::string ptx = for_sm_90a(launch.ptx);
  const auto module = gpu.load(kernels::KernelImage{.unit = "test", .arch = "sm_80", .text = ptx});
  gpu.launch(module->kernel(launch.kernel),
             {launch.grid, launch.block, launch.dynamic_shared_bytes, arguments, launch.cluster},
             *stream);
  gpu.copy_to_host(words.data(), address, bytes, *stream);
  stream->synchronize();
  return words;
}

}  // namespace tilewise::vgpu
