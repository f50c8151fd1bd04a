// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "tilewise/error.hpp"

namespace tilewise {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view action, int error) {
  throw Error(ErrorCode::kInvalidInput, fmt::format("cannot {} '{}': {}", action, path.string(),
                                                    std::generic_category().message(error)));
}

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // 0 or errno. Late write errors (a full disk, a quota) show here.
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

// 0 or errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_pieces(Descriptor& file, std::initializer_list<std::string_view> pieces) {
  for (const std::string_view piece : pieces) {
    if (const int error = write_all(file.get(), piece); error != 0) return error;
  }
  return file.close();
}

// A name beside `path` that no other thread or process of this machine takes.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> next{0};
  fs::path name = path;
  name += fmt::format(".{}-{}.part", ::getpid(), next++);
  return name;
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (!file.is_open()) fail(path, "read", errno);
  std::string contents;
  constexpr std::size_t kChunkBytes = 1 << 16;
  for (std::size_t used = 0;;) {
    contents.resize(used + kChunkBytes);
    const ssize_t got = ::read(file.get(), contents.data() + used, kChunkBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", errno);
    used += static_cast<std::size_t>(got);
    if (got > 0) continue;
    contents.resize(used);
    return contents;
  }
}

void write_file(const fs::path& path, std::initializer_list<std::string_view> pieces) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  // A terminal, a pipe or /dev/null is written to: renaming would replace it.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    Descriptor special(path, O_WRONLY);
    if (!special.is_open()) fail(path, "write", errno);
    if (const int error = write_pieces(special, pieces); error != 0) fail(path, "write", error);
    return;
  }
  // A symbolic link keeps pointing where it does: its target is replaced.
  const fs::path target = fs::exists(status) ? fs::canonical(path, ignored) : path;
  const fs::path temporary = temporary_name(target);
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) fail(path, "write", errno);
  int error = write_pieces(file, pieces);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  fail(path, "write", error);
}

void write_file(const fs::path& path, std::string_view contents) { write_file(path, {contents}); }

}  // namespace tilewise
