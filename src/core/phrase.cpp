// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/phrase.hpp"

#include <charconv>

namespace tilewise {
namespace {

std::string hexadecimal(unsigned long long number) {
  char digits[16];
  const auto [end, failure] = std::to_chars(digits, digits + sizeof(digits), number, 16);
  return "0x" + std::string(digits, end);
}

}  // namespace

std::string phrase_of(std::string_view format, std::span<const PhraseValue> values) {
  std::string out;
  for (const PhraseValue& value : values) {
    const std::size_t open = format.find('{');
    const std::size_t close = format.find('}', open);
    if (close == std::string_view::npos) break;  // more values than places: they are left out
    out += format.substr(0, open);
    out += close > open + 1 ? hexadecimal(value.number) : value.text;
    format.remove_prefix(close + 1);
  }
  return out += format;
}

}  // namespace tilewise
