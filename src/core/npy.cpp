// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>

#include "core/file.hpp"
#include "core/float16.hpp"
#include "core/memory.hpp"
#include "core/npy_header.hpp"
#include "tilewise/error.hpp"

namespace tilewise::npy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::uint64_t kPreambleBytes = 8;  // magic, then the version's two bytes

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(ErrorCode::kInvalidInput, fmt::format("'{}': {}", path.string(), what));
}

// Reads a file front to back; every shortfall is an error that says what was cut off.
class Source {
 public:
  explicit Source(const fs::path& path) : path_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) fail(path, "no such file");
    if (!fs::is_regular_file(status)) fail(path, "not a regular file");
    bytes_left_ = fs::file_size(path, error);
    errno = 0;
    stream_.open(path, std::ios::binary);
    if (error || !stream_) {
      fail(path, fmt::format("cannot read: {}",
                             error ? error.message() : std::generic_category().message(errno)));
    }
  }

  std::uint64_t bytes_left() const { return bytes_left_; }

  void read(char* destination, std::uint64_t bytes, std::string_view what) {
    if (bytes > bytes_left_) {
      fail(path_, fmt::format("truncated: {} needs {} more bytes, the file has {}", what, bytes,
                              bytes_left_));
    }
    stream_.read(destination, static_cast<std::streamsize>(bytes));
    if (static_cast<std::uint64_t>(stream_.gcount()) != bytes) {
      fail(path_, fmt::format("cannot read {}: the file ended early", what));
    }
    bytes_left_ -= bytes;
  }

  std::string text(std::uint64_t bytes, std::string_view what) {
    if (bytes > bytes_left_) read(nullptr, bytes, what);  // throws before allocating
    std::string result(bytes, '\0');
    read(result.data(), bytes, what);
    return result;
  }

 private:
  const fs::path& path_;
  std::ifstream stream_;
  std::uint64_t bytes_left_ = 0;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

std::string read_header_text(Source& source, const fs::path& path) {
  if (source.bytes_left() < kPreambleBytes) {
    fail(path, fmt::format("not a .npy file: {} bytes, a header has more", source.bytes_left()));
  }
  const std::string preamble = source.text(kPreambleBytes, "the preamble");
  if (!preamble.starts_with(kMagic))
    fail(path, "not a .npy file: it does not begin with \\x93NUMPY");
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(path, fmt::format(".npy format {}.{}: expected 1.0, 2.0 or 3.0", major, minor));
  }
  const std::uint64_t length = little_endian(source.text(major == 1 ? 2 : 4, "the header length"));
  return source.text(length, "the header");
}

Dtype parse_dtype(const std::string& description, const fs::path& path) {
  if (description == "<f2") return Dtype::kF16;
  if (description == "<f4") return Dtype::kF32;
  if (description == "<f8") return Dtype::kF64;
  const std::string shown = description.starts_with('[')
                                ? std::string("with fields")
                                : fmt::format("'{}'", printable(description));
  fail(path, fmt::format("dtype {}: expected '<f2', '<f4' or '<f8' (little-endian float16, float32 "
                         "or float64)",
                         shown));
}

// Bytes of a rows×columns matrix; throws where 63 bits do not hold them.
std::uint64_t payload_bytes(const Array& array, const fs::path& path) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(array.rows, array.columns, &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<std::int64_t>(size_of(array.dtype)), &bytes)) {
    fail(path, fmt::format("shape ({}, {}): more bytes than 63 bits can count", array.rows,
                           array.columns));
  }
  return static_cast<std::uint64_t>(bytes);
}

Array describe(const Header& header, const fs::path& path) {
  for (const std::int64_t extent : header.shape) {
    if (extent < 0) fail(path, fmt::format("shape {}: a size is negative", to_text(header.shape)));
  }
  if (header.shape.size() != 2) {
    fail(path,
         fmt::format("shape {}: expected two dimensions (rows, columns)", to_text(header.shape)));
  }
  Array array;
  array.dtype = parse_dtype(header.description, path);
  array.order = header.fortran_order ? Order::kColumnMajor : Order::kRowMajor;
  array.rows = header.shape[0];
  array.columns = header.shape[1];
  return array;
}

