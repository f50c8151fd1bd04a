// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// --arg TYPE:VALUE: words to kernel arguments.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/emulate_options.hpp"
#include "core/elements.hpp"
#include "core/suggest.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

using bench::ArraySource;
using bench::KernelArgument;

constexpr std::array<std::string_view, 18> kKinds{
    "i8",   "u8",  "i16", "u16", "i32",   "u32", "i64",    "u64",   "f16",
    "bf16", "f32", "f64", "in",  "inout", "out", "random", "zeros", "tensormap"};

[[noreturn]] void fail(const std::string& text, const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, fmt::format("--arg {}: {}", text, what));
}

std::optional<Dtype> find_dtype(std::string_view name) {
  for (const Dtype dtype :
       {Dtype::kF16, Dtype::kBF16, Dtype::kF32, Dtype::kF64, Dtype::kS8, Dtype::kU8, Dtype::kS32}) {
    if (name == name_of(dtype)) return dtype;
  }
  if (name == "i8") return Dtype::kS8;
  if (name == "i32") return Dtype::kS32;
  return std::nullopt;
}

Dtype parse_dtype(const std::string& text, const std::string& name) {
  if (const auto dtype = find_dtype(name)) return *dtype;
  fail(text,
       fmt::format("expected an element type: f16, bf16, f32, f64, s8, u8 or s32, got '{}'", name));
}

// "512x512": extents of an array.
std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& words) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('x', begin), words.size());
    std::int64_t extent = -1;
    const auto [stop, failed] = std::from_chars(words.data() + begin, words.data() + end, extent);
    if (failed != std::errc() || stop != words.data() + end || extent < 0 || shape.size() == 8) {
      fail(text, fmt::format("expected a shape such as 512x512, got '{}'", words));
    }
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements) {
      fail(text, fmt::format("the shape {} has too many elements", words));
    }
    shape.push_back(extent);
    begin = end + 1;
  }
  return shape;
}

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(':', begin), words.size());
    parts.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <typename T> std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Decimal or 0x….
template <typename T>
std::vector<std::byte> parse_integer(const std::string& text, const std::string& word) {
  const bool hexadecimal =
      word.size() > 2 && (word.starts_with("0x") || word.starts_with("0X")) && word[2] != '-';
  const char* end = word.data() + word.size();
  T value{};
  const auto [stop, failed] =
      std::from_chars(word.data() + (hexadecimal ? 2 : 0), end, value, hexadecimal ? 16 : 10);
  if (failed != std::errc() || stop != end) {
    fail(text, fmt::format("expected a whole number from {} to {}, got '{}'",
                           std::int64_t{std::numeric_limits<T>::min()},
                           std::uint64_t{std::numeric_limits<T>::max()}, word));
  }
  return bytes_of(value);
}

std::vector<std::byte> parse_float(const std::string& text, const std::string& word, Dtype dtype) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, failed] = std::from_chars(word.data(), end, value);
  if (failed != std::errc() || stop != end) {
    fail(text, fmt::format("expected a number, got '{}'", word));
  }
  std::vector<std::byte> bytes(size_of(dtype));
  write_elements(dtype, &value, 1, bytes.data());
  return bytes;
}

std::vector<std::byte> parse_scalar(const std::string& text, const std::string& type,
                                    const std::string& word) {
  if (type == "i8") return parse_integer<std::int8_t>(text, word);
  if (type == "u8") return parse_integer<std::uint8_t>(text, word);
  if (type == "i16") return parse_integer<std::int16_t>(text, word);
  if (type == "u16") return parse_integer<std::uint16_t>(text, word);
  if (type == "i32") return parse_integer<std::int32_t>(text, word);
  if (type == "u32") return parse_integer<std::uint32_t>(text, word);
  if (type == "i64") return parse_integer<std::int64_t>(text, word);
  if (type == "u64") return parse_integer<std::uint64_t>(text, word);
  return parse_float(text, word, parse_dtype(text, type));
}

// in:FILE.npy[:DTYPE]; a file's name may hold colons itself.
void parse_file(KernelArgument& a, std::string words) {
  const std::size_t colon = words.rfind(':');
  if (colon != std::string::npos) {
    a.dtype = find_dtype(std::string_view(words).substr(colon + 1));
    if (a.dtype) words.resize(colon);
  }
  if (words.empty()) fail(a.text, "expected the name of a .npy file");
  a.source = ArraySource::kFile;
  a.file = words;
}

