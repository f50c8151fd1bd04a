// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/golden_mma.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"

namespace tilewise::vgpu {
namespace {

namespace fs = std::filesystem;
const fs::path kGolden = fs::path(TILEWISE_TESTS_DIR) / "golden";

TEST(GoldenMma, EveryBitOfEveryRecordOfTheH200) {
  const std::vector<fs::path> files = find_mma_files(kGolden);
  EXPECT_GE(files.size(), 30u);
  for (const fs::path& file : files) {
    const GoldenRecords result = check_mma_file(file);
    EXPECT_GE(result.records, 30) << file;
    EXPECT_EQ(result.matches, result.records) << file;
    for (const std::string& mismatch : result.first_mismatches)
      ADD_FAILURE() << file << ": " << mismatch;
  }
}

TEST(TensorCore, NumericsDifferInFractionBitsAndDepth) {
  // f16, k = 16: a[0]·b[0] = 1, a[1]·b[1] = -1, and one term of 2^-25 at `place`.
  const auto sum = [](Numerics numerics, int place) {
    MatrixProduct p;
    p.m = 1, p.n = 1;
    std::uint32_t a[16] = {0x3C00, 0xBC00}, b[16] = {0x3C00, 0x3C00}, c = 0, d = 0xDEAD;
    a[place] = 0x0C00, b[place] = 0x0800;  // 2^-12 · 2^-13
    multiply(p, numerics, a, b, &c, &d);
    return d;
  };
  EXPECT_EQ(sum(Numerics::kSm90, 2), 0x33000000u);  // 25 fraction bits keep it
  EXPECT_EQ(sum(Numerics::kSm90, 12), 0x33000000u);
  EXPECT_EQ(sum(Numerics::kSm80, 2), 0u);  // 24 do not, beside a term of 1
  EXPECT_EQ(sum(Numerics::kSm80, 12),
            0x33000000u);                          // the second eight of k are a step of their own
  EXPECT_EQ(sum(Numerics::kF32, 2), 0x33000000u);  // 1 - 1 came first
}

TEST(TensorCore, Numerics80KeepsItsOrderOfSteps) {
  // tf32, k = 8 in steps of 4: 2^24 from the first, then 1 and 1 of the second, each alone too small.
  const auto sum = [](Numerics numerics) {
    MatrixProduct p{MatrixType::kTf32, MatrixType::kTf32, MatrixType::kF32, 1, 1, 8};
    const std::uint32_t one = 0x3F800000, big = 0x45800000;  // 4096
    const std::uint32_t a[8] = {big, 0, 0, 0, one, one, 0, 0},
                        b[8] = {big, 0, 0, 0, one, one, 0, 0};
    std::uint32_t c = 0, d = 0;
    multiply(p, numerics, a, b, &c, &d);
    return std::bit_cast<float>(d);
  };
  EXPECT_EQ(sum(Numerics::kSm90), 16777218.0f);
  EXPECT_EQ(sum(Numerics::kSm80), 16777218.0f);
  EXPECT_EQ(sum(Numerics::kF32), 16777216.0f);  // rounded after each
}

TEST(TensorCore, IntegersWrapAroundOrSaturate) {
  MatrixProduct p{MatrixType::kS8, MatrixType::kU8, MatrixType::kS32, 1, 1, 16};
  std::uint32_t a[16], b[16], d = 0;
  for (int k = 0; k < 16; ++k) a[k] = 0x80, b[k] = 0xFF;  // -128 · 255
  const std::uint32_t least = 0x80000000u + 5;
  multiply(p, Numerics::kSm90, a, b, &least, &d);
  EXPECT_EQ(d, least - 16u * 128u * 255u);
  p.saturate = true;
  multiply(p, Numerics::kSm90, a, b, &least, &d);
  EXPECT_EQ(d, 0x80000000u);
  for (std::uint32_t& cell : a) cell = 0x7F;
  const std::uint32_t most = 0x7FFFFFF0u;
  multiply(p, Numerics::kSm90, a, b, &most, &d);
  EXPECT_EQ(d, 0x7FFFFFFFu);
}

TEST(GoldenMma, NamesAreReadAsInstructions) {
  const auto p = parse_mma_name("wgmma_m64n256k32_f32_e4m3_e5m2");
  ASSERT_TRUE(p.has_value());
  EXPECT_TRUE(p->is_wgmma);
  EXPECT_EQ(p->m, 64);
  EXPECT_EQ(p->n, 256);
  EXPECT_EQ(p->k, 32);
  EXPECT_EQ(p->accumulator, MatrixType::kF32);
  EXPECT_EQ(p->a, MatrixType::kE4m3);
  EXPECT_EQ(p->b, MatrixType::kE5m2);
  for (const char* name :
       {"", "mma", "mma_m16n8k16", "mma_m16n8k16_", "mma_m16n8_f32", "hmma_m16n8k16_f32",
        "mma_m16n8k16_f32_f17", "mma_m0n8k16_f32", "mma_m16n8k16_f32_f16_f16_f16",
        "mma_m16n8k99999999999_f32", "mma_m16n8k16x_f32"}) {
    EXPECT_FALSE(parse_mma_name(name).has_value()) << name;
  }
}

TEST(GoldenMma, BadFilesAreNamed) {
  const test::TemporaryFolder folder;
  folder.with("mma_m8n8k4_f64.bin", std::string(1535, 'x'));
  folder.with("what.bin", "x");
  test::expect_error(ErrorCode::kInvalidInput, {"mma_m8n8k4_f64.bin", "1535 bytes", "1536"},
                     [&] { check_mma_file(folder / "mma_m8n8k4_f64.bin"); });
  test::expect_error(ErrorCode::kInvalidInput, {"what.bin", "tensor-core"},
                     [&] { check_mma_file(folder / "what.bin"); });
}

}  // namespace
}  // namespace tilewise::vgpu
