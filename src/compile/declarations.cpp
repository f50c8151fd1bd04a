// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/declarations.hpp"

#include <algorithm>
#include <cctype>

namespace tilewise::compile {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Walks over text and steps over what holds no code.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }

  // Steps over white space, comments and preprocessor lines.
  void skip_blank() {
    while (!at_end()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      else if (text_.substr(at_, 2) == "//") skip_line();
      else if (text_.substr(at_, 2) == "/*") skip_past("*/", 2);
      else if (text_[at_] == '#' && begins_line()) skip_line();
      else return;
    }
  }

  // One token: a word, a literal, or one character.
  std::string_view take() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (c == '"') skip_literal('"');
    else if (c == '\'') skip_literal('\'');
    else if (is_word(c)) take_word();
    else ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  bool begins_line() const {
    for (std::size_t i = at_; i-- > 0 && text_[i] != '\n';) {
      if (!std::isspace(static_cast<unsigned char>(text_[i]))) return false;
    }
    return true;
  }

  // To the end of the line; a backslash before it continues the line.
  void skip_line() {
    while (!at_end() && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      if (text_.substr(at_, 2) == "/*") {
        skip_past("*/", 2);
        continue;
      }
      ++at_;
    }
  }

  void skip_past(std::string_view mark, std::size_t from) {
    const std::size_t found = text_.find(mark, at_ + from);
    at_ = found == std::string_view::npos ? text_.size() : found + mark.size();
  }

  void skip_literal(char quote) {
    for (++at_; !at_end() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  // Words, numbers with separators such as 1'000, and raw strings, which begin like a word.
  void take_word() {
    const std::size_t begin = at_;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_]));
    while (!at_end() && (is_word(text_[at_]) || (number && text_[at_] == '\''))) ++at_;
    if (at_end() || text_[at_] != '"' || text_[at_ - 1] != 'R' || at_ - begin > 3) return;
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return;
    const std::string mark = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_past(mark, open - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text), walker_(text) {}

  std::vector<Declaration> run() {
    for (walker_.skip_blank(); !walker_.at_end(); walker_.skip_blank()) read_declaration();
    number_lines();
    return std::move(declarations_);
  }

 private:
  void read_declaration() {
    Declaration d;
    d.begin = walker_.at();
    bool is_namespace = false, is_function = false;
    int round = 0;  // depth of ( )
    bool after_brace = false;
    while (!walker_.at_end()) {
      const std::string_view token = walker_.take();
      d.end = walker_.at();
      if (token == "}") return;  // of a namespace
      if (token == "__global__" || token == "__device__" || token == "__constant__") {
        d.on_device = true;
      }
      if (token == "namespace") is_namespace = true;
      if (token == "(") ++round, is_function = true;
      if (token == ")") --round;
      if (token == "=" && round == 0 && !after_brace) is_function = false;
      if (token == ";" && round <= 0) break;
      if (token == "{") {
        const std::string_view head = text_.substr(d.begin, d.end - d.begin);
        if (is_namespace || is_linkage(head)) return;
        skip_braces(d);
        after_brace = true;
        walker_.skip_blank();
        if (is_function && round <= 0 && !continues()) break;
      }
      walker_.skip_blank();
    }
    declarations_.push_back(d);
  }

  // What stands behind a function's last brace belongs to the next declaration.
  bool continues() const {
    const char next = walker_.at_end() ? '\0' : text_[walker_.at()];
    return next == ';' || next == ',' || next == '{';
  }

  static bool is_linkage(std::string_view head) {
    return head.starts_with("extern") && head.find('"') != std::string_view::npos &&
           head.find('(') == std::string_view::npos && head.find('=') == std::string_view::npos;
  }

  void skip_braces(Declaration& d) {
    int depth = 1;
    for (walker_.skip_blank(); !walker_.at_end() && depth > 0; walker_.skip_blank()) {
      const std::string_view token = walker_.take();
      if (token == "{") ++depth;
      if (token == "}") --depth;
      if (token == "__global__" || token == "__device__") d.on_device = true;
      d.end = walker_.at();
      if (depth == 0) return;
    }
  }

  void number_lines() {
    int line = 1;
    std::size_t at = 0;
    for (Declaration& d : declarations_) {
      line += static_cast<int>(std::count(text_.begin() + at, text_.begin() + d.begin, '\n'));
      d.first_line = line;
      line += static_cast<int>(std::count(text_.begin() + d.begin, text_.begin() + d.end, '\n'));
      d.last_line = line;
      at = d.end;
    }
  }

  std::string_view text_;
  Walker walker_;
  std::vector<Declaration> declarations_;
};

// The name of the kernel template that a declaration makes: the first word before a parenthesis that is no
// attribute, such as __launch_bounds__(256). Empty for all else, also for specialisations.
std::string kernel_template(std::string_view declaration) {
  std::vector<std::string_view> tokens;
  Walker walker(declaration);
  for (walker.skip_blank(); !walker.at_end(); walker.skip_blank()) tokens.push_back(walker.take());
  if (tokens.size() < 3 || tokens[0] != "template" || tokens[1] != "<" || tokens[2] == ">")
    return {};
  auto word = std::find(tokens.begin(), tokens.end(), "__global__");
  for (int depth = 0; word != tokens.end() && *word != "{"; ++word) {
    if (*word == ")") --depth;
    if (*word == "(" && depth++ == 0 && word != tokens.begin()) {
      const std::string_view before = *(word - 1);
      if (is_word(before.front()) && !before.starts_with("__")) return std::string(before);
    }
  }
  return {};
}

}  // namespace

std::vector<Declaration> declarations_of(std::string_view text) { return Splitter(text).run(); }

std::vector<std::string> kernel_templates_of(std::string_view text) {
  std::vector<std::string> names;
  for (const Declaration& d : declarations_of(text)) {
    const std::string name = kernel_template(text.substr(d.begin, d.end - d.begin));
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
  }
  return names;
}

std::string blanked(std::string text, std::size_t begin, std::size_t end) {
  bool directive = false, fresh = true;  // fresh: nothing but white space on this line so far
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
    if (text[i] == '\n') {
      directive = directive && i > begin && text[i - 1] == '\\';
      fresh = true;
      continue;
    }
    if (fresh && text[i] == '#') directive = true;
    if (!std::isspace(static_cast<unsigned char>(text[i]))) fresh = false;
    if (!directive) text[i] = ' ';
  }
  return text;
}

}  // namespace tilewise::compile
