// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages with values in them, for files that the installed library holds and that therefore need
// nothing but the standard library (which has no std::format where g++ 12 is the compiler).
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilewise {

/// A value as a phrase shows it. Whole numbers are kept as numbers too, for {:#x}.
struct PhraseValue {
  std::string text;
  unsigned long long number = 0;

  PhraseValue(std::string_view value) : text(value) {}
  PhraseValue(const std::string& value) : text(value) {}
  PhraseValue(const char* value) : text(value) {}
  PhraseValue(std::integral auto value)
      : text(std::to_string(value)), number(static_cast<unsigned long long>(value)) {}
};

/// `format` with its {} and {:#x} replaced by the values, in order.
std::string phrase_of(std::string_view format, std::span<const PhraseValue> values);

template <class... Values> std::string phrase(std::string_view format, const Values&... values) {
  const PhraseValue all[] = {PhraseValue(values)..., PhraseValue("")};
  return phrase_of(format, {all, sizeof...(values)});
}

}  // namespace tilewise
