// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where wgmma.mma_async finds its operands: matrices in shared memory behind 64-bit descriptors, and
// fragments in registers (PTX ISA 9.0, section 9.7.15.5). Pure functions.
//
// Whatever the element type, a row of A and a column of B is 32 bytes along k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/tensor_map.hpp"

namespace tilewise::vgpu {

inline constexpr std::uint32_t kDepthBytes = 32;  ///< of an instruction, along k
inline constexpr int kWarpgroupRows = 64, kWarpRows = 16;

/// A matrix descriptor's fields. Offsets in bytes, between core matrices of 8 rows of 16 bytes:
/// - k-major: `stride` to the next 8 rows, `leading` to the next 16 bytes along k (not with a swizzle);
/// - mn-major: `stride` to the next 8 rows and `leading` to the next 8 of k; with a swizzle `stride` to
///   the next 8 of k and `leading` to the next span of rows.
struct MatrixDescriptor {
  std::uint32_t start = 0;  ///< in the block's shared memory
  std::uint32_t leading = 0;
  std::uint32_t stride = 0;
  std::uint32_t base_offset = 0;  ///< 0 to 7
  TensorSwizzle swizzle = TensorSwizzle::kNone;

  /// `reserved` bytes lie in front of the block's shared memory.
  explicit MatrixDescriptor(std::uint64_t bits, std::int64_t reserved = 0);
};

/// Which dimension lies side by side in memory: k, or m of A and n of B (the transposed operand).
enum class MatrixMajor : std::uint8_t { kK, kMN };

/// The shared address of 16 bytes of the matrix. `row` counts along m or n, `depth` bytes along k: with
/// kK the piece holds 16 bytes of one row, depth 0 or 16; with kMN it holds the 16-bit elements of rows
/// row..row+7 (row a multiple of 8) at one k, depth a multiple of 2.
std::uint32_t piece_address(const MatrixDescriptor& matrix, MatrixMajor major, std::uint32_t row,
                            std::uint32_t depth);

/// Rows `first`..`first + rows - 1` (multiples of 8) one after the other, 32 bytes along k each, out of a
/// block's shared memory. Returns the first address that lies outside of it, where there is one.
std::optional<std::uint32_t> gather(const MatrixDescriptor& matrix, MatrixMajor major,
                                    std::uint32_t first, std::uint32_t rows,
                                    std::span<const std::byte> shared, std::byte* to);

}  // namespace tilewise::vgpu
