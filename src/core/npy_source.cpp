// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "core/memory.hpp"
#include "core/npy_header.hpp"
#include "tilewise/error.hpp"

namespace tilewise::npy {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::uint64_t kPreambleBytes = 8;  // magic, then the version's two bytes
// NumPy's headers of matrices have some 100 bytes; a pipe may claim 4 GiB.
constexpr std::uint64_t kMostHeaderBytes = 1 << 20;

std::string system_text(int error) { return std::generic_category().message(error); }

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

std::string read_header_text(Source& source) {
  if (source.is_regular() && source.bytes_left() < kPreambleBytes) {
    fail(source.path(),
         fmt::format("not a .npy file: {} bytes, a header has more", source.bytes_left()));
  }
  const std::string preamble = source.text(kPreambleBytes, "the preamble");
  if (!preamble.starts_with(kMagic)) {
    fail(source.path(), "not a .npy file: it does not begin with \\x93NUMPY");
  }
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(source.path(), fmt::format(".npy format {}.{}: expected 1.0, 2.0 or 3.0", major, minor));
  }
  const std::uint64_t length = little_endian(source.text(major == 1 ? 2 : 4, "the header length"));
  return source.text(length, "the header");
}

// Why a dtype that NumPy knows is not taken, and what would be.
std::string advice(std::string_view description) {
  if (description.starts_with('>')) return "big-endian; ";
  if (description.ends_with('O')) return "Python objects; ";
  return {};
}

Dtype parse_dtype(const std::string& description, const Accepted& accepted,
                  const std::filesystem::path& path) {
  if (description == "<f2") return Dtype::kF16;
  if (description == "<f4") return Dtype::kF32;
  if (description == "<f8") return Dtype::kF64;
  if (accepted.integers && description == "|i1") return Dtype::kS8;
  if (accepted.integers && description == "|u1") return Dtype::kU8;
  if (accepted.integers && description == "<i4") return Dtype::kS32;
  const bool fields = description.starts_with('[');
  fail(path,
       fmt::format("dtype {}: {}expected '<f2', '<f4' or '<f8' (little-endian float16, float32 or "
                   "float64){}",
                   fields ? "with fields" : fmt::format("'{}'", printable(description)),
                   fields ? "" : advice(description),
                   accepted.integers ? ", '|i1', '|u1' or '<i4'" : ""));
}

void check_shape(const std::vector<std::int64_t>& shape, const Accepted& accepted,
                 const std::filesystem::path& path) {
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
    fail(path, fmt::format("shape {}: a size is negative", to_text(shape)));
  }
  if (shape.size() == 2 || (accepted.vectors && shape.size() == 1)) return;
  if (accepted.any_rank && !shape.empty()) return;
  fail(path, fmt::format("shape {}: expected {}", to_text(shape),
                         accepted.any_rank  ? "at least one dimension"
                         : accepted.vectors ? "one dimension or two (rows, columns)"
                                            : "two dimensions (rows, columns)"));
}

// A regular file is as long as its header says, before anything of it is used.
void check_size(const Source& source, const Layout& layout) {
  const std::uint64_t bytes = payload_bytes(layout, source.path());
  if (!source.is_regular() || source.bytes_left() == bytes) return;
  const std::string needs = fmt::format("shape {} of {} needs {} bytes", to_text(layout.shape),
                                        name_of(layout.dtype), bytes);
  if (source.bytes_left() < bytes) {
    fail(source.path(), fmt::format("truncated: {}, the file has {}", needs, source.bytes_left()));
  }
  fail(source.path(),
       fmt::format("{} bytes after the array's end: {}", source.bytes_left() - bytes, needs));
}

const char* description_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return "<f2";
    case Dtype::kF32: return "<f4";
    case Dtype::kF64: return "<f8";
    case Dtype::kS8: return "|i1";
    case Dtype::kU8: return "|u1";
    case Dtype::kS32: return "<i4";
    case Dtype::kBF16: break;
  }
  throw Error(ErrorCode::kUnsupported, ".npy has no type for bf16");
}

}  // namespace

void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::kInvalidInput, fmt::format("'{}': {}", path.string(), what));
}

