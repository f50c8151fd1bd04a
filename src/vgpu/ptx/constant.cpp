// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/ptx/constant.hpp"

#include <array>
#include <string_view>

namespace tilewise::vgpu::ptx {
namespace {

constexpr std::string_view kWarpSize = "WARP_SZ";

/// Binary operators by rising precedence; two characters before one, so that << is not < and <.
// clang-format off
constexpr std::array<std::array<std::string_view, 4>, 10> kOperators{{
    {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}};
// clang-format on
class Reader {
 public:
  Reader(const std::vector<Token>& tokens, std::size_t& at,
         const std::function<void(const std::string&)>& fail)
      : tokens_(tokens), at_(at), fail_(fail) {}

  std::int64_t conditional() {
    const std::int64_t condition = binary(0);
    if (!accept("?")) return condition;
    go_deeper();
    const std::int64_t yes = conditional();
    if (!accept(":")) fail_("expected ':' in a constant expression");
    const std::int64_t no = conditional();
    --depth_;
    return condition != 0 ? yes : no;
  }

 private:
  // A symbol of one or two characters that stand side by side. A prefix of a longer one is not it.
  bool is(std::string_view symbol) const {
    if (!is_character(at_, symbol[0])) return false;
    const bool followed = is_character(at_ + 1, symbol.size() == 2 ? symbol[1] : symbol[0]) &&
                          tokens_[at_ + 1].text.data() == tokens_[at_].text.data() + 1;
    if (symbol.size() == 2) return followed;
    if (followed && std::string_view("<>|&=").find(symbol[0]) != std::string_view::npos)
      return false;
    const bool then_equal =
        is_character(at_ + 1, '=') && tokens_[at_ + 1].text.data() == tokens_[at_].text.data() + 1;
    return !(then_equal && std::string_view("<>!").find(symbol[0]) != std::string_view::npos);
  }
  bool is_character(std::size_t at, char c) const {
    return at < tokens_.size() && tokens_[at].kind == TokenKind::kSymbol &&
           tokens_[at].text[0] == c;
  }
  bool accept(std::string_view symbol) {
    if (!is(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  std::int64_t binary(std::size_t level) {
    if (level == kOperators.size()) return unary();
    std::int64_t left = binary(level + 1);
    for (bool again = true; again;) {
      again = false;
      for (const std::string_view symbol : kOperators[level]) {
        // p|q joins destinations, not numbers.
        if (symbol.empty() || !is(symbol) || !begins_constant(tokens_, at_ + symbol.size()))
          continue;
        accept(symbol);
        left = apply(symbol, left, binary(level + 1));
        again = true;
        break;
      }
    }
    return left;
  }

  std::int64_t apply(std::string_view symbol, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    if (symbol == "||") return a || b;
    if (symbol == "&&") return a && b;
    if (symbol == "|") return a | b;
    if (symbol == "^") return a ^ b;
    if (symbol == "&") return a & b;
    if (symbol == "==") return a == b;
    if (symbol == "!=") return a != b;
    if (symbol == "<=") return a <= b;
    if (symbol == ">=") return a >= b;
    if (symbol == "<") return a < b;
    if (symbol == ">") return a > b;
    if (symbol == "<<") return ub > 63 ? 0 : static_cast<std::int64_t>(ua << ub);
    if (symbol == ">>") return a >> (ub > 63 ? 63 : ub);
    if (symbol == "+") return static_cast<std::int64_t>(ua + ub);
    if (symbol == "-") return static_cast<std::int64_t>(ua - ub);
    if (symbol == "*") return static_cast<std::int64_t>(ua * ub);
    if (b == 0 || (b == -1 && a == INT64_MIN))
      fail_("a constant expression divides by zero or overflows");
    return symbol == "/" ? a / b : a % b;
  }

  std::int64_t unary() {
    go_deeper();
    const std::int64_t value = unnested_unary();
    --depth_;
    return value;
  }

  void go_deeper() {
    if (depth_ == kMostLevels) fail_("a constant expression is nested too deeply");
    ++depth_;
  }

  std::int64_t unnested_unary() {
    if (accept("-"))
      return static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(unary()));
    if (accept("+")) return unary();
    if (accept("~")) return ~unary();
    if (accept("!")) return unary() == 0;
    if (accept("(")) {
      const std::int64_t value = conditional();
      if (!accept(")")) fail_("expected ')' in a constant expression");
      return value;
    }
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::kInteger) return ++at_, static_cast<std::int64_t>(token.bits);
    if (token.kind == TokenKind::kName && token.text == kWarpSize) return ++at_, 32;
    fail_("expected a constant");
    return 0;
  }

  const std::vector<Token>& tokens_;
  std::size_t& at_;
  const std::function<void(const std::string&)>& fail_;
  static constexpr int kMostLevels = 200;
  int depth_ = 0;
};

}  // namespace

bool begins_constant(const std::vector<Token>& tokens, std::size_t at) {
  while (at < tokens.size() && tokens[at].kind == TokenKind::kSymbol &&
         std::string_view("-+~!(").find(tokens[at].text[0]) != std::string_view::npos) {
    ++at;
  }
  if (at >= tokens.size()) return false;
  return tokens[at].kind == TokenKind::kInteger ||
         (tokens[at].kind == TokenKind::kName && tokens[at].text == kWarpSize);
}

std::uint64_t read_constant(const std::vector<Token>& tokens, std::size_t& at,
                            const std::function<void(const std::string&)>& fail) {
  return static_cast<std::uint64_t>(Reader(tokens, at, fail).conditional());
}

}  // namespace tilewise::vgpu::ptx
