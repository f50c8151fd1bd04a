// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the compiler makes of Hopper's kernels, where a small change to their source can cost a fifth of their speed and
// no result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/listing.hpp"
#include "vgpu/cubin/elf.hpp"

namespace tilewise::test {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::uint64_t kProduct = 0x9F0;  // what wgmma becomes
constexpr std::uint64_t kCollect = 0x2CA;  // R2UR: from a register of each lane to one of the warp
constexpr std::uint64_t kWideProduct = 0x23F;                     // mma.sync of f64: DMMA
constexpr std::uint64_t kLoadLocal = 0x983, kStoreLocal = 0x387;  // of registers that were spilled

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

// `see(opcodes, name)` of every kernel of the units that `is_meant` takes. Skips the test where there are none, or if another
// compiler has built them.
template <class IsMeant, class See> void each_kernel(const IsMeant& is_meant, const See& see) {
  int kernels = 0;
  for (const kernels::KernelImage& image : kernels::gemm_images()) {
    if (!is_meant(image)) continue;
    const kernels::Listing listing = kernels::listing_of(image);
    if (listing.ptx.find("release 13.0,") == std::string::npos)
      GTEST_SKIP() << "knows the opcodes of nvcc 13.0";
    const vgpu::ElfFile file(listing.cubin, std::string(image.unit));
    for (const vgpu::ElfSection& section : file.sections()) {
      if (!section.name.starts_with(".text.")) continue;
      ++kernels;
      see(opcodes_of(section), section.name);
    }
  }
  if (kernels == 0) GTEST_SKIP() << "built without nvcc";
}

// A stage of 64 k is four products, which differ by an address each. Where the compiler takes the lanes of a warp for
// apart, it keeps these in registers of each lane and collects them before every product: 15 to 20 % of the speed of
// tiles of 64 columns, when a condition around an exchange between lanes did that.
TEST(MachineCode, NothingIsCollectedBetweenProductsOfAStage) {
  constexpr std::size_t kProductsOfAStage = 4;
  each_kernel(is_16_bit_tile, [](const std::vector<std::uint64_t>& opcodes, std::string_view name) {
    std::size_t products = 0, collected = 0;
    for (const std::uint64_t opcode : opcodes) {
      if (opcode == kProduct) ++products;
      collected += opcode == kCollect && products % kProductsOfAStage != 0;
    }
    EXPECT_GT(products, 0u) << name;
    EXPECT_EQ(products % kProductsOfAStage, 0u) << name;
    EXPECT_EQ(collected, 0u) << name;
  });
}

bool is_wide_tile(const kernels::KernelImage& image) {
  return image.arch == "sm_90a" && image.unit.starts_with("hopper_f64_") &&
         !image.unit.starts_with("hopper_f64_small");
}

// Operands and sums fill the registers of f64 tiles. What a warp has to fetch from local memory in its loop it waits for
// while it should multiply.
TEST(MachineCode, LoopsOfF64TilesSpillNothing) {
  each_kernel(is_wide_tile, [](const std::vector<std::uint64_t>& opcodes, std::string_view name) {
    const auto first = std::find(opcodes.begin(), opcodes.end(), kWideProduct);
    const auto last = std::find(opcodes.rbegin(), opcodes.rend(), kWideProduct).base();
    ASSERT_LT(first, last) << name;
    EXPECT_EQ(std::count(first, last, kLoadLocal), 0) << name;
    EXPECT_EQ(std::count(first, last, kStoreLocal), 0) << name;
  });
}

}  // namespace
}  // namespace tilewise::test
