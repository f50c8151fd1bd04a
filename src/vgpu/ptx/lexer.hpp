// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits PTX text into tokens. Names keep their place in the text (string_view), so the text must
// outlive the tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::vgpu::ptx {

enum class TokenKind : std::uint8_t {
  kName,     ///< add, %r1, $L__BB0_2, _Z6kernelv
  kDotted,   ///< .reg, .f32, .shared::cta; text without the leading dot
  kInteger,  ///< 12, 0x1F, 0b101, 017, each with an optional U
  kFloat,    ///< 0f3F800000 and 0d3FF0000000000000 as bits; 1.5 as an f64
  kString,   ///< text without the quotes
  kSymbol,   ///< one character of , ; : [ ] ( ) { } < > @ ! + - * / = | & ^ ~ % ?
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  int line = 0;
  std::uint64_t bits = 0;  ///< value of kInteger; bits of kFloat
  bool single = false;     ///< kFloat: an f32 (0f…), its 32 bits in `bits`
};

/// Throws Error{kInvalidInput} "source:line: …" for a character or number that PTX does not have.
std::vector<Token> tokenize(std::string_view text, const std::string& source_name);

}  // namespace tilewise::vgpu::ptx