Source::Source(const std::filesystem::path& path) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    const int error = errno;
    fail(path, error == ENOENT ? "no such file" : "cannot read: " + system_text(error));
  }
  struct stat facts {};
  const int error = ::fstat(descriptor_, &facts) == 0 ? 0 : errno;
  is_regular_ = error == 0 && S_ISREG(facts.st_mode);
  if (is_regular_) {
    bytes_left_ = static_cast<std::uint64_t>(facts.st_size);
  } else if (error != 0 || !S_ISFIFO(facts.st_mode)) {
    ::close(descriptor_);
    fail(path, error != 0 ? "cannot read: " + system_text(error)
                          : std::string("not a regular file and not a pipe"));
  }
}

Source::~Source() { ::close(descriptor_); }

std::uint64_t Source::read_some(char* destination, std::uint64_t bytes) {
  constexpr std::uint64_t kMostAtOnce = 1 << 30;  // read() takes no more than 2 GiB
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::read(descriptor_, destination + done, std::min(bytes - done, kMostAtOnce));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot read: " + system_text(errno));
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  position_ += done;
  bytes_left_ -= std::min(bytes_left_, done);
  return done;
}

void Source::read(char* destination, std::uint64_t bytes, std::string_view what) {
  if (is_regular_ && bytes > bytes_left_) {
    fail(path_, fmt::format("truncated: {} needs {} more bytes, the file has {}", what, bytes,
                            bytes_left_));
  }
  if (const std::uint64_t got = read_some(destination, bytes); got < bytes) {
    fail(path_, fmt::format("truncated: {} needs {} bytes, the {} ended after {}", what, bytes,
                            is_regular_ ? "file" : "pipe", got));
  }
}

std::string Source::text(std::uint64_t bytes, std::string_view what) {
  if (is_regular_ && bytes > bytes_left_) read(nullptr, bytes, what);  // throws before allocating
  if (bytes > kMostHeaderBytes) {
    fail(path_, fmt::format("{} has {} bytes: expected at most {}", what, bytes, kMostHeaderBytes));
  }
  std::string result(bytes, '\0');
  read(result.data(), bytes, what);
  return result;
}

Layout read_layout(Source& source, const Accepted& accepted) {
  const std::string text = read_header_text(source);
  Header header;
  try {
    header = parse_header(text);
  } catch (const Error& error) {
    fail(source.path(), error.what());
  }
  check_shape(header.shape, accepted, source.path());
  Layout layout{parse_dtype(header.description, accepted, source.path()),
                header.fortran_order ? Order::kColumnMajor : Order::kRowMajor, header.shape};
  check_size(source, layout);
  return layout;
}

void read_elements(Source& source, const Layout& layout, char* to) {
  source.read(to, payload_bytes(layout, source.path()), "the array");
  char beyond = 0;
  if (!source.is_regular() && source.read_some(&beyond, 1) != 0) {
    fail(source.path(), fmt::format("bytes after the array's end: shape {} of {} needs {} bytes",
                                    to_text(layout.shape), name_of(layout.dtype),
                                    payload_bytes(layout, source.path())));
  }
}

std::string header_bytes(const Layout& layout) {
  std::string text = fmt::format(
      "{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", description_of(layout.dtype),
      layout.order == Order::kColumnMajor ? "True" : "False", to_text(layout.shape));
  constexpr std::size_t kAlignment = 64, kLengthBytes = 2;
  const std::size_t unpadded = kPreambleBytes + kLengthBytes + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

std::uint64_t payload_bytes(const Layout& layout, const std::filesystem::path& path) {
  std::int64_t bytes = static_cast<std::int64_t>(size_of(layout.dtype));
  bool overflow = false, empty = false;
  for (const std::int64_t extent : layout.shape) {
    overflow = __builtin_mul_overflow(bytes, extent, &bytes) || overflow;
    empty = empty || extent == 0;
  }
  if (overflow && !empty) {
    fail(path, fmt::format("shape {}: more bytes than 63 bits can count", to_text(layout.shape)));
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

void require_memory(std::uint64_t bytes, const std::filesystem::path& path) {
  const std::uint64_t available = available_memory();
  if (bytes <= available) return;
  fail(path, fmt::format("{} bytes of elements: this machine has {} bytes of memory left", bytes,
                         available));
}

}  // namespace tilewise::npy
