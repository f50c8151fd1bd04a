// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables: `.align 16 .b8 name[1024] = {…}`, behind their state space.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "vgpu/ptx/cursor.hpp"

namespace tilewise::vgpu::ptx {

inline std::optional<Space> find_space(std::string_view name) {
  if (name == "reg") return Space::kReg;
  if (name == "global") return Space::kGlobal;
  if (name == "shared" || name == "shared::cta") return Space::kShared;
  if (name == "const") return Space::kConst;
  if (name == "local") return Space::kLocal;
  if (name == "param") return Space::kParam;
  return std::nullopt;
}

/// ptxas takes any power of two; 16 KiB is what kernels ask for that switch buffers by flipping one bit of
/// the address. More than a megabyte is a slip.
inline constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << 20;

class VariableParser : public Cursor {
 protected:
  using Cursor::Cursor;

  std::uint32_t take_alignment() {
    const auto alignment = static_cast<std::uint32_t>(take_count("an alignment", kMostAlignment));
    if (!std::has_single_bit(alignment))
      fail(fmt::format("an alignment of {} is no power of two", alignment));
    return alignment;
  }

  // Variables: what follows the space, up to the ';' or ','.
  Variable parse_variable(Space space, bool is_extern) {
    Variable v;
    v.space = space;
    v.is_extern = is_extern;
    v.line = here().line;
    int components = 1;
    bool typed = false;
    while (here().kind == TokenKind::kDotted) {
      const std::string_view word = take().text;
      if (word == "align") v.alignment = take_alignment();
      else if (word == "v2") components = 2;
      else if (word == "v4") components = 4;
      else if (word == "v8") components = 8;
      else if (word == "ptr" || find_space(word) || word == "attribute" || word == "unified")
        continue;
      else if (const auto type = find_type(word)) v.type = *type, typed = true;
      else fail(fmt::format("unknown type or attribute .{}", word));
    }
    if (!typed) v.type = last_type_;
    last_type_ = v.type;
    v.name = take_name("a variable's name");
    v.bytes = static_cast<std::uint64_t>(size_of(v.type)) * components;
    v.alignment = std::max<std::uint32_t>(v.alignment, static_cast<std::uint32_t>(v.bytes));
    parse_extents(v);
    if (is_symbol('=') && (is_extern || (space != Space::kGlobal && space != Space::kConst)))
      fail(fmt::format("{} can have no initial value", v.name));
    if (accept('=')) parse_initializer(v);
    const bool has_room =
        v.bytes > 0 || is_extern || space == Space::kParam || space == Space::kReg;
    if (!has_room) fail_at(v.line, fmt::format("{} has no size", v.name));
    return v;
  }

  void parse_extents(Variable& v) {
    bool open = false;
    while (accept('[')) {
      if (accept(']')) {
        open = true;
        continue;
      }
      v.bytes *= take_count("an array size", 1u << 31);
      if (v.bytes > (std::uint64_t{1} << 40)) fail("the array is absurdly large");
      expect(']');
    }
    if (open) v.bytes = 0;
  }

  void parse_initializer(Variable& v) {
    std::vector<std::byte> bytes;
    parse_initial_value(v, bytes);
    if (v.bytes == 0) v.bytes = bytes.size();
    if (bytes.size() > v.bytes) fail("more initial values than the variable holds");
    bytes.resize(v.bytes);
    v.initial = std::move(bytes);
  }

  void parse_initial_value(Variable& v, std::vector<std::byte>& bytes) {
    const Level level(*this);
    if (v.type == Type::kPred) fail("a predicate has no initial value");
    if (accept('{')) {
      while (!accept('}')) {
        parse_initial_value(v, bytes);
        accept(',');
      }
      return;
    }
    const auto size = static_cast<std::size_t>(size_of(v.type));
    std::uint64_t bits = 0, upper = 0;  // upper: of .b128
    const bool negative = accept('-');
    if (here().kind == TokenKind::kName) {
      bits = parse_address_constant(v, bytes.size());
    } else if (here().kind == TokenKind::kInteger) {
      bits = take().bits;
      if (negative) upper = bits == 0 ? 0 : ~std::uint64_t{0}, bits = std::uint64_t{0} - bits;
    } else if (here().kind == TokenKind::kFloat) {
      if (size > 8) fail("no float has so many bits");
      const Token t = take();
      bits = t.bits;
      if (!t.single && v.type == Type::kF32) {
        const float narrow = static_cast<float>(std::bit_cast<double>(t.bits));
        bits = std::bit_cast<std::uint32_t>(narrow);
      }
      if (negative) bits ^= std::uint64_t{1} << (8 * size - 1);
    } else {
      fail("expected an initial value");
    }
    const std::size_t begin = bytes.size();
    bytes.resize(begin + size);
    const std::uint64_t value[] = {bits, upper};
    std::memcpy(bytes.data() + begin, value, size);
  }

  // `name`, `name+8` or `generic(name)+8`: filled in when the module is loaded.
  std::uint64_t parse_address_constant(Variable& v, std::uint64_t offset) {
    if (size_of(v.type) != 8) fail("an address fills 64 bits");
    std::string_view symbol = take().text;
    if (symbol == "generic") {
      expect('(');
      symbol = take_name("a variable's name");
      expect(')');
    }
    std::int64_t addend = 0;
    if (accept('+')) addend = static_cast<std::int64_t>(take_count("an offset", INT64_MAX));
    v.relocations.push_back({offset, symbol, addend});
    return 0;
  }

  Type last_type_ = Type::kB32;
};

}  // namespace tilewise::vgpu::ptx
