// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A cursor over bytes that came from a file: little-endian reads that never leave their span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "tilewise/error.hpp"

namespace tilewise::vgpu {

/// Reads from `bytes`; every read past the end throws Error{kInvalidInput} that starts with `what`
/// ("cubin 'x.cubin': section '.nv.info'").
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string what)
      : bytes_(bytes), what_(std::move(what)) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }

  std::uint8_t u8() { return read<std::uint8_t>(); }
  std::uint16_t u16() { return read<std::uint16_t>(); }
  std::uint32_t u32() { return read<std::uint32_t>(); }
  std::uint64_t u64() { return read<std::uint64_t>(); }

  /// DWARF's variable-length numbers; bits past the 64th are dropped.
  std::uint64_t uleb128();
  std::int64_t sleb128();

  /// Up to the next zero byte, which is consumed. A view of the bytes read from.
  std::string_view text();
  void skip(std::uint64_t count);
  void seek(std::uint64_t position);
  /// The next `count` bytes as a reader of their own; this one moves behind them.
  ByteReader take(std::uint64_t count);

  [[noreturn]] void fail(const std::string& message) const;

 private:
  template <class T> T read() {
    require(sizeof(T));
    T value;  // the library's hosts are little-endian, as cubins are
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  void require(std::uint64_t count) const;

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::string what_;
};

}  // namespace tilewise::vgpu
