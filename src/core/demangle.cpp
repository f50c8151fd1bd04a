// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tilewise {

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name.starts_with("_Z") ? std::string(text.get()) : name;
}

std::string without_anonymous(std::string text) {
  constexpr std::string_view kPart = "(anonymous namespace)::";
  for (std::size_t at = text.find(kPart); at != std::string::npos; at = text.find(kPart, at))
    text.erase(at, kPart.size());
  return text;
}

std::string without_signature(std::string_view demangled) {
  const std::string text = without_anonymous(std::string(demangled));
  int depth = 0;
  std::size_t begin = 0, end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == ' ' && depth == 0) begin = i + 1;
    if (text[i] == '(' && depth == 0) {
      end = i;
      break;
    }
  }
  return text.substr(begin, end - begin);
}

}  // namespace tilewise
