// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint64_t kMagic = 0x7061'4D72'6F73'6E54;  // "TnsorMap", first byte lowest
constexpr std::uint32_t kPiece = 16;                     ///< bytes that a swizzle keeps together
constexpr std::uint32_t kBoxAlignment = 128;             ///< of a box in shared memory
constexpr std::size_t kLongestRow = 256 * 8;
using RowBuffer = std::array<std::byte, kLongestRow>;

// The NaN that lies in for elements outside: 0x7FF7 in each half word.
std::byte fill_byte(TensorFill fill, std::uint32_t offset) {
  if (fill == TensorFill::kZero) return std::byte{0};
  return offset % 2 == 0 ? std::byte{0xF7} : std::byte{0x7F};
}

// To 10 fraction bits, ties to even. Every NaN becomes the same one.
std::uint32_t round_to_tf32(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7FFF'FFFFu;
  if (magnitude > 0x7F80'0000u) return 0x7FFF'E000u;
  return (bits + 0xFFFu + (bits >> 13 & 1u)) & ~0x1FFFu;
}

void convert_row(std::byte* row, std::uint32_t bytes, TensorType type) {
  if (type != TensorType::kTf32 && type != TensorType::kTf32Ftz) return;
  for (std::uint32_t at = 0; at < bytes; at += 4) {
    std::uint32_t bits;
    std::memcpy(&bits, row + at, 4);
    bits = round_to_tf32(bits);
    std::memcpy(row + at, &bits, 4);
  }
}

std::uint32_t whole_pieces(std::uint32_t bytes) { return (bytes + kPiece - 1) / kPiece * kPiece; }

// Bytes of the row that `permit` lets a walk touch.
std::uint32_t permitted(const TensorBox::Row& row, const Permit& permit) {
  if (row.first == row.end) return 0;
  const std::uint64_t allowed = permit(row.address + row.first, row.end - row.first);
  return row.first + static_cast<std::uint32_t>(std::min<std::uint64_t>(allowed, kLongestRow));
}

void gather(const TensorBox& box, const std::byte* window, std::uint32_t address, RowBuffer& to) {
  for (std::uint32_t at = 0; at < box.row_bytes(); at += kPiece) {
    std::memcpy(to.data() + at, window + swizzled(address + at, box.map().swizzle), kPiece);
  }
}

}  // namespace

TensorMap make_tensor_map(const TensorMapRequest& request) {
  check(request);
  TensorMapContents c;
  c.magic = kMagic;
  c.address = request.address;
  c.type = request.type;
  c.rank = static_cast<std::uint8_t>(request.rank);
  c.swizzle = request.swizzle;
  c.fill = request.fill;
  for (std::uint32_t i = 0; i < request.rank; ++i) {
    c.last[i] = static_cast<std::uint32_t>(request.dimensions[i] - 1);
    c.box[i] = static_cast<std::uint16_t>(request.box[i]);
    c.element_strides[i] = static_cast<std::uint8_t>(request.element_strides[i]);
    if (i > 0) c.strides[i - 1] = request.strides[i - 1];
  }
  return std::bit_cast<TensorMap>(c);
}

std::optional<TensorMapContents> read_tensor_map(const std::byte* bytes) {
  TensorMapContents contents;
  std::memcpy(&contents, bytes, sizeof(contents));
  if (contents.magic != kMagic) return std::nullopt;
  return contents;
}

std::string flaw_of(const TensorMapContents& map) {
  const std::uint64_t row = map.box[0] * size_of(map.type);
  const std::uint64_t span = map.swizzle == TensorSwizzle::kNone ? row : span_of(map.swizzle);
  if (row == 0 || row % kPiece != 0 || row > span) {
    return fmt::format("rows of its box have {} bytes, expected a multiple of {} up to {}", row,
                       kPiece, map.swizzle == TensorSwizzle::kNone ? kLongestRow : span);
  }
  std::uint64_t bytes = span;
  for (std::uint32_t i = 1; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.element_strides[i] == 0) {
      return fmt::format("its box or its element stride {} was never set", i);
    }
    bytes *= (map.box[i] + map.element_strides[i] - 1u) / map.element_strides[i];
  }
  constexpr std::uint64_t kMostBytes = 1 << 20;  // more than any block has of shared memory
  if (bytes > kMostBytes) return fmt::format("its box has {} bytes", bytes);
  return {};
}

TensorBox::TensorBox(const TensorMapContents& map, std::span<const std::int32_t> coordinates)
    : map_(&map) {
  std::copy(coordinates.begin(), coordinates.end(), first_);
  row_bytes_ = static_cast<std::uint32_t>(map.box[0] * size_of(map.type));
  pitch_ = map.swizzle == TensorSwizzle::kNone ? row_bytes_ : span_of(map.swizzle);
  for (std::uint32_t i = 1; i < map.rank; ++i) {
    counts_[i] = (map.box[i] + map.element_strides[i] - 1u) / map.element_strides[i];
    rows_ *= counts_[i];
  }
}

