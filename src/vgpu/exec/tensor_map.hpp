// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The virtual GPU's tensor maps and the boxes that cp.async.bulk.tensor copies (PTX ISA 9.0, sections
// 5.5 and 9.7.9.27). Pure functions: whoever calls them checks addresses and keeps time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/tensor_map.hpp"
#include "vgpu/exec/bulk_reduction.hpp"

namespace tilewise::vgpu {

/// What lies in the 128 bytes of a tensor map of the virtual GPU.
struct TensorMapContents {
  std::uint64_t magic = 0;
  std::uint64_t address = 0;
  std::uint64_t strides[kTensorRanks - 1] = {};  ///< bytes; [i] is dimension i + 1's
  std::uint32_t last[kTensorRanks] = {};         ///< dimensions less one
  std::uint16_t box[kTensorRanks] = {};
  std::uint8_t element_strides[kTensorRanks] = {};
  TensorType type = TensorType::kF32;
  std::uint8_t rank = 0;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorFill fill = TensorFill::kZero;
  std::uint8_t unused[35] = {};
};
static_assert(sizeof(TensorMapContents) == sizeof(TensorMap));

/// The contents of the 128 bytes at `bytes`, or nothing when they are no tensor map of the virtual GPU.
std::optional<TensorMapContents> read_tensor_map(const std::byte* bytes);

/// Why no box of the map can be copied: its fields were replaced one by one, and do not go together. Empty when it
/// can.
std::string flaw_of(const TensorMapContents& map);

/// Where the byte at `address` of shared memory lies after swizzling. A swizzle moves 16-byte pieces
/// inside spans of 32, 64 or 128 bytes; which way depends on the address itself, bits 7 to 9.
constexpr std::uint32_t swizzled(std::uint32_t address, TensorSwizzle swizzle) {
  const std::uint32_t pieces = (1u << static_cast<unsigned>(swizzle)) - 1;
  return address ^ ((address >> 7 & pieces) << 4);
}

/// A box of a tensor: rows of elements along dimension 0, one after the other in shared memory. With a
/// swizzle, each row takes the whole span.
class TensorBox {
 public:
  /// `coordinates` of the box's first element, dimension 0 first; one for each dimension.
  TensorBox(const TensorMapContents& map, std::span<const std::int32_t> coordinates);

  struct Row {
    std::uint64_t address = 0;  ///< in global memory, of the row's first byte; may lie outside
    std::uint32_t offset = 0;   ///< in shared memory, from the box's begin, before swizzling
    std::uint32_t first = 0, end = 0;  ///< bytes of the row that lie in the tensor; equal: none
  };
  Row row(std::uint32_t index) const;
  std::uint32_t rows() const { return rows_; }
  std::uint32_t row_bytes() const { return row_bytes_; }
  /// Bytes of shared memory from the box's begin to its end.
  std::uint32_t shared_bytes() const { return rows_ * pitch_; }
  /// What the barrier is told has come: elements of the box, inside the tensor or not.
  std::uint32_t transferred_bytes() const { return rows_ * row_bytes_; }
  const TensorMapContents& map() const { return *map_; }

  enum class Direction { kToShared, kToGlobal };
  /// Why the hardware does not copy the box between `shared_address` and global memory: "the shared
  /// address 64 is not a multiple of 128"; empty when it does.
  std::string refusal(std::uint32_t shared_address, Direction direction) const;

 private:
  const TensorMapContents* map_;
  std::int64_t first_[kTensorRanks] = {};
  std::uint32_t counts_[kTensorRanks] = {1, 1, 1, 1, 1};
  std::uint32_t rows_ = 1, row_bytes_ = 0, pitch_ = 0;
};

/// Is told which bytes of global memory come next; returns how many from there on may be touched. A walk
/// touches no more than that. It may throw.
using Permit = std::function<std::uint64_t(std::uint64_t address, std::uint64_t bytes)>;

/// Global to shared memory. Elements outside the tensor are zeros or, where the map says so, NaNs;
/// those of tf32 maps are rounded. `window` is offset 0 of shared memory, `shared_address` the box's begin in
/// it, a multiple of 128.
void load_box(const TensorBox& box, std::byte* window, std::uint32_t shared_address,
              const Permit& permit);

/// Shared to global memory. Rows are written in pieces of 16 bytes, so up to 15 bytes behind a row
/// whose length is no multiple of 16 are overwritten too, as on hardware.
void store_box(const TensorBox& box, const std::byte* window, std::uint32_t shared_address,
               const Permit& permit);

/// reduce() of a box in shared memory into global memory, in pieces of 16 bytes like store_box().
void reduce_box(const TensorBox& box, BulkReduction reduction, const std::byte* window,
                std::uint32_t shared_address, const Permit& permit);

}  // namespace tilewise::vgpu
