// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy_map.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "core/npy_source.hpp"
#include "tilewise/error.hpp"

namespace tilewise::npy {
namespace {

namespace fs = std::filesystem;

Pages anonymous_pages(std::uint64_t bytes, const fs::path& path) {
  require_memory(bytes, path);
  if (bytes == 0) return {};
  void* address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    fail(path, fmt::format("{} bytes of elements: more than this machine grants", bytes));
  }
  return {address, bytes};
}

// Reserves the file's blocks, so that no page of it can find the disk full. 0 or errno.
int reserve(int descriptor, std::uint64_t bytes) {
  const auto length = static_cast<off_t>(bytes);
  int result = 0;
  do {
    result = ::fallocate(descriptor, 0, 0, length);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  // A file system that does not reserve: what it says is free must do.
  struct statvfs room {};
  if (::fstatvfs(descriptor, &room) == 0 && bytes / room.f_frsize >= room.f_bavail) return ENOSPC;
  return ::ftruncate(descriptor, length) == 0 ? 0 : errno;
}

// A name beside `target` that no other thread or process of this machine takes.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<unsigned> next{0};
  fs::path name = target;
  name += fmt::format(".{}-{}.part", ::getpid(), next++);
  return name;
}

}  // namespace

Pages::Pages(void* address, std::uint64_t bytes)
    : begin_(static_cast<std::byte*>(address)), bytes_(bytes) {}

Pages::~Pages() {
  if (bytes_ > 0) ::munmap(begin_, bytes_);
}

Pages::Pages(Pages&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedInput::MappedInput(fs::path path, const Accepted& accepted) : path_(std::move(path)) {
  Source source(path_);
  layout_ = read_layout(source, accepted);
  const std::uint64_t bytes = payload_bytes(layout_, path_);
  if (source.is_regular() && source.position() % size_of(layout_.dtype) == 0) {
    const std::uint64_t whole = source.position() + bytes;
    void* address = ::mmap(nullptr, whole, PROT_READ, MAP_PRIVATE, source.descriptor(), 0);
    if (address != MAP_FAILED) {
      pages_ = Pages(address, whole);
      offset_ = source.position();
      return;
    }
  }
  is_mapped_ = false;
  pages_ = anonymous_pages(bytes, path_);
  read_elements(source, layout_, reinterpret_cast<char*>(pages_.begin()));
}

MappedOutput::MappedOutput(const fs::path& path, const Layout& layout) : path_(path) {
  const std::string header = header_bytes(layout);
  const std::uint64_t bytes = payload_bytes(layout, path);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (bytes > kMost - header.size()) fail(path, "more bytes than 63 bits can count");
  offset_ = header.size();

  std::error_code ignored;
  // A symbolic link keeps pointing where it does: its target is replaced.
  target_ = fs::exists(path, ignored) ? fs::canonical(path, ignored) : path;
  temporary_ = temporary_name(target_);
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error(ErrorCode::kInvalidInput, fmt::format("cannot write '{}': {}", path.string(),
                                                      std::generic_category().message(errno)));
  }
  const std::uint64_t whole = offset_ + bytes;
  if (const int error = reserve(descriptor_, whole); error != 0) {
    give_up(fmt::format("take the {} bytes of", whole), error);
  }
  void* address = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (address == MAP_FAILED) give_up("map", errno);
  pages_ = Pages(address, whole);
  std::memcpy(address, header.data(), header.size());
}

MappedOutput::~MappedOutput() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

// The constructor's failures do not reach the destructor, and commit()'s end the object's work.
void MappedOutput::give_up(const std::string& action, int error) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(temporary_.c_str());
  throw Error(ErrorCode::kInvalidInput, fmt::format("cannot {} '{}': {}", action, path_.string(),
                                                    std::generic_category().message(error)));
}

void MappedOutput::commit() {
  // Written through the mapping: only this call reports a disk or a server that did not take it.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) give_up("write", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) give_up("write", errno);
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace tilewise::npy
