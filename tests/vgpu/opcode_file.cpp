// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "opcode_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <regex>
#include <sstream>

#include "core/file.hpp"
#include "tilewise/error.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::size_t kMostMismatches = 4;  // of one array, in the report

int bits_of(const std::string& kind) {
  return std::stoi(kind.substr(kind.find_first_of("0123456789")));
}

bool is_float(const std::string& kind) { return kind[0] == 'f' || kind == "bf16"; }

double to_double(const std::string& kind, std::uint64_t pattern) {
  if (kind == "f64") {
    double number;
    std::memcpy(&number, &pattern, sizeof(number));
    return number;
  }
  const auto low = static_cast<std::uint32_t>(pattern);
  float number;
  std::memcpy(&number, &low, sizeof(number));
  return number;
}

bool is_nan(const std::string& kind, std::uint64_t pattern) {
  if (kind == "f16") return (pattern & 0x7FFF) > 0x7C00;
  if (kind == "bf16") return (pattern & 0x7FFF) > 0x7F80;
  return std::isnan(to_double(kind, pattern));
}

std::string shown(const std::string& kind, std::uint64_t pattern) {
  const std::string hex = fmt::format("0x{:0{}x}", pattern, bits_of(kind) / 4);
  if (kind == "f32" || kind == "f64")
    return fmt::format("{} ({:.9g})", hex, to_double(kind, pattern));
  if (kind[0] != 's') return hex;
  const int unused = 64 - bits_of(kind);
  return fmt::format("{} ({})", hex, static_cast<std::int64_t>(pattern << unused) >> unused);
}

/// Reads the comment lines at the head of a file, one by one.
class HeadReader {
 public:
  explicit HeadReader(OpcodeFile& file) : file_(file) {}

  void read_line(const std::string& line) {
    std::smatch match;
    static const std::regex kNumbers("// {2,}(.*)");
    static const std::regex kExtents("// (threads|blocks): (\\d+)(?: (\\d+))?(?: (\\d+))?");
    static const std::regex kCapability("// capability: (\\d+)\\.(\\d)");
    static const std::regex kDynamicShared("// dynamic shared: (\\d+)");
    static const std::regex kArray(
        "// (in|out) ([bus](?:8|16|32|64)|f16|bf16|f32|f64)(?: \\[(.*)\\])?"
        "(?: (absolute|relative) ([-+.e0-9]+))?:");
    if (std::regex_match(line, match, kNumbers)) {
      read_numbers(match[1]);
    } else if (std::regex_match(line, match, kExtents)) {
      const auto extent = [&](std::size_t i) {
        return match[i].matched ? static_cast<std::uint32_t>(std::stoul(match[i])) : 1u;
      };
      (match[1] == "threads" ? file_.threads : file_.blocks) = {extent(2), extent(3), extent(4)};
    } else if (std::regex_match(line, match, kCapability)) {
      file_.capability = 10 * std::stoi(match[1]) + std::stoi(match[2]);
    } else if (std::regex_match(line, match, kDynamicShared)) {
      file_.dynamic_shared_bytes = static_cast<std::uint32_t>(std::stoul(match[1]));
    } else if (std::regex_match(line, match, kArray)) {
      begin_array(match);
    }
    // Anything else is prose.
  }

 private:
  using Tolerance = OpcodeArray::Tolerance;

  void begin_array(const std::smatch& match) {
    auto& arrays = match[1] == "in" ? file_.inputs : file_.outputs;
    arrays.emplace_back();
    current_ = &arrays.back();
    current_->kind = match[2];
    current_->label = match[3];
    if (match[4].matched) {
      current_->tolerance = match[4] == "absolute" ? Tolerance::kAbsolute : Tolerance::kRelative;
      current_->bound = std::stod(match[5]);
    }
  }

  void read_numbers(const std::string& words) {
    if (!current_) fail("numbers before 'in' or 'out'", words);
    std::istringstream in(words);
    for (std::string word; in >> word;) read_number(word);
  }

