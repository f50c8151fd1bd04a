// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/wgmma.hpp"

#include <cstring>

#include "vgpu/exec/tensor_map.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint32_t kPiece = 16;  ///< bytes of a row of a core matrix
constexpr std::uint32_t kCoreRows = 8;

std::uint32_t field(std::uint64_t bits, int from) {
  return static_cast<std::uint32_t>(bits >> from & 0x3FFF) * 16;
}

// Bits 62 and 63.
TensorSwizzle swizzle_of(std::uint64_t bits) {
  constexpr TensorSwizzle kModes[4] = {TensorSwizzle::kNone, TensorSwizzle::k128B,
                                       TensorSwizzle::k64B, TensorSwizzle::k32B};
  return kModes[bits >> 62];
}

std::uint32_t k_major(const MatrixDescriptor& m, std::uint32_t row, std::uint32_t depth) {
  const std::uint32_t core = row / kCoreRows * m.stride, column = depth / kPiece;
  const std::uint32_t in_core = row % kCoreRows;
  if (m.swizzle == TensorSwizzle::kNone) return core + in_core * kPiece + column * m.leading;
  return core + in_core * span_of(m.swizzle) + column * kPiece;
}

std::uint32_t mn_major(const MatrixDescriptor& m, std::uint32_t row, std::uint32_t depth) {
  const std::uint32_t k = depth / 2, piece = row / kCoreRows;
  const std::uint32_t in_core = k % kCoreRows, core = k / kCoreRows;
  if (m.swizzle == TensorSwizzle::kNone) {
    return piece * m.stride + in_core * kPiece + core * m.leading;
  }
  const std::uint32_t span = span_of(m.swizzle), pieces = span / kPiece;
  return piece % pieces * kPiece + piece / pieces * m.leading + in_core * span + core * m.stride;
}

}  // namespace

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits, std::int64_t reserved)
    : start(field(bits, 0) - static_cast<std::uint32_t>(reserved)),
      leading(field(bits, 16)),
      stride(field(bits, 32)),
      base_offset(static_cast<std::uint32_t>(bits >> 49 & 7)),
      swizzle(swizzle_of(bits)) {}

std::uint32_t piece_address(const MatrixDescriptor& matrix, MatrixMajor major, std::uint32_t row,
                            std::uint32_t depth) {
  const std::uint32_t linear =
      matrix.start +
      (major == MatrixMajor::kK ? k_major(matrix, row, depth) : mn_major(matrix, row, depth));
  // The swizzle counts its rows of 128 bytes from where the base offset says the pattern begins.
  const std::uint32_t shift = matrix.base_offset << 7;
  return linear ^ (swizzled(linear - shift, matrix.swizzle) ^ (linear - shift));
}

std::optional<std::uint32_t> gather(const MatrixDescriptor& matrix, MatrixMajor major,
                                    std::uint32_t first, std::uint32_t rows,
                                    std::span<const std::byte> shared, std::byte* to) {
  const bool along_k = major == MatrixMajor::kK;
  const std::uint32_t row_step = along_k ? 1 : kCoreRows, depth_step = along_k ? kPiece : 2;
  for (std::uint32_t row = 0; row < rows; row += row_step) {
    for (std::uint32_t depth = 0; depth < kDepthBytes; depth += depth_step) {
      const std::uint32_t at = piece_address(matrix, major, first + row, depth);
      if (at + kPiece > shared.size()) return at;
      std::byte* const place = to + row * kDepthBytes + depth;
      if (along_k) {
        std::memcpy(place, shared.data() + at, kPiece);
      } else {
        for (std::uint32_t i = 0; i < kCoreRows; ++i)
          std::memcpy(place + i * kDepthBytes, shared.data() + at + 2 * i, 2);
      }
    }
  }
  return std::nullopt;
}

}  // namespace tilewise::vgpu