// out:FILE.npy:DTYPE:SHAPE.
void parse_output(KernelArgument& a, const std::string& words) {
  const std::size_t shape = words.rfind(':');
  const std::size_t dtype =
      shape == std::string::npos || shape == 0 ? std::string::npos : words.rfind(':', shape - 1);
  if (dtype == std::string::npos || dtype == 0) {
    fail(a.text, "expected out:FILE.npy:TYPE:SHAPE, such as out:c.npy:f32:512x512");
  }
  a.source = ArraySource::kPoisoned;
  a.file = words.substr(0, dtype);
  a.dtype = parse_dtype(a.text, words.substr(dtype + 1, shape - dtype - 1));
  a.shape = parse_shape(a.text, words.substr(shape + 1));
  a.is_output = true;
}

// random:DTYPE:SHAPE[:SEED] and zeros:DTYPE:SHAPE.
void parse_made(KernelArgument& a, const std::string& words, bool random, std::size_t index) {
  const std::vector<std::string> parts = split(words);
  if (parts.size() < 2 || parts.size() > (random ? 3u : 2u)) {
    fail(a.text, random ? "expected random:TYPE:SHAPE or random:TYPE:SHAPE:SEED"
                        : "expected zeros:TYPE:SHAPE");
  }
  a.source = random ? ArraySource::kRandom : ArraySource::kZeros;
  a.dtype = parse_dtype(a.text, parts[0]);
  a.shape = parse_shape(a.text, parts[1]);
  a.seed = index;
  if (parts.size() == 3) {
    a.seed = static_cast<std::uint64_t>(parse_whole("--arg " + a.text, parts[2]));
  }
}

// tensormap:BOX[:swizzle=128B][:type=tf32][:fill=nan]:ARRAY, where ARRAY is an argument of its own or
// arg=N: the array of another.
void parse_tensor(KernelArgument& a, const std::string& words, std::size_t index) {
  const std::string form =
      "expected tensormap:BOX[:swizzle=128B][:type=tf32][:fill=nan]:ARRAY, such as "
      "tensormap:64x64:swizzle=128B:in:a.npy:bf16 or tensormap:64x64:arg=2";
  bench::TensorView view;
  const std::size_t colon = words.find(':');
  if (colon == std::string::npos) fail(a.text, form);
  view.box = parse_shape(a.text, words.substr(0, colon));
  std::string rest = words.substr(colon + 1);
  for (;;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string word = rest.substr(0, end);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) break;
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "swizzle" && find_tensor_swizzle(value)) view.swizzle = *find_tensor_swizzle(value);
    else if (name == "type" && find_tensor_type(value)) view.type = find_tensor_type(value);
    else if (name == "fill" && value == "nan") view.fill = TensorFill::kNan;
    else if (name == "fill" && value == "zero") view.fill = TensorFill::kZero;
    else if (name == "arg")
      view.argument = static_cast<std::size_t>(parse_whole("--arg " + a.text, value, 1));
    else fail(a.text, fmt::format("'{}' is not understood; {}", word, form));
    rest = rest.substr(std::min(end + 1, rest.size()));
    if (rest.empty()) break;
  }
  if (rest.empty() == (view.argument == 0)) fail(a.text, form);
  if (!rest.empty()) {
    const std::string text = a.text;
    a = parse_argument(rest, index);
    if (!a.scalar.empty() || a.tensor) fail(text, form);
    a.text = text;
  }
  a.tensor = std::move(view);
}

}  // namespace

KernelArgument parse_argument(const std::string& text, std::size_t index) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (colon == std::string::npos || std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
    fail(text, fmt::format("expected TYPE:VALUE, with TYPE one of {}{}", fmt::join(kKinds, ", "),
                           colon == std::string::npos ? "" : did_you_mean(kind, kKinds)));
  }
  const std::string words = text.substr(colon + 1);
  KernelArgument argument;
  argument.text = text;
  if (kind == "in" || kind == "inout") {
    parse_file(argument, words);
    argument.is_output = kind == "inout";
  } else if (kind == "out") {
    parse_output(argument, words);
  } else if (kind == "tensormap") {
    parse_tensor(argument, words, index);
  } else if (kind == "random" || kind == "zeros") {
    parse_made(argument, words, kind == "random", index);
  } else {
    argument.scalar = parse_scalar(text, kind, words);
  }
  return argument;
}

}  // namespace tilewise::cli
