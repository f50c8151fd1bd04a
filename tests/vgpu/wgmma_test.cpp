// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where wgmma finds its operands: what golden files cannot show (golden_tma_test.cpp has those).
#include "vgpu/exec/wgmma.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilewise::vgpu {
namespace {

TEST(MatrixDescriptor, HasItsFieldsWhereThePtxIsaPutsThem) {
  const MatrixDescriptor d(std::uint64_t{0x3FFF} | std::uint64_t{0x12} << 16 |
                           std::uint64_t{0x345} << 32 | std::uint64_t{5} << 49 |
                           std::uint64_t{2} << 62);
  EXPECT_EQ(d.start, 0x3FFF0u);
  EXPECT_EQ(d.leading, 0x120u);
  EXPECT_EQ(d.stride, 0x3450u);
  EXPECT_EQ(d.base_offset, 5u);
  EXPECT_EQ(d.swizzle, TensorSwizzle::k64B);
  EXPECT_EQ(MatrixDescriptor(std::uint64_t{1} << 62).swizzle, TensorSwizzle::k128B);
  EXPECT_EQ(MatrixDescriptor(std::uint64_t{3} << 62).swizzle, TensorSwizzle::k32B);
}

TEST(MatrixDescriptor, SaysWhichAddressLiesOutside) {
  // Two groups of eight rows, 256 bytes apart, both halves of k 128 bytes apart.
  const MatrixDescriptor d(std::uint64_t{128 / 16} << 16 | std::uint64_t{256 / 16} << 32);
  std::vector<std::byte> shared(511), rows(16 * kDepthBytes);
  EXPECT_EQ(gather(d, MatrixMajor::kK, 0, 16, shared, rows.data()), 496u);
  shared.resize(512);
  EXPECT_FALSE(gather(d, MatrixMajor::kK, 0, 16, shared, rows.data()));
}

}  // namespace
}  // namespace tilewise::vgpu
