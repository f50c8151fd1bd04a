// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

namespace tilewise::compile {
namespace {

std::optional<Diagnostic> parse(const std::string& line) {
  static const std::regex kFrontEnd(
      R"(^(.+?)\((\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (.*)$)");
  static const std::regex kHost(R"(^(.+?):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$)");
  std::smatch found;
  if (line.size() > 4096) return std::nullopt;  // regex recursion is as deep as the line is long
  if (!std::regex_match(line, found, kFrontEnd) && !std::regex_match(line, found, kHost)) {
    return std::nullopt;
  }
  const std::string number = found[2].str().substr(0, 9);
  return Diagnostic{found[1], std::stoi(number), found[3]};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::vector<Diagnostic> errors_in(std::string_view output) {
  std::vector<Diagnostic> errors;
  for (const std::string& line : lines_of(output)) {
    if (std::optional<Diagnostic> error = parse(line)) errors.push_back(std::move(*error));
  }
  return errors;
}

std::string missing_header(const Diagnostic& error) {
  static const std::regex kHost(R"(^(.+): No such file or directory$)");
  static const std::regex kFrontEnd(R"re(^(?:cannot|could not) open source file "(.+?)".*$)re");
  std::smatch found;
  if (std::regex_match(error.message, found, kFrontEnd) ||
      std::regex_match(error.message, found, kHost)) {
    return found[1];
  }
  return {};
}

std::string first_errors(std::string_view output) {
  constexpr std::size_t kMost = 3;
  std::string text;
  const std::vector<Diagnostic> errors = errors_in(output);
  for (std::size_t i = 0; i < std::min(kMost, errors.size()); ++i) {
    text += fmt::format("{}{}:{}: {}", text.empty() ? "" : "; ", errors[i].file, errors[i].line,
                        errors[i].message);
  }
  if (errors.size() > kMost) text += fmt::format("; and {} more", errors.size() - kMost);
  if (!text.empty()) return text;
  const std::vector<std::string> lines = lines_of(output);
  for (std::size_t i = 0; i < std::min(kMost, lines.size()); ++i) {
    text += (text.empty() ? "" : " ") + lines[i];
  }
  return text.empty() ? "it says nothing" : text;
}

}  // namespace tilewise::compile