void check_payload(const Source& source, std::uint64_t bytes, const Array& array,
                   const fs::path& path) {
  if (source.bytes_left() < bytes) {
    fail(path,
         fmt::format("truncated: shape ({}, {}) of {} needs {} bytes, the file has {}", array.rows,
                     array.columns, name_of(array.dtype), bytes, source.bytes_left()));
  }
  if (source.bytes_left() > bytes) {
    fail(path, fmt::format("{} bytes after the array's end: shape ({}, {}) of {} needs {} bytes",
                           source.bytes_left() - bytes, array.rows, array.columns,
                           name_of(array.dtype), bytes));
  }
  if (const std::uint64_t available = available_memory(); bytes > available) {
    fail(path, fmt::format("{} bytes of elements: this machine has {} bytes of memory left", bytes,
                           available));
  }
}

double element(Dtype dtype, const std::byte* from) {
  switch (dtype) {
    case Dtype::kF16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, from, sizeof(bits));
      return f16_to_f32(bits);
    }
    case Dtype::kF32: {
      float value = 0;
      std::memcpy(&value, from, sizeof(value));
      return value;
    }
    case Dtype::kF64: {
      double value = 0;
      std::memcpy(&value, from, sizeof(value));
      return value;
    }
  }
  return 0;
}

const char* description_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return "<f2";
    case Dtype::kF32: return "<f4";
    case Dtype::kF64: return "<f8";
  }
  return "?";
}

// The header of format 1.0, padded so that the elements begin at a multiple of 64 bytes.
std::string header_bytes(const Array& array) {
  std::string text = fmt::format(
      "{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", description_of(array.dtype),
      array.order == Order::kColumnMajor ? "True" : "False", array.rows, array.columns);
  constexpr std::size_t kAlignment = 64, kLengthBytes = 2;
  const std::size_t unpadded = kPreambleBytes + kLengthBytes + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

}  // namespace

double Array::at(std::int64_t row, std::int64_t column) const {
  if (row < 0 || row >= rows || column < 0 || column >= columns) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("element ({}, {}) of a {}x{} matrix", row, column, rows, columns));
  }
  const std::int64_t index =
      order == Order::kRowMajor ? row * columns + column : column * rows + row;
  return element(dtype, bytes.data() + static_cast<std::size_t>(index) * size_of(dtype));
}

std::vector<double> Array::to_f64() const {
  std::vector<double> result(static_cast<std::size_t>(rows * columns));
  if (result.empty()) return result;  // 0 x 2^62 is a legal shape: do not walk along it
  const bool row_major = order == Order::kRowMajor;
  const std::int64_t outer = row_major ? rows : columns, inner = row_major ? columns : rows;
  const std::byte* from = bytes.data();
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < inner; ++j, from += size_of(dtype)) {
      result[static_cast<std::size_t>(row_major ? i * columns + j : j * columns + i)] =
          element(dtype, from);
    }
  }
  return result;
}

Array read(const fs::path& path) {
  Source source(path);
  const std::string text = read_header_text(source, path);
  Header header;
  try {
    header = parse_header(text);
  } catch (const Error& error) {
    fail(path, error.what());
  }
  Array array = describe(header, path);
  const std::uint64_t bytes = payload_bytes(array, path);
  check_payload(source, bytes, array, path);
  try {
    array.bytes.resize(bytes);
  } catch (const std::bad_alloc&) {
    fail(path, fmt::format("{} bytes of elements: more than this machine grants", bytes));
  }
  if (bytes > 0) source.read(reinterpret_cast<char*>(array.bytes.data()), bytes, "the elements");
  return array;
}

void write(const fs::path& path, const Array& array) {
  if (array.rows < 0 || array.columns < 0) {
    fail(path, fmt::format("shape ({}, {}): a size is negative", array.rows, array.columns));
  }
  if (const std::uint64_t bytes = payload_bytes(array, path); bytes != array.bytes.size()) {
    fail(path, fmt::format("shape ({}, {}) of {} needs {} bytes, the array holds {}", array.rows,
                           array.columns, name_of(array.dtype), bytes, array.bytes.size()));
  }
  const std::string_view elements(reinterpret_cast<const char*>(array.bytes.data()),
                                  array.bytes.size());
  write_file(path, {header_bytes(array), elements});
}

}  // namespace tilewise::npy
