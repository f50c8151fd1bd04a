// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the compiler makes of Hopper's kernels, where a small change to their source can cost a fifth of their speed and
// no result.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/images.hpp"
#include "vgpu/cubin/elf.hpp"

namespace tilewise::test {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::uint64_t kProduct = 0x9F0;  // what wgmma becomes
constexpr std::uint64_t kCollect = 0x2CA;  // R2UR: from a register of each lane to one of the warp

std::vector<std::uint64_t> opcodes_of(const vgpu::ElfSection& code) {
  std::vector<std::uint64_t> opcodes(code.contents.size() / kInstructionBytes);
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    std::memcpy(&opcodes[i], code.contents.data() + i * kInstructionBytes, sizeof opcodes[i]);
    opcodes[i] &= 0xFFF;
  }
  return opcodes;
}

bool is_16_bit_tile(const kernels::KernelImage& image) {
  return image.arch == "sm_90a" &&
         (image.unit.starts_with("warpgroup_bf16_") || image.unit.starts_with("warpgroup_f16_"));
}

// A stage of 64 k is four products, which differ by an address each. Where the compiler takes the lanes of a warp for
// apart, it keeps these in registers of each lane and collects them before every product: 15 to 20 % of the speed of
// tiles of 64 columns, when a condition around an exchange between lanes did that.
TEST(MachineCode, NothingIsCollectedBetweenProductsOfAStage) {
  constexpr std::size_t kProductsOfAStage = 4;
  int kernels = 0;
  for (const kernels::KernelImage& image : kernels::gemm_images()) {
    if (!is_16_bit_tile(image)) continue;
    if (image.ptx.find("release 13.0,") == std::string_view::npos)
      GTEST_SKIP() << "knows the opcodes of nvcc 13.0";
    const vgpu::ElfFile file(image.cubin, std::string(image.unit));
    for (const vgpu::ElfSection& section : file.sections()) {
      if (!section.name.starts_with(".text.")) continue;
      ++kernels;
      std::size_t products = 0, collected = 0;
      for (const std::uint64_t opcode : opcodes_of(section)) {
        if (opcode == kProduct) ++products;
        collected += opcode == kCollect && products % kProductsOfAStage != 0;
      }
      EXPECT_GT(products, 0u) << section.name;
      EXPECT_EQ(products % kProductsOfAStage, 0u) << section.name;
      EXPECT_EQ(collected, 0u) << section.name;
    }
  }
  if (kernels == 0) GTEST_SKIP() << "built without nvcc";
}

}  // namespace
}  // namespace tilewise::test
