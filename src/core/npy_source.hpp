// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a .npy file, front to back, up to where its elements begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/npy.hpp"

namespace tilewise::npy {

/// Throws Error{kInvalidInput}: "'path': what".
[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what);

/// An open file or pipe. Every shortfall is an error that says what was cut off.
class Source {
 public:
  explicit Source(const std::filesystem::path& path);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// Whether it has a size and can be mapped: a regular file, not a pipe.
  bool is_regular() const { return is_regular_; }
  /// Of a regular file, what has not been read yet.
  std::uint64_t bytes_left() const { return bytes_left_; }
  /// Bytes read so far.
  std::uint64_t position() const { return position_; }

  /// Reads all `bytes` or throws; `what` they are stands in the message.
  void read(char* destination, std::uint64_t bytes, std::string_view what);
  std::string text(std::uint64_t bytes, std::string_view what);
  /// At most so many bytes; fewer only at the end.
  std::uint64_t read_some(char* destination, std::uint64_t bytes);

 private:
  const std::filesystem::path path_;
  int descriptor_ = -1;
  bool is_regular_ = false;
  std::uint64_t bytes_left_ = 0, position_ = 0;
};

/// Reads the header, holds it against what is accepted, and a regular file's size against the shape.
Layout read_layout(Source& source, const Accepted& accepted);

/// Reads all elements into `to`, which has room for them, and expects the end behind them.
void read_elements(Source& source, const Layout& layout, char* to);

/// The header of format 1.0, padded so that the elements begin at a multiple of 64 bytes.
std::string header_bytes(const Layout& layout);

/// Bytes of elements. Throws where 63 bits do not count them.
std::uint64_t payload_bytes(const Layout& layout, const std::filesystem::path& path);

/// Throws when `bytes` of elements are more than this machine's memory has left.
void require_memory(std::uint64_t bytes, const std::filesystem::path& path);

}  // namespace tilewise::npy