  void read_number(const std::string& word) {
    const int bits = bits_of(current_->kind);
    std::uint64_t pattern = 0;
    char* end = nullptr;
    const bool hex = word.starts_with("0x");
    const bool nan = word == "nan";
    if (hex || nan) {
      pattern = std::strtoull(word.c_str(), &end, 16);
      if (nan) end = nullptr;
    } else if (current_->kind == "f64") {
      const double number = std::strtod(word.c_str(), &end);
      std::memcpy(&pattern, &number, sizeof(number));
    } else if (current_->kind == "f32") {
      const auto number = static_cast<float>(std::strtod(word.c_str(), &end));
      std::memcpy(&pattern, &number, sizeof(number));
    } else if (word[0] == '-') {
      pattern = static_cast<std::uint64_t>(std::strtoll(word.c_str(), &end, 10));
    } else {
      pattern = std::strtoull(word.c_str(), &end, 10);
    }
    if (!nan && *end != '\0') fail("not a number", word);
    if (bits < 64) pattern &= (std::uint64_t{1} << bits) - 1;
    current_->bits.push_back(pattern);
    current_->any_nan.push_back(nan);
  }

  [[noreturn]] void fail(const char* what, const std::string& text) const {
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}.ptx: {}: '{}'", file_.name, what, text));
  }

  OpcodeFile& file_;
  OpcodeArray* current_ = nullptr;
};

}  // namespace

std::size_t OpcodeArray::element_bytes() const {
  return static_cast<std::size_t>(bits_of(kind)) / 8;
}

std::string OpcodeArray::mismatch(std::size_t element, std::uint64_t got) const {
  const std::uint64_t expected = bits[element];
  const auto differs = [&](const std::string& wanted) {
    return fmt::format("expected {}, got {}", wanted, shown(kind, got));
  };
  if (any_nan[element]) return is_nan(kind, got) ? "" : differs("any NaN");
  if (got == expected) return "";
  if (tolerance == Tolerance::kNone || !is_float(kind)) return differs(shown(kind, expected));
  const double want = to_double(kind, expected), have = to_double(kind, got);
  const double allowed = tolerance == Tolerance::kAbsolute ? bound : bound * std::abs(want);
  // Written so that a NaN or an infinity never counts as near.
  if (std::isfinite(want) && std::abs(have - want) <= allowed) return "";
  return differs(fmt::format("{} within {:.2g}", shown(kind, expected), allowed));
}

std::vector<std::byte> OpcodeFile::input_bytes() const {
  std::vector<std::byte> bytes;
  for (const OpcodeArray& array : inputs) {
    for (const std::uint64_t pattern : array.bits) {
      const auto* first = reinterpret_cast<const std::byte*>(&pattern);
      bytes.insert(bytes.end(), first, first + array.element_bytes());
    }
  }
  return bytes;
}

std::size_t OpcodeFile::output_size() const {
  std::size_t total = 0;
  for (const OpcodeArray& array : outputs) total += array.bytes();
  return total;
}

std::vector<std::string> OpcodeFile::mismatches(const std::vector<std::byte>& output) const {
  std::vector<std::string> found;
  const std::byte* at = output.data();
  for (const OpcodeArray& array : outputs) {
    std::size_t here = 0;
    for (std::size_t i = 0; i < array.bits.size(); ++i, at += array.element_bytes()) {
      std::uint64_t got = 0;
      std::memcpy(&got, at, array.element_bytes());
      const std::string text = array.mismatch(i, got);
      if (text.empty() || ++here > kMostMismatches) continue;
      found.push_back(fmt::format("{}.ptx: {}, element {} (lane {}): {}", name,
                                  array.label.empty() ? "output" : array.label, i, i % 32, text));
    }
    if (here > kMostMismatches) {
      found.push_back(fmt::format("{}.ptx: {}: {} mismatches in all", name, array.label, here));
    }
  }
  return found;
}

OpcodeFile read_opcode_file(const std::filesystem::path& path) {
  OpcodeFile file;
  file.name = path.stem().string();
  file.ptx = read_file(path);
  HeadReader reader(file);
  std::istringstream in(file.ptx);
  for (std::string line; std::getline(in, line) && line.starts_with("//");) reader.read_line(line);
  if (file.outputs.empty()) {
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}: no 'out' line", path.string()));
  }
  return file;
}

}  // namespace tilewise::vgpu
