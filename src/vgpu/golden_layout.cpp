// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma_layouts.csv: products of shared memory full of random numbers, through random descriptors. The
// elements are small whole numbers, so sums are exact in f64 and show only where operands were found.
#include <bit>
#include <cstring>

#include "core/float16.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/wgmma.hpp"
#include "vgpu/golden_rows.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::size_t kImageBytes = 48 * 1024;
constexpr std::size_t kRows = 64, kThreads = 128;
using Bytes = std::vector<std::byte>;

enum Elements { kS8, kF16, kF16Sum16, kBf16, kTf32 };

std::optional<Elements> find_elements(std::string_view wanted) {
  constexpr std::pair<std::string_view, Elements> kNames[] = {
      {"s8", kS8}, {"f16", kF16}, {"f16.f16", kF16Sum16}, {"bf16", kBf16}, {"tf32", kTf32}};
  for (const auto& [name, elements] : kNames) {
    if (wanted == name) return elements;
  }
  return std::nullopt;
}

Elements elements_of(const GoldenRow& row) {
  if (const auto elements = find_elements(row.text(1))) return *elements;
  row.refuse(1, "s8, f16, f16.f16, bf16 or tf32");
}

// Bytes; for floats then whole numbers from -4 to 4.
Bytes image(std::uint64_t state, Elements elements) {
  Bytes bytes(kImageBytes);
  for (std::byte& b : bytes) b = static_cast<std::byte>(splitmix(state));
  const std::size_t size = elements == kS8 ? 0 : elements == kTf32 ? 4 : 2;
  for (std::size_t at = 0; size != 0 && at < kImageBytes; at += size) {
    const float value = static_cast<float>(splitmix(state) % 9) - 4;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if (elements == kBf16) bits >>= 16;
    if (elements == kF16 || elements == kF16Sum16) bits = f32_to_f16(value);
    std::memcpy(bytes.data() + at, &bits, size);
  }
  return bytes;
}

double element(const std::byte* row, std::size_t k, Elements elements) {
  if (elements == kS8) return static_cast<signed char>(row[k]);
  if (elements == kTf32) {
    float value;
    std::memcpy(&value, row + 4 * k, 4);
    return static_cast<double>(value);
  }
  std::uint16_t bits;
  std::memcpy(&bits, row + 2 * k, 2);
  if (elements != kBf16) return static_cast<double>(f16_to_f32(bits));
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

// 64 rows of 32 bytes out of four registers a thread, filled from the image's begin.
Bytes rows_from_registers(const Bytes& bytes) {
  Bytes rows(kRows * kDepthBytes);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    for (std::size_t reg = 0; reg < 4; ++reg) {
      const std::size_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * (reg % 2);
      const std::size_t depth = thread % 4 * 4 + 16 * (reg / 2);
      std::memcpy(&rows[row * kDepthBytes + depth], &bytes[(thread * 4 + reg) * 4], 4);
    }
  }
  return rows;
}

Bytes rows_from_shared(const GoldenRow& row, std::size_t column, bool is_transposed,
                       std::size_t count, const Bytes& bytes) {
  Bytes rows(count * kDepthBytes);
  const auto outside = gather(MatrixDescriptor(row.number(column, 16)),
                              is_transposed ? MatrixMajor::kMN : MatrixMajor::kK, 0,
                              static_cast<std::uint32_t>(count), bytes, rows.data());
  if (outside) row.refuse(column, "a descriptor that stays within 48 KiB");
  return rows;
}

// D as the 128 threads hold it: four bytes a register, all registers of a thread in a row.
Bytes fragments(Elements elements, std::size_t columns, const Bytes& a, const Bytes& b) {
  const bool halves = elements == kF16Sum16;
  const std::size_t depth = elements == kS8 ? 32 : elements == kTf32 ? 8 : 16;
  const std::size_t registers = halves ? columns / 4 : columns / 2;
  Bytes words(kThreads * registers * 4);
  for (std::size_t m = 0; m < kRows; ++m) {
    for (std::size_t n = 0; n < columns; ++n) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum +=
            element(&a[m * kDepthBytes], k, elements) * element(&b[n * kDepthBytes], k, elements);
      const std::size_t thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, low_half = m % 16 / 8;
      std::byte* const own = &words[thread * registers * 4];
      if (halves) {
        const std::uint16_t bits = f64_to_f16(sum);
        std::memcpy(own + (n / 8 * 2 + low_half) * 4 + n % 2 * 2, &bits, 2);
        continue;
      }
      const std::uint32_t bits = elements == kS8
                                     ? static_cast<std::uint32_t>(static_cast<std::int32_t>(sum))
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(sum));
      std::memcpy(own + (n / 8 * 4 + low_half * 2 + n % 2) * 4, &bits, 4);
    }
  }
  return words;
}

}  // namespace

std::optional<std::vector<std::byte>> layout_image(std::uint64_t seed, std::string_view elements) {
  const auto found = find_elements(elements);
  if (!found) return std::nullopt;
  return image(seed, *found);
}

std::uint64_t hash_of_layout(const GoldenRow& row) {
  const Elements elements = elements_of(row);
  const std::size_t columns = row.number(2);
  if (columns < 8 || columns > 256 || columns % 8 != 0) row.refuse(2, "8 to 256, a multiple of 8");
  const Bytes bytes = image(row.number(6, 16), elements);
  const Bytes a = row.text(5) == "registers"
                      ? rows_from_registers(bytes)
                      : rows_from_shared(row, 7, row.number(3) != 0, kRows, bytes);
  const Bytes b = rows_from_shared(row, 8, row.number(4) != 0, columns, bytes);
  return hash_of(fragments(elements, columns, a, b));
}

}  // namespace tilewise::vgpu