TensorBox::Row TensorBox::row(std::uint32_t index) const {
  Row row;
  row.offset = index * pitch_;
  row.address = map_->address;
  bool is_inside = true;
  for (std::uint32_t i = 1; i < map_->rank; ++i) {
    const std::int64_t at =
        first_[i] + static_cast<std::int64_t>(index % counts_[i]) * map_->element_strides[i];
    index /= counts_[i];
    is_inside &= at >= 0 && at <= static_cast<std::int64_t>(map_->last[i]);
    row.address += static_cast<std::uint64_t>(at) * map_->strides[i - 1];
  }
  const auto element = static_cast<std::int64_t>(size_of(map_->type));
  row.address += static_cast<std::uint64_t>(first_[0] * element);
  if (!is_inside) return row;
  const std::int64_t before = std::max<std::int64_t>(0, -first_[0]);
  const std::int64_t count = static_cast<std::int64_t>(map_->last[0]) + 1 - first_[0];
  const std::int64_t begin = std::min(before * element, static_cast<std::int64_t>(row_bytes_));
  const std::int64_t end =
      std::clamp(count * element, begin, static_cast<std::int64_t>(row_bytes_));
  row.first = static_cast<std::uint32_t>(begin);
  row.end = static_cast<std::uint32_t>(end);
  return row;
}

std::string TensorBox::refusal(std::uint32_t shared_address, Direction direction) const {
  if (shared_address % kBoxAlignment != 0) {
    return fmt::format("the shared address {} is not a multiple of {}", shared_address,
                       kBoxAlignment);
  }
  const std::int64_t bytes = first_[0] * static_cast<std::int64_t>(size_of(map_->type));
  if (bytes % kPiece != 0) {
    return fmt::format("coordinate 0 = {} is {} bytes, not a multiple of {}", first_[0], bytes,
                       kPiece);
  }
  for (std::uint32_t i = 0; i < map_->rank && direction == Direction::kToGlobal; ++i) {
    if (first_[i] < 0) {
      return fmt::format("coordinate {} = {} is negative, which only loads may have", i, first_[i]);
    }
  }
  return {};
}

void load_box(const TensorBox& box, std::byte* window, std::uint32_t shared_address,
              const Permit& permit) {
  RowBuffer buffer;
  for (std::uint32_t i = 0; i < box.rows(); ++i) {
    const TensorBox::Row row = box.row(i);
    const std::uint32_t end = std::min(row.end, permitted(row, permit));
    for (std::uint32_t at = 0; at < box.row_bytes(); ++at) {
      if (at == row.first && end > row.first) at = end;
      if (at < box.row_bytes()) buffer[at] = fill_byte(box.map().fill, at);
    }
    if (end > row.first) {
      const auto* from = reinterpret_cast<const std::byte*>(row.address + row.first);
      std::memcpy(buffer.data() + row.first, from, end - row.first);
      convert_row(buffer.data() + row.first, end - row.first, box.map().type);
    }
    for (std::uint32_t at = 0; at < box.row_bytes(); at += kPiece) {
      const std::uint32_t to = swizzled(shared_address + row.offset + at, box.map().swizzle);
      std::memcpy(window + to, buffer.data() + at, kPiece);
    }
  }
}

void store_box(const TensorBox& box, const std::byte* window, std::uint32_t shared_address,
               const Permit& permit) {
  RowBuffer buffer;
  for (std::uint32_t i = 0; i < box.rows(); ++i) {
    const TensorBox::Row row = box.row(i);
    const std::uint32_t end = std::min(whole_pieces(row.end), permitted(row, permit));
    if (end <= row.first) continue;
    gather(box, window, shared_address + row.offset, buffer);
    std::memcpy(reinterpret_cast<std::byte*>(row.address + row.first), buffer.data() + row.first,
                end - row.first);
  }
}

void reduce_box(const TensorBox& box, BulkReduction reduction, const std::byte* window,
                std::uint32_t shared_address, const Permit& permit) {
  RowBuffer buffer;
  for (std::uint32_t i = 0; i < box.rows(); ++i) {
    const TensorBox::Row row = box.row(i);
    const std::uint32_t end = std::min(whole_pieces(row.end), permitted(row, permit));
    if (end <= row.first) continue;
    gather(box, window, shared_address + row.offset, buffer);
    reduce(reduction, box.map().type, reinterpret_cast<std::byte*>(row.address + row.first),
           buffer.data() + row.first, end - row.first);
  }
}

}  // namespace tilewise::vgpu
