// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// .npy files whose elements stay in the file: mapped into memory and paged in and out as they are used,
// so that a matrix may be larger than memory.
//
// A mapped file that another program cuts short, or whose disk fails, cannot be reported by an exception:
// touching it raises SIGBUS. Sizes are checked when a file is opened; who maps for long handles SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/npy.hpp"

namespace tilewise::npy {

/// Pages of this program's memory: of a file, or of nothing. Gives them back in its destructor.
class Pages {
 public:
  Pages() = default;
  /// Takes over what mmap() returned.
  Pages(void* address, std::uint64_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  std::byte* begin() const { return begin_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::byte* begin_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// An array to read. What cannot be mapped is read into memory instead: pipes, elements that do not
/// begin at a multiple of their size, files of a file system without mapping.
class MappedInput {
 public:
  /// Throws Error{kInvalidInput} as read() does.
  MappedInput(std::filesystem::path path, const Accepted& accepted);

  const std::filesystem::path& path() const { return path_; }
  const Layout& layout() const { return layout_; }
  /// The first element, aligned to its size. Of an array without elements: not to be read.
  const std::byte* elements() const { return pages_.begin() + offset_; }
  const Pages& pages() const { return pages_; }
  /// Whether the elements stand in the file.
  bool is_mapped() const { return is_mapped_; }

 private:
  std::filesystem::path path_;
  Layout layout_;
  Pages pages_;
  std::uint64_t offset_ = 0;
  bool is_mapped_ = true;
};

/// An array to write, under a temporary name beside its place until commit(). Its room on the disk is
/// taken at once: a full disk shows before the work.
class MappedOutput {
 public:
  /// Writes the header; the elements are zeros. Throws Error{kInvalidInput} naming `path` (no such folder,
  /// no room, no permission) and leaves nothing behind; Error{kUnsupported} for bf16.
  MappedOutput(const std::filesystem::path& path, const Layout& layout);
  /// Takes the temporary file away, unless commit() was called.
  ~MappedOutput();
  MappedOutput(const MappedOutput&) = delete;
  MappedOutput& operator=(const MappedOutput&) = delete;

  std::byte* elements() { return pages_.begin() + offset_; }
  const Pages& pages() const { return pages_; }
  /// Where the elements are until commit().
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Waits until the file is on the disk and renames it to `path`, replacing what stood there. Throws
  /// Error{kInvalidInput}, and then has replaced nothing.
  void commit();

 private:
  [[noreturn]] void give_up(const std::string& action, int error);

  std::filesystem::path path_, target_, temporary_;
  int descriptor_ = -1;
  Pages pages_;
  std::uint64_t offset_ = 0;
};

}  // namespace tilewise::npy
