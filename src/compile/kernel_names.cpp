// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <utility>

namespace tilewise::compile {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_number(std::string_view token) {
  return !token.empty() && std::isdigit(static_cast<unsigned char>(token[0]));
}

// Aliases of types that people write in template arguments, and what the compiler calls them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kAliases{{
    {"half", "__half"},
    {"half2", "__half2"},
    {"nv_bfloat16", "__nv_bfloat16"},
    {"nv_bfloat162", "__nv_bfloat162"},
    {"uint", "unsigned int"},
    {"int8_t", "signed char"},
    {"uint8_t", "unsigned char"},
    {"int16_t", "short"},
    {"uint16_t", "unsigned short"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"int64_t", "long"},
    {"uint64_t", "unsigned long"},
    {"size_t", "unsigned long"},
    {"true", "1"},
    {"false", "0"},
}};

// 128u and 0x80 as 128; 'a' as 97.
std::string plain_number(const std::string& token) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(token.c_str(), &end, 0);
  const std::string_view rest = end;
  const bool suffix = rest.find_first_not_of("uUlLzZ") == std::string_view::npos;
  return suffix ? std::to_string(value) : token;
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
    } else if (is_word(text[i])) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      tokens.emplace_back(text.substr(i, end - i));
      i = end;
    } else if (text[i] == '\'' && i + 2 < text.size() && text[i + 2] == '\'') {
      tokens.push_back(std::to_string(static_cast<int>(text[i + 1])));
      i += 3;
    } else {
      tokens.emplace_back(1, text[i++]);
    }
  }
  return tokens;
}

// A cast in front of a number, "(unsigned int)8": where it ends; `i` when there is none.
std::size_t end_of_cast(const std::vector<std::string>& tokens, std::size_t i) {
  if (tokens[i] != "(") return i;
  std::size_t end = i + 1;
  while (end < tokens.size() && (is_word(tokens[end][0]) || tokens[end] == ":")) ++end;
  if (end == i + 1 || end + 1 >= tokens.size() || tokens[end] != ")") return i;
  const std::string& next = tokens[end + 1];
  return is_number(next) || next == "-" || next == "true" || next == "false" ? end + 1 : i;
}

std::string translated(const std::string& token) {
  if (is_number(token)) return plain_number(token);
  for (const auto& [alias, name] : kAliases) {
    if (token == alias) return std::string(name);
  }
  return token;
}

// The index of the '<' that the '>' at the end closes; npos when the name ends otherwise.
std::size_t begin_of_arguments(std::string_view name) {
  if (!name.ends_with('>')) return std::string_view::npos;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string without_arguments(const std::string& name) {
  return name.substr(0, begin_of_arguments(name));
}

std::string without_namespaces(const std::string& name) {
  const std::size_t end = std::min(begin_of_arguments(name), name.size());
  const std::size_t colon = name.rfind("::", end);
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace

std::vector<std::string> kernels_of(std::string_view ptx) {
  std::vector<std::string> kernels;
  constexpr std::string_view kEntry = ".entry";
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos;
       at = ptx.find(kEntry, at + 1)) {
    const std::size_t line = ptx.rfind('\n', at) + 1;  // npos + 1: the first line
    if (ptx.substr(line, at - line).find("//") != std::string_view::npos) continue;
    std::size_t begin = at + kEntry.size();
    while (begin < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[begin]))) ++begin;
    std::size_t end = begin;
    while (end < ptx.size() && (is_word(ptx[end]) || ptx[end] == '%')) ++end;
    if (end == begin || begin == at + kEntry.size()) continue;
    const std::string name(ptx.substr(begin, end - begin));  // declared first, at times
    if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) kernels.push_back(name);
  }
  return kernels;
}

std::string canonical(std::string_view name) {
  const std::vector<std::string> tokens = tokens_of(without_anonymous(std::string(name)));
  std::vector<std::string> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    i = end_of_cast(tokens, i);
    if (tokens[i] == "const" ||
        (tokens[i] == "std" && i + 1 < tokens.size() && tokens[i + 1] == ":")) {
      if (tokens[i] == "std") i += 2;
      continue;
    }
    const bool whole =
        tokens[i] == "unsigned" && (i + 1 == tokens.size() || !is_word(tokens[i + 1][0]));
    words.push_back(whole ? "unsigned int" : translated(tokens[i]));
  }
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty() && is_word(text.back()) && is_word(word[0])) text += ' ';
    text += word;
  }
  return text;
}

std::vector<std::string> matches(const std::vector<std::string>& kernels, std::string_view name) {
  const std::string wanted = canonical(name);
  const auto plain = [](const std::string& k) { return canonical(without_signature(demangle(k))); };
  using Rule = std::function<bool(const std::string&)>;
  const Rule rules[] = {
      [&](const std::string& k) { return k == name; },
      [&](const std::string& k) { return canonical(demangle(k)) == wanted; },
      [&](const std::string& k) { return plain(k) == wanted; },
      [&](const std::string& k) { return without_arguments(plain(k)) == wanted; },
      [&](const std::string& k) { return without_namespaces(plain(k)) == wanted; },
      [&](const std::string& k) {
        return without_namespaces(without_arguments(plain(k))) == wanted;
      },
      [&](const std::string& k) {
        return canonical(demangle(k)).starts_with(wanted) || plain(k).starts_with(wanted) ||
               without_namespaces(plain(k)).starts_with(wanted);
      },
  };
  std::vector<std::string> found;
  for (const Rule& rule : rules) {
    std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(found), rule);
    if (!found.empty() || wanted.empty()) break;
  }
  return found;
}

std::string listing(const std::vector<std::string>& kernels) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, kernels.size()); ++i) {
    text += (text.empty() ? "" : ", ") + without_signature(demangle(kernels[i]));
  }
  if (kernels.size() > kMost) text += fmt::format(" and {} more", kernels.size() - kMost);
  return text.empty() ? "no kernel at all" : text;
}

}  // namespace tilewise::compile
