// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where wgmma finds its operands, against products an NVIDIA H100 computed from shared memory full of
// random numbers through random descriptors (tests/golden/h100/wgmma_layouts.csv).
#include "vgpu/exec/wgmma.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/float16.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::size_t kImageBytes = 48 * 1024;

struct Row {
  int id = 0, n = 0;
  std::string elements, a_from;
  bool transposed_a = false, transposed_b = false;
  std::uint64_t seed = 0, a = 0, b = 0, hash = 0;
};

std::vector<Row> golden_rows() {
  std::ifstream in(std::filesystem::path(TILEWISE_TESTS_DIR) / "golden/h100/wgmma_layouts.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    Row r;
    fields >> r.id >> r.elements >> r.n >> r.transposed_a >> r.transposed_b >> r.a_from;
    fields >> std::hex >> r.seed >> r.a >> r.b >> r.hash;
    rows.push_back(r);
  }
  return rows;
}

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// Bytes; for floats then whole numbers from -4 to 4.
std::vector<std::byte> image(std::uint64_t state, const std::string& elements) {
  std::vector<std::byte> bytes(kImageBytes);
  for (std::byte& b : bytes) b = static_cast<std::byte>(splitmix(state));
  const std::size_t size = elements == "s8" ? 0 : elements == "tf32" ? 4 : 2;
  for (std::size_t at = 0; size != 0 && at < kImageBytes; at += size) {
    const float value = static_cast<float>(splitmix(state) % 9) - 4;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if (elements == "bf16") bits >>= 16;
    if (elements.starts_with("f16")) bits = f32_to_f16(value);
    std::memcpy(bytes.data() + at, &bits, size);
  }
  return bytes;
}

double element(const std::byte* row, int k, const std::string& elements) {
  if (elements == "s8") return static_cast<signed char>(row[k]);
  if (elements == "tf32") {
    float value;
    std::memcpy(&value, row + 4 * k, 4);
    return static_cast<double>(value);
  }
  std::uint16_t bits;
  std::memcpy(&bits, row + 2 * k, 2);
  if (elements == "bf16") {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
  return static_cast<double>(f16_to_f32(bits));
}

// 64 rows of 32 bytes out of four registers a thread, filled from the image's begin.
std::vector<std::byte> rows_from_registers(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> rows(64 * kDepthBytes);
  for (std::size_t thread = 0; thread < 128; ++thread) {
    for (std::size_t reg = 0; reg < 4; ++reg) {
      const std::size_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * (reg % 2);
      const std::size_t depth = thread % 4 * 4 + 16 * (reg / 2);
      std::memcpy(&rows[row * kDepthBytes + depth], &bytes[(thread * 4 + reg) * 4], 4);
    }
  }
  return rows;
}

// D as the 128 threads hold it: four bytes a register, all registers of a thread in a row.
std::vector<std::byte> fragments(const Row& r, const std::vector<std::byte>& a,
                                 const std::vector<std::byte>& b) {
  const bool halves = r.elements == "f16.f16";
  const int depth = r.elements == "s8" ? 32 : r.elements == "tf32" ? 8 : 16;
  const int registers = halves ? r.n / 4 : r.n / 2;
  std::vector<std::byte> words(static_cast<std::size_t>(128 * registers * 4));
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < r.n; ++n) {
      double sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += element(&a[m * kDepthBytes], k, r.elements) *
               element(&b[n * kDepthBytes], k, r.elements);
      const int thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, low_half = m % 16 / 8;
      if (halves) {
        const std::uint16_t bits = f64_to_f16(sum);
        std::memcpy(&words[(thread * registers + n / 8 * 2 + low_half) * 4 + n % 2 * 2], &bits, 2);
        continue;
      }
      const std::uint32_t bits = r.elements == "s8"
                                     ? static_cast<std::uint32_t>(static_cast<std::int32_t>(sum))
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(sum));
      std::memcpy(&words[(thread * registers + n / 8 * 4 + low_half * 2 + n % 2) * 4], &bits, 4);
    }
  }
  return words;
}

std::uint64_t hash(const std::vector<std::byte>& bytes) {
  std::uint64_t h = 0xCBF29CE484222325;
  for (const std::byte b : bytes) h = (h ^ static_cast<std::uint64_t>(b)) * 0x100000001B3;
  return h;
}

TEST(GoldenMatrixDescriptor, ElementsAreFoundWhereTheGpuFindsThem) {
  std::map<std::uint64_t, std::vector<std::byte>> images;
  const std::vector<Row> rows = golden_rows();
  ASSERT_EQ(rows.size(), 360u);
  for (const Row& r : rows) {
    std::vector<std::byte>& bytes = images[r.seed];
    if (bytes.empty()) bytes = image(r.seed, r.elements);
    std::vector<std::byte> a(64 * kDepthBytes), b(static_cast<std::size_t>(r.n) * kDepthBytes);
    const auto major = [](bool transposed) {
      return transposed ? MatrixMajor::kMN : MatrixMajor::kK;
    };
    if (r.a_from == "registers") {
      a = rows_from_registers(bytes);
    } else {
      EXPECT_FALSE(gather(MatrixDescriptor(r.a), major(r.transposed_a), 0, 64, bytes, a.data()));
    }
    EXPECT_FALSE(gather(MatrixDescriptor(r.b), major(r.transposed_b), 0,
                        static_cast<std::uint32_t>(r.n), bytes, b.data()));
    EXPECT_EQ(hash(fragments(r, a, b)), r.hash) << "row " << r.id << " " << r.elements;
  }
}

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
