// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/golden_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tilewise/error.hpp"

namespace tilewise::vgpu {
namespace {

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(by);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T> bool read(std::string_view text, int base, T& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to, base);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

GoldenRow::GoldenRow(std::string source, int line, std::string_view text)
    : source_(std::move(source)), line_(line), fields_(split(text, ',')) {}

void GoldenRow::refuse(std::size_t column, std::string_view expected) const {
  throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: field {} is '{}', expected {}", source_,
                                                    line_, column + 1, text(column), expected));
}

std::uint64_t GoldenRow::number(std::size_t column, int base) const {
  std::uint64_t value = 0;
  if (!read(text(column), base, value))
    refuse(column, base == 16 ? "a hexadecimal number" : "a number");
  return value;
}

std::vector<std::int64_t> GoldenRow::signed_numbers(std::size_t column, std::size_t most) const {
  std::vector<std::int64_t> values;
  if (text(column).empty()) return values;
  for (const std::string_view part : split(text(column), ' ')) {
    std::int64_t value = 0;
    if (!read(part, 10, value) || values.size() == most)
      refuse(column, fmt::format("at most {} whole numbers", most));
    values.push_back(value);
  }
  return values;
}

std::vector<GoldenRow> golden_rows(std::string_view text, const std::string& source,
                                   std::size_t columns) {
  std::vector<GoldenRow> rows;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1 || line.empty()) continue;
    rows.emplace_back(source, number, line);
    if (rows.back().columns() == columns) continue;
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: {} fields, expected {}", source,
                                                      number, rows.back().columns(), columns));
  }
  if (rows.empty()) throw Error(ErrorCode::kInvalidInput, fmt::format("'{}' has no rows", source));
  return rows;
}

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t h = 0xCBF29CE484222325;
  for (const std::byte b : bytes) h = (h ^ static_cast<std::uint64_t>(b)) * 0x100000001B3;
  return h;
}

}  // namespace tilewise::vgpu
