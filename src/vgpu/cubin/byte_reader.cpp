// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cubin/byte_reader.hpp"

#include <fmt/format.h>

namespace tilewise::vgpu {

std::uint64_t ByteReader::uleb128() {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

std::int64_t ByteReader::sleb128() {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) != 0) continue;
    const bool negative = (byte & 0x40) != 0;
    if (negative && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
    return static_cast<std::int64_t>(value);
  }
}

std::string_view ByteReader::text() {
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + position_;
  const void* end = remaining() == 0 ? nullptr : std::memchr(begin, 0, remaining());
  if (end == nullptr) fail("text without its end");
  const std::string_view found(begin, static_cast<const char*>(end) - begin);
  position_ += found.size() + 1;
  return found;
}

void ByteReader::skip(std::uint64_t count) {
  require(count);
  position_ += count;
}

void ByteReader::seek(std::uint64_t position) {
  if (position > bytes_.size()) {
    fail(fmt::format("offset {} is outside its {} bytes", position, bytes_.size()));
  }
  position_ = position;
}

ByteReader ByteReader::take(std::uint64_t count) {
  require(count);
  ByteReader part(bytes_.subspan(position_, count), what_);
  position_ += count;
  return part;
}

void ByteReader::fail(const std::string& message) const {
  throw Error(ErrorCode::kInvalidInput, what_ + ": " + message);
}

void ByteReader::require(std::uint64_t count) const {
  if (count <= remaining()) return;
  fail(fmt::format("truncated: {} bytes needed at offset {}, {} left", count, position_,
                   remaining()));
}

}  // namespace tilewise::vgpu
