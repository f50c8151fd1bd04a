// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>

#include "tilewise/error.hpp"

namespace tilewise::npy {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A recursive-descent parser of the few literals that NumPy writes.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Header dictionary() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept('}')) break;
      expect(',');
    }
    skip_space();
    if (at_ != text_.size()) fail("text after the dictionary");
    require(has_description_, "descr");
    require(has_order_, "fortran_order");
    require(has_shape_, "shape");
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("malformed .npy header at byte {}: {}", at_, what));
  }

  static void require(bool present, std::string_view key) {
    if (!present) {
      throw Error(ErrorCode::kInvalidInput,
                  fmt::format("malformed .npy header: the key '{}' is missing", key));
    }
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'", c));
  }

  void entry() {
    const std::string key = string();
    expect(':');
    if (key == "descr") {
      header_.description = description();
      has_description_ = true;
    } else if (key == "fortran_order") {
      header_.fortran_order = boolean();
      has_order_ = true;
    } else if (key == "shape") {
      header_.shape = tuple();
      has_shape_ = true;
    } else {
      fail(fmt::format("unknown key '{}'", printable(key)));
    }
  }

  // 'text' or "text", with Python 2's u or b before it.
  std::string string() {
    char quote = peek();
    if (quote == 'u' || quote == 'b') {
      ++at_;
      quote = at_ < text_.size() ? text_[at_] : '\0';
    }
    if (quote != '\'' && quote != '"') fail("expected a quoted string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string does not end");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (inside.find('\\') != std::string_view::npos) fail("escapes in strings are not supported");
    at_ = end + 1;
    return std::string(inside);
  }

  // A dtype with fields is a list; what it holds does not matter, for no matrix has one.
  std::string description() {
    if (peek() != '[') return string();
    int depth = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '[') ++depth;
      if (text_[at_] == ']' && --depth == 0) {
        ++at_;
        return std::string(text_.substr(begin, at_ - begin));
      }
    }
    fail("a list does not end");
  }

  bool boolean() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True") return true;
    if (word == "False") return false;
    at_ = begin;
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    if (!accept('(')) fail("expected the shape, in parentheses");
    std::vector<std::int64_t> values;
    while (!accept(')')) {
      values.push_back(integer());
      if (accept(')')) break;
      expect(',');
    }
    return values;
  }

  std::int64_t integer() {
    peek();
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) {
      fail(fmt::format("the size {} does not fit in 64 bits",
                       printable({begin, static_cast<std::size_t>(stop - begin)})));
    }
    if (error != std::errc()) fail("expected an integer");
    at_ += static_cast<std::size_t>(stop - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's long integers
    if (at_ < text_.size() &&
        (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) {
      fail("expected an integer");
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Header header_;
  bool has_description_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

Header parse_header(std::string_view text) { return Parser(text).dictionary(); }

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (const char c : text.substr(0, kMost)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kMost ? result + "..." : result;
}

std::string to_text(const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kMost = 8;  // more would not help anybody
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == kMost) {
      text += ", ...";
      break;
    }
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace tilewise::npy
