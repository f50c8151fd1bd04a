// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tokens of a PTX file and a place among them: what every part of the parser stands on.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tilewise/error.hpp"
#include "vgpu/ptx/ir.hpp"
#include "vgpu/ptx/lexer.hpp"

namespace tilewise::vgpu::ptx {

class Cursor {
 public:
  explicit Cursor(Module& module)
      : module_(module), tokens_(tokenize(module.text, module.source_name)) {}

 protected:
  const Token& here() const { return tokens_[at_]; }
  bool at_end() const { return here().kind == TokenKind::kEnd; }
  bool is_symbol(char c) const { return here().kind == TokenKind::kSymbol && here().text[0] == c; }
  bool is_dotted(std::string_view text) const {
    return here().kind == TokenKind::kDotted && here().text == text;
  }
  Token take() {
    if (at_end()) fail("the file ends in the middle of something");
    return tokens_[at_++];
  }
  bool accept(char c) { return is_symbol(c) ? (++at_, true) : false; }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'", c));
  }
  std::string_view take_name(const char* what) {
    if (here().kind != TokenKind::kName) fail(fmt::format("expected {}", what));
    return take().text;
  }

  /// Fails with the line of the current token, quoted as it stands in the file.
  [[noreturn]] void fail(const std::string& what) const { fail_at(here().line, what); }
  [[noreturn]] void fail_at(int line, const std::string& what) const {
    std::string_view text = module_.text;
    for (int i = 1; i < line; ++i) text.remove_prefix(text.find('\n') + 1);
    text = text.substr(0, text.find('\n'));
    const std::size_t begin = text.find_first_not_of(" \t\r");
    text = begin == std::string_view::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: {}, in `{}`", module_.source_name,
                                                      line, what, text.substr(0, 160)));
  }

  /// One more level of something that may stand inside of itself, for as long as it lives: what is nested
  /// deeper than any compiler nests would exhaust the stack.
  class Level {
   public:
    explicit Level(Cursor& cursor) : depth_(cursor.depth_) {
      if (depth_ == kMostLevels) cursor.fail("this is nested too deeply");
      ++depth_;
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    static constexpr int kMostLevels = 200;
    int& depth_;
  };

  std::uint64_t take_count(const char* what, std::uint64_t most) {
    if (here().kind != TokenKind::kInteger) fail(fmt::format("expected {}", what));
    const std::uint64_t value = take().bits;
    if (value > most) fail(fmt::format("{} of {} is more than {}", what, value, most));
    return value;
  }

  void parse_file() {
    take();
    const std::uint64_t index = take().bits;
    if (index > 1u << 16) fail("absurd .file index");
    if (here().kind != TokenKind::kString) fail("expected a file name in quotes");
    if (module_.files.size() <= index) module_.files.resize(index + 1);
    module_.files[index] = std::string(take().text);
    while (accept(',')) take();
  }

  void skip_section() {
    while (!is_symbol('{')) take();
    int depth = 0;
    do {
      if (is_symbol('{')) ++depth;
      if (is_symbol('}')) --depth;
      take();
    } while (depth > 0);
  }

  void skip_to_semicolon() {
    while (!is_symbol(';')) take();
    take();
  }

  Module& module_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace tilewise::vgpu::ptx
