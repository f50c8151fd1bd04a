// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs every file of opcodes/ on the virtual GPU and, where there is one, on a real GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "device/device.hpp"
#include "opcode_file.hpp"
#include "tilewise/error.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {
namespace {

std::vector<std::filesystem::path> opcode_paths() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder = std::string(TILEWISE_TESTS_DIR) + "/vgpu/opcodes";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

/// The output buffer after a run on the virtual GPU.
std::vector<std::byte> run_virtual(const OpcodeFile& file, bool count) {
  const std::vector<std::byte> input = file.input_bytes();
  Memory memory(1 << 20);
  const std::uint64_t in = memory.allocate(input.size()), out = memory.allocate(file.output_size());
  std::copy(input.begin(), input.end(), reinterpret_cast<std::byte*>(in));
  std::memset(reinterpret_cast<void*>(out), kUnwritten, file.output_size());

  const Module module(file.ptx, file.name + ".ptx");
  const void* const arguments[] = {&out, &in};
  LaunchOptions options;
  options.count = count;
  module.launch("test", model::find_gpu("h200"), memory, file.blocks, file.threads,
                file.dynamic_shared_bytes, arguments, options);

  std::vector<std::byte> output(file.output_size());
  std::memcpy(output.data(), reinterpret_cast<const void*>(out), output.size());
  return output;
}

std::vector<std::byte> run_on(device::Device& device, const OpcodeFile& file) {
  const std::vector<std::byte> input = file.input_bytes();
  device::Buffer in(device, std::max<std::size_t>(input.size(), 1));
  device::Buffer out(device, file.output_size());
  const auto stream = device.create_stream();
  device.copy_to_device(in.address(), input.data(), input.size(), *stream);
  device.fill(out.address(), kUnwritten, out.bytes(), *stream);

  // No machine code: the driver compiles the PTX, which a device loads from images of sm_80 only.
  const kernels::KernelImage image{.unit = file.name, .arch = "sm_80", .text = file.ptx};
  const auto module = device.load(image);
  const device::Address addresses[] = {out.address(), in.address()};
  const void* const arguments[] = {&addresses[0], &addresses[1]};
  device.launch(module->kernel("test"),
                {file.blocks, file.threads, file.dynamic_shared_bytes, arguments}, *stream);

  std::vector<std::byte> output(file.output_size());
  device.copy_to_host(output.data(), out.address(), output.size(), *stream);
  stream->synchronize();
  return output;
}

void expect_no_mismatch(const OpcodeFile& file, const std::vector<std::byte>& output) {
  for (const std::string& line : file.mismatches(output)) ADD_FAILURE() << line;
}

class Opcode : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Opcode, OnTheVirtualGpu) {
  const OpcodeFile file = read_opcode_file(GetParam());
  expect_no_mismatch(file, run_virtual(file, false));
}

TEST_P(Opcode, OnTheVirtualGpuWithCounters) {
  const OpcodeFile file = read_opcode_file(GetParam());
  expect_no_mismatch(file, run_virtual(file, true));
}

INSTANTIATE_TEST_SUITE_P(Files, Opcode, testing::ValuesIn(opcode_paths()),
                         [](const auto& file) { return file.param.stem().string(); });

// One test for all files: a context on a real GPU takes longer than all of them.
TEST(OpcodeFiles, OnARealGpu) {
  if (device::cuda_devices().empty()) GTEST_SKIP() << device::cuda_status();
  const auto device = device::open(device::Choice::kCuda, "h200");
  const int capability = 10 * device->gpu().compute_major + device->gpu().compute_minor;
  for (const std::filesystem::path& path : opcode_paths()) {
    const OpcodeFile file = read_opcode_file(path);
    if (file.capability > capability) continue;
    SCOPED_TRACE(file.name);
    try {
      expect_no_mismatch(file, run_on(*device, file));
    } catch (const Error& error) {
      ADD_FAILURE() << file.name << ": " << error.what();
    }
  }
}

TEST(OpcodeFiles, AreAllThere) { EXPECT_GE(opcode_paths().size(), 150u); }

// The tests are worth nothing if a wrong output passes: flip each bit of each element once.
TEST(OpcodeFiles, WrongOutputsAreNoticed) {
  for (const char* name : {"add", "fma_f32", "cvt_float", "vector_8"}) {
    const OpcodeFile file =
        read_opcode_file(std::string(TILEWISE_TESTS_DIR) + "/vgpu/opcodes/" + name + ".ptx");
    std::size_t noticed = 0, tried = 0;
    for (const OpcodeArray& array : file.outputs) {
      for (std::size_t i = 0; i < array.bits.size(); ++i) {
        EXPECT_EQ(array.any_nan[i] ? "" : array.mismatch(i, array.bits[i]), "");
        for (std::size_t bit = 0; bit < 8 * array.element_bytes(); ++bit, ++tried) {
          noticed += array.mismatch(i, array.bits[i] ^ (std::uint64_t{1} << bit)).empty() ? 0 : 1;
        }
      }
    }
    EXPECT_GT(tried, 500u);
    EXPECT_EQ(noticed, tried) << name;
  }
}

TEST(OpcodeFiles, ToleranceIsRelativeOrAbsolute) {
  OpcodeArray array;
  array.kind = "f32";
  array.bits = {0x40000000, 0x7F800000, 0};  // 2, infinity, any NaN
  array.any_nan = {false, false, true};
  array.tolerance = OpcodeArray::Tolerance::kRelative;
  array.bound = 1e-6;
  EXPECT_EQ(array.mismatch(0, 0x40000004), "");  // 2 + 9.5e-7
  EXPECT_NE(array.mismatch(0, 0x4000000A), "");  // 2 + 2.4e-6
  EXPECT_NE(array.mismatch(0, 0x7FC00000), "");
  EXPECT_NE(array.mismatch(1, 0x7F7FFFFF), "");
  EXPECT_EQ(array.mismatch(2, 0x7FC00000), "");
  EXPECT_NE(array.mismatch(2, 0x7F800000), "");
  array.tolerance = OpcodeArray::Tolerance::kAbsolute;
  EXPECT_EQ(array.mismatch(0, 0x40000004), "");
  EXPECT_NE(array.mismatch(0, 0x40000005), "");
}

}  // namespace
}  // namespace tilewise::vgpu
