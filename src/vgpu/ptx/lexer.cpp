// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/ptx/lexer.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>

#include "tilewise/error.hpp"

namespace tilewise::vgpu::ptx {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4);
    for (;;) {
      skip_blank();
      tokens.push_back(next());
      if (tokens.back().kind == TokenKind::kEnd) return tokens;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: {}", source_, line_, what));
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

  void skip_block_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) fail("a comment /* is never closed");
    for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
  }

  Token next() {
    const char c = peek();
    if (at_ >= text_.size()) return token(TokenKind::kEnd, at_);
    if (is_digit(c)) return number();
    if (is_name_start(c)) return name();
    if (c == '.' && (is_name_part(peek(1)))) return dotted();
    if (c == '"') return string();
    static constexpr std::string_view kSymbols = ",;:[](){}<>@!+-*/=|&^~%?";
    if (kSymbols.find(c) == std::string_view::npos)
      fail(fmt::format("unexpected character '{}'", c));
    ++at_;
    return token(TokenKind::kSymbol, at_ - 1);
  }

  Token token(TokenKind kind, std::size_t begin) const {
    return {kind, text_.substr(begin, at_ - begin), line_};
  }

  Token name() {
    const std::size_t begin = at_++;
    while (is_name_part(peek())) ++at_;
    if (at_ - begin == 1 && text_[begin] == '%') return token(TokenKind::kSymbol, begin);
    return token(TokenKind::kName, begin);
  }

  // .shared::cta and .mbarrier::complete_tx::bytes are one token.
  Token dotted() {
    const std::size_t begin = ++at_;
    while (is_name_part(peek()) || (peek() == ':' && peek(1) == ':')) at_ += peek() == ':' ? 2 : 1;
    return token(TokenKind::kDotted, begin);
  }

  Token string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\n') fail("a string is never closed");
      ++at_;
    }
    if (at_ >= text_.size()) fail("a string is never closed");
    Token result = token(TokenKind::kString, begin);
    ++at_;
    return result;
  }

  Token number() {
    const char kind = peek() == '0' ? static_cast<char>(peek(1) | 0x20) : ' ';
    if (kind == 'f' || kind == 'd') return float_bits(kind == 'f' ? 8 : 16);
    if (is_decimal_float()) return decimal_float();
    int base = 10;
    std::size_t begin = at_, skip = 0;
    if (kind == 'x') base = 16, skip = 2;
    else if (kind == 'b') base = 2, skip = 2;
    else if (peek() == '0' && is_digit(peek(1))) base = 8, skip = 1;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_ + skip, text_.data() + text_.size(), value, base);
    if (error != std::errc{}) fail("malformed integer");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (peek() == 'U') ++at_;
    // The vector width .v4 and shapes like m16n8k16 never start with a digit, but .1d does not get
    // here either: a number directly followed by a letter is a mistake.
    if (is_name_part(peek())) fail("malformed number");
    Token result = token(TokenKind::kInteger, begin);
    result.bits = value;
    return result;
  }

  Token float_bits(int digits) {
    const std::size_t begin = at_;
    at_ += 2;
    std::uint64_t value = 0;
    const char* first = text_.data() + at_;
    const char* last =
        text_.data() + std::min(text_.size(), at_ + static_cast<std::size_t>(digits));
    const auto [end, error] = std::from_chars(first, last, value, 16);
    if (error != std::errc{} || end - first != digits) {
      fail(fmt::format("a float constant needs {} hexadecimal digits", digits));
    }
    at_ += static_cast<std::size_t>(digits);
    Token result = token(TokenKind::kFloat, begin);
    result.bits = value;
    result.single = digits == 8;
    return result;
  }

  bool is_decimal_float() const {
    std::size_t i = at_;
    while (i < text_.size() && is_digit(text_[i])) ++i;
    if (i >= text_.size()) return false;
    if (text_[i] == '.') return true;
    return (text_[i] == 'e' || text_[i] == 'E');
  }

  Token decimal_float() {
    const std::size_t begin = at_;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("malformed floating-point constant");
    at_ = static_cast<std::size_t>(end - text_.data());
    Token result = token(TokenKind::kFloat, begin);
    result.bits = std::bit_cast<std::uint64_t>(value);
    return result;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& source_name) {
  return Lexer(text, source_name).run();
}

}  // namespace tilewise::vgpu::ptx
