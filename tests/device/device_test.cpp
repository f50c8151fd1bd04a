// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every device must do the same way, on the virtual GPU always and on a real one where there is
// one; and what only one of them does.
#include "device/device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "device/virtual/virtual_device.hpp"
#include "kernels/catalogue.hpp"
#include "tilewise/error.hpp"

namespace tilewise::device {
namespace {

std::string message_of(ErrorCode code, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

class DeviceTest : public testing::TestWithParam<Choice> {
 protected:
  void SetUp() override {
    if (GetParam() == Choice::kCuda && cuda_devices().empty()) GTEST_SKIP() << cuda_status();
    device_ = open(GetParam(), "h200");
    stream_ = device_->create_stream();
  }

  // The naive rung: small, and there in every build with kernels.
  Kernel& naive() {
    const kernels::Rung& rung = kernels::find_rung("naive");
    const model::Gpu& gpu = device_->gpu();
    module_ = device_->load(kernels::find_image(rung.unit, gpu.compute_major, gpu.compute_minor));
    return module_->kernel(rung.entry);
  }
  bool no_kernels() const { return kernels::images().empty(); }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Module> module_;
};

TEST_P(DeviceTest, MakesTensorMapsAndRefusesTheSameOnes) {
  if (device_->gpu().compute_major < 9) GTEST_SKIP() << "a GPU without tensor maps";
  const Buffer buffer(*device_, 64 * 64 * 2);
  TensorMapRequest request;
  request.type = TensorType::kBf16;
  request.rank = 2;
  request.address = buffer.address();
  request.dimensions = {64, 64};
  request.strides = {128};
  request.box = {64, 8};
  request.swizzle = TensorSwizzle::k128B;
  request.l2_promotion = 256;
  const TensorMap map = device_->make_tensor_map(request);
  EXPECT_NE(map.bytes, TensorMap{}.bytes);
  request.box[0] = 65;
  EXPECT_EQ(message_of(ErrorCode::kInvalidArgument, [&] { device_->make_tensor_map(request); }),
            "tensor map: box[0] = 65 elements of bf16, 130 bytes: expected a multiple of 16 bytes");
}

TEST(TensorMaps, NeedHopper) {
  VirtualDevice device(model::find_gpu("a100"));
  EXPECT_EQ(message_of(ErrorCode::kUnsupported, [&] { device.make_tensor_map({}); }),
            "NVIDIA A100-SXM4-40GB (compute capability 8.0) has no tensor maps, they need 9.0");
}

TEST_P(DeviceTest, CopiesThereAndBack) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 5);
  const Buffer buffer(*device_, 4000);
  device_->copy_to_device(buffer.address(), numbers.data(), 4000, *stream_);
  std::vector<int> back(1000);
  device_->copy_to_host(back.data(), buffer.address(), 4000, *stream_);
  stream_->synchronize();
  EXPECT_EQ(back, numbers);
  device_->copy_to_host(back.data(), buffer.address() + 400, 40, *stream_);
  stream_->synchronize();
  EXPECT_EQ(back[0], 105);
  EXPECT_EQ(back[10], 15);
}

TEST_P(DeviceTest, FillsBytes) {
  const Buffer buffer(*device_, 64);
  device_->fill(buffer.address(), 0xFF, 64, *stream_);
  device_->fill(buffer.address() + 8, 0x11, 8, *stream_);
  std::array<unsigned char, 64> bytes{};
  device_->copy_to_host(bytes.data(), buffer.address(), 64, *stream_);
  stream_->synchronize();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(bytes[i], i / 8 == 1 ? 0x11 : 0xFF);
}

TEST_P(DeviceTest, WorksInAStreamOfSomebodyElse) {
  const InUse in_use(*device_);
  const auto adopted = device_->adopt_stream(nullptr);  // the default stream
  const Address address = device_->allocate_in(*adopted, 64);
  EXPECT_NE(address, 0u);
  device_->fill(address, 0x22, 64, *adopted);
  std::array<unsigned char, 64> bytes{};
  device_->copy_to_host(bytes.data(), address, 64, *adopted);
  adopted->synchronize();
  for (const unsigned char byte : bytes) EXPECT_EQ(byte, 0x22);
  device_->free_in(*adopted, address);
  adopted->synchronize();
}

TEST_P(DeviceTest, AllocatesNothingToo) {
  const Buffer one(*device_, 0), other(*device_, 0);
  EXPECT_NE(one.address(), other.address());
  device_->fill(one.address(), 1, 0, *stream_);
  device_->copy_to_device(one.address(), nullptr, 0, *stream_);
  device_->copy_to_host(nullptr, one.address(), 0, *stream_);
  stream_->synchronize();
}

TEST_P(DeviceTest, GivesMemoryBack) {
  const std::uint64_t before = device_->free_memory();
  constexpr std::uint64_t kBytes = 256u << 20;
  {
    const Buffer buffer(*device_, kBytes);
    EXPECT_LE(device_->free_memory(), before - kBytes);
  }
  EXPECT_EQ(device_->free_memory(), before);
}

TEST_P(DeviceTest, RefusesMoreMemoryThanThereIs) {
  const std::string message =
      message_of(ErrorCode::kOutOfMemory, [&] { device_->allocate(std::uint64_t{1} << 50); });
  EXPECT_NE(message.find("1125899906842624 bytes"), std::string::npos) << message;
  if (!device_->is_virtual()) {
    EXPECT_EQ(message,
              "cuMemAlloc_v2(1125899906842624 bytes): CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  }
}

TEST_P(DeviceTest, MeasuresTimeBetweenEvents) {
  const auto start = device_->create_event(), stop = device_->create_event();
  const Buffer buffer(*device_, 16u << 20);
  start->record(*stream_);
  device_->fill(buffer.address(), 1, buffer.bytes(), *stream_);
  stop->record(*stream_);
  stop->synchronize();
  EXPECT_GT(stop->milliseconds_since(*start), 0);
}

TEST_P(DeviceTest, RunsAKernel) {
  if (no_kernels()) GTEST_SKIP() << "built without nvcc";
  Kernel& kernel = naive();
  EXPECT_GT(kernel.attributes().registers, 0);
  EXPECT_EQ(kernel.attributes().static_shared_bytes, 0u);
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 2, 3, 4, 5, 6};  // 2×3 and 3×2
  const Buffer buffer_a(*device_, 24), buffer_b(*device_, 24), buffer_c(*device_, 16);
  device_->copy_to_device(buffer_a.address(), a.data(), 24, *stream_);
  device_->copy_to_device(buffer_b.address(), b.data(), 24, *stream_);
  const int m = 2, n = 2, k = 3;
  const float alpha = 2, beta = 0;
  const Address address_a = buffer_a.address(), address_b = buffer_b.address();
  const Address address_c = buffer_c.address();
  const std::array<const void*, 8> arguments{&m,         &n,         &k,    &alpha,
                                             &address_a, &address_b, &beta, &address_c};
  const Launch launch{.grid = {1, 1, 1}, .block = {32, 32, 1}, .arguments = arguments};
  device_->launch(kernel, launch, *stream_);
  std::vector<float> c(4);
  device_->copy_to_host(c.data(), address_c, 16, *stream_);
  stream_->synchronize();
  EXPECT_EQ(c, (std::vector<float>{44, 56, 98, 128}));
  const auto count = device_->launch_counted(kernel, launch, *stream_);
  ASSERT_EQ(count.has_value(), device_->is_virtual());
  // 2·2 elements of 3 products each.
  if (count) {
    EXPECT_EQ(count->report.counters.fma_threads, 12u);
  }
}

TEST_P(DeviceTest, NamesAKernelThatIsNotThere) {
  if (no_kernels()) GTEST_SKIP() << "built without nvcc";
  naive();
  const std::string message =
      message_of(ErrorCode::kInvalidArgument, [&] { module_->kernel("no_such_kernel"); });
  EXPECT_NE(message.find("no_such_kernel"), std::string::npos) << message;
}

TEST_P(DeviceTest, RunsAnOlderGpusImage) {
  if (no_kernels()) GTEST_SKIP() << "built without nvcc";
  const kernels::Rung& rung = kernels::find_rung("naive");
  const auto module = device_->load(kernels::find_image(rung.unit, 8, 0));  // on 9.0: its PTX
  EXPECT_GT(module->kernel(rung.entry).attributes().registers, 0);
}

TEST_P(DeviceTest, SaysWhatIsWrongWithAnImage) {
  kernels::KernelImage image;
  image.unit = "broken";
  image.arch = "sm_80";
  image.text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { frobnicate; }\n";
  const ErrorCode code = device_->is_virtual() ? ErrorCode::kUnsupported : ErrorCode::kDriver;
  const std::string message = message_of(code, [&] { device_->load(image); });
  EXPECT_NE(message.find("broken.sm_80"), std::string::npos) << message;
}

TEST_P(DeviceTest, RefusesAnImpossibleLaunch) {
  if (no_kernels()) GTEST_SKIP() << "built without nvcc";
  Kernel& kernel = naive();
  const ErrorCode code = device_->is_virtual() ? ErrorCode::kInvalidArgument : ErrorCode::kDriver;
  message_of(code, [&] {
    const int zero = 0;
    const float real = 0;
    const Address address = 0;
    const std::array<const void*, 8> arguments{&zero,    &zero,    &zero, &real,
                                               &address, &address, &real, &address};
    device_->launch(kernel, {.grid = {1, 1, 1}, .block = {2048, 1, 1}, .arguments = arguments},
                    *stream_);
  });
}

TEST_P(DeviceTest, WorksFromAnotherThread) {
  const Buffer buffer(*device_, 4);
  int value = 0;
  std::thread([&] {
    const int seven = 7;
    device_->copy_to_device(buffer.address(), &seven, 4, *stream_);
    device_->copy_to_host(&value, buffer.address(), 4, *stream_);
    stream_->synchronize();
  }).join();
  EXPECT_EQ(value, 7);
}

TEST_P(DeviceTest, RefusesAnotherDevicesObjects) {
  if (device_->is_virtual()) GTEST_SKIP() << "the virtual GPU's streams carry nothing";
  const auto other = open(Choice::kVirtual, "h200");
  const auto stream = other->create_stream();
  const Buffer buffer(*device_, 4);
  message_of(ErrorCode::kInvalidArgument, [&] { device_->fill(buffer.address(), 0, 4, *stream); });
}

INSTANTIATE_TEST_SUITE_P(Each, DeviceTest, testing::Values(Choice::kVirtual, Choice::kCuda),
                         [](const auto& test) {
                           return test.param == Choice::kCuda ? "cuda" : "virtual";
                         });

TEST(Open, PlaysTheGpuThatWasAskedFor) {
  const auto device = open(Choice::kVirtual, "a100");
  EXPECT_TRUE(device->is_virtual());
  EXPECT_EQ(device->gpu().key, "a100");
  EXPECT_EQ(device->description(),
            "virtual " + device->gpu().name + " (" + std::string(vgpu::simd_level()) + ")");
  message_of(ErrorCode::kInvalidArgument, [] { open(Choice::kVirtual, "h2000"); });
}

TEST(Open, SaysWhatIsMissingWithoutAGpu) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  const std::string message = message_of(ErrorCode::kNoDevice, [] { open(Choice::kCuda, "h200"); });
  EXPECT_TRUE(message.starts_with("no CUDA device: ")) << message;
  EXPECT_FALSE(cuda_status().empty());
  EXPECT_TRUE(open(Choice::kAuto, "h200")->is_virtual());
}

TEST(Open, PrefersARealGpu) {
  const std::vector<model::Gpu> gpus = cuda_devices();
  if (gpus.empty()) GTEST_SKIP() << cuda_status();
  const auto device = open(Choice::kAuto, "a100");
  EXPECT_FALSE(device->is_virtual());
  EXPECT_EQ(device->gpu().name, gpus[0].name);
  EXPECT_TRUE(device->description().starts_with(gpus[0].name + ", driver "));
  EXPECT_NE(device->description().find(cuda_status()), std::string::npos);
  EXPECT_GT(gpus[0].sm_count, 0);
  EXPECT_GT(gpus[0].fp32_lanes_per_sm, 0);
}

TEST(VirtualDevice, LendsThreeQuartersOfTheHostOrTheGpusMemory) {
  const model::Gpu& gpu = model::find_gpu("rtx3090");
  EXPECT_EQ(VirtualDevice(gpu, 8000).free_memory(), 6000u);
  EXPECT_EQ(VirtualDevice(gpu, std::uint64_t{1} << 60).free_memory(), gpu.memory_bytes);
  VirtualDevice small(gpu, 8000);
  EXPECT_EQ(
      message_of(ErrorCode::kOutOfMemory, [&] { small.allocate(6001); }),
      "virtual NVIDIA GeForce RTX 3090: cannot allocate 6001 bytes: 6000 of 6000 bytes are free "
      "(75% of the memory this machine has available)");
  VirtualDevice large(gpu, std::uint64_t{1} << 60);
  const std::string message =
      message_of(ErrorCode::kOutOfMemory, [&] { large.allocate(std::uint64_t{1} << 40); });
  EXPECT_TRUE(message.ends_with("(the memory of that GPU)")) << message;
}

TEST(VirtualDevice, HoldsCopiesAgainstItsAllocations) {
  VirtualDevice device(model::find_gpu("h200"));
  const auto stream = device.create_stream();
  const Buffer buffer(device, 100);
  std::array<char, 200> bytes{};
  const std::string past = message_of(ErrorCode::kInvalidArgument, [&] {
    device.copy_to_device(buffer.address() + 1, bytes.data(), 100, *stream);
  });
  EXPECT_NE(past.find("runs past the end of the allocation of 100 bytes"), std::string::npos)
      << past;
  const std::string nowhere = message_of(
      ErrorCode::kInvalidArgument, [&] { device.copy_to_host(bytes.data(), 0x10, 1, *stream); });
  EXPECT_EQ(nowhere, "source = 0x10, 1 bytes: does not point into an allocation");
  message_of(ErrorCode::kInvalidArgument, [&] { device.fill(buffer.address(), 0, 101, *stream); });
}

TEST(VirtualDevice, WantsItsOwnEventsRecorded) {
  VirtualDevice device(model::find_gpu("h200"));
  const auto start = device.create_event(), stop = device.create_event();
  message_of(ErrorCode::kInvalidArgument, [&] { stop->milliseconds_since(*start); });
}

}  // namespace
}  // namespace tilewise::device
