// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/ptx/forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace tilewise::vgpu::ptx {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Choices that many forms have.
struct Name {
  std::string_view name, choices;
};
constexpr Name kNames[] = {
    {"<SIGNED>", "s16|s32|s64"},
    {"<INTEGER>", "u16|u32|u64|s16|s32|s64"},
    {"<I8>", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"<CARRY>", "u32|u64|s32|s64"},
    {"<BITS>", "b16|b32|b64"},
    {"<NUMBER>", "u16|u32|u64|s16|s32|s64|f32|f64"},
    {"<COMPARED>", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64"},
    {"<ANY>", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"<REDUCED>", "f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64"},
    {"<PACKED>", "u16|s16|u8|s8|u4|s4|u2|s2"},
    {"<WGMMA>", "f16|bf16|tf32|e4m3|e5m2"},
    {"<ROUND>", "rn|rz|rm|rp"},
    {"<COMPARE>", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"<FCOMPARE>", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"<SCOPE>", "cta|cluster|gpu|sys"},
    {"<SPACE>",
     "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    {"<TO>", "global|shared|shared::cta|shared::cluster|local|param|param::func"},
    {"<WHERE>", "global|shared|shared::cta|shared::cluster"},
    {"<WSPACE>", "global|shared|shared::cta"},
    {"<L1>", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"<L2>", "L2::64B|L2::128B|L2::256B"},
    {"<PRIORITY>", "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"},
    {"<RANK>", "1d|2d|3d|4d|5d"},
    {"<REDUCE>", "add|min|max|inc|dec|and|or|xor"},
    {"<MMA>", "m8n8k4|m8n8k16|m16n8k4|m16n8k8|m16n8k16|m16n8k32"},
    {"<WMMA>", "m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4"},
};

struct Group {
  std::vector<std::string_view> choices;
  bool is_optional = false, is_type = false, has_place = false;

  bool has(std::string_view modifier) const {
    return std::ranges::any_of(choices, [modifier](std::string_view choice) {
      if (!choice.ends_with('*')) return modifier == choice;
      return modifier.starts_with(choice.substr(0, choice.size() - 1));
    });
  }
};

struct OperandForm {
  enum Kind : std::uint8_t {
    kValue,
    kPredicate,
    kAddress,
    kInteger,
    kList,
    kAnything
  } kind = kAnything;
  bool is_destination = false, may_be_wider = false, is_optional = false;
  bool is_listed = false, may_be_sink = false, is_joined = false;
  int group = -1;  ///< of types; -1: `type`
  Type type = Type::kB32;
};

struct ParsedForm {
  std::vector<Group> groups;
  std::vector<OperandForm> operands;
};

Group parse_group(std::string_view text) {
  Group group;
  const auto drop = [&text] { return text.remove_prefix(1), true; };
  if (text.ends_with('?')) group.is_optional = true, text.remove_suffix(1);
  if (text.starts_with('^')) group.has_place = drop();
  for (const std::string_view part : split(text, '|')) {
    const auto* const name = std::ranges::find(kNames, part, &Name::name);
    if (name == std::end(kNames)) {
      group.choices.push_back(part);
    } else {
      for (const std::string_view choice : split(name->choices, '|'))
        group.choices.push_back(choice);
    }
  }
  group.is_type = find_type(group.choices[0]).has_value();
  return group;
}

OperandForm parse_operand(std::string_view text) {
  OperandForm o;
  const auto drop = [&text] { return text.remove_prefix(1), true; };
  if (text.ends_with('?')) o.is_optional = true, text.remove_suffix(1);
  if (text.starts_with('{') && text != "{}") o.is_listed = drop();
  if (text.starts_with('|')) o.is_joined = drop();
  if (text.starts_with('=')) o.is_destination = drop();
  if (text.starts_with('_')) o.may_be_sink = drop();
  if (text.starts_with('~')) o.may_be_wider = drop();
  if (text == "p" || text == "!p") {
    o.kind = OperandForm::kPredicate;
    o.is_destination = text == "p";
  } else if (text == "[]") {
    o.kind = OperandForm::kAddress;
  } else if (text == "#") {
    o.kind = OperandForm::kInteger;
  } else if (text == "{}") {
    o.kind = OperandForm::kList;
  } else if (text != "*") {
    o.kind = OperandForm::kValue;
    if (const auto type = find_type(text)) o.type = *type;
    else o.group = text[0] - '0';
  }
  return o;
}

ParsedForm parse_form(std::string_view text) {
  ParsedForm form;
  const std::size_t colon = text.find(": ");
  for (const std::string_view g : split(text.substr(0, colon), ' ')) {
    if (g != ":") form.groups.push_back(parse_group(g));
  }
  if (colon == std::string_view::npos) return form;
  for (const std::string_view o : split(text.substr(colon + 2), ' '))
    form.operands.push_back(parse_operand(o));
  return form;
}

using Table = std::multimap<std::string_view, ParsedForm>;

const Table& table() {
  static const Table all = [] {
    Table result;
    for (const Form& form : forms()) result.emplace(form.opcode, parse_form(form.text));
    return result;
  }();
  return all;
}

// Each modifier is the choice of one group, the first that is free; types may not overtake each other.
// Gives the types, by group of types.
bool take_modifiers(const ParsedForm& form, const Instruction& in, std::vector<Type>& types) {
  std::vector<std::string_view> chosen(form.groups.size());
  std::size_t next_type = 0;
  for (std::size_t i = 0; i < in.modifiers.size(); ++i) {
    const std::string_view m = in.modifiers[i];
    const auto takes = [&](std::size_t at) {
      const Group& group = form.groups[at];
      if (!chosen[at].empty() || (group.is_type && at < next_type)) return false;
      return group.has(m) && (!group.has_place || at == i);
    };
    std::size_t at = 0;
    while (at < chosen.size() && !takes(at)) ++at;
    if (at == chosen.size()) return false;
    chosen[at] = m;
    if (form.groups[at].is_type) next_type = at + 1;
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Group& group = form.groups[i];
    if (chosen[i].empty() && !group.is_optional) return false;
    if (group.is_type) types.push_back(chosen[i].empty() ? Type::kPred : *find_type(chosen[i]));
  }
  return true;
}

enum class Class : std::uint8_t { kBits, kInteger, kFloat };

Class class_of(Type type) {
  const std::string_view name = name_of(type);
  return name.starts_with("b") && !name.starts_with("bf") ? Class::kBits
         : name.starts_with("u") || name.starts_with("s") ? Class::kInteger
                                                          : Class::kFloat;
}

// Floats that have no registers of their own lie in those of bits.
bool may_hold(Type in_register, Type type, bool may_be_wider) {
  if (in_register == Type::kPred || type == Type::kPred) return in_register == type;
  const int have = size_of(in_register), need = size_of(type);
  if (have < need || (have > need && !may_be_wider)) return false;
  const Class held = class_of(in_register), wanted = class_of(type);
  if (held == Class::kBits || wanted == Class::kBits) return true;
  if (in_register == Type::kF16x2) return type == Type::kF16x2 || wanted == Class::kInteger;
  return held == Class::kFloat ? in_register == type : wanted == Class::kInteger;
}

class OperandCheck {
 public:
  OperandCheck(std::string_view opcode, const std::vector<Type>& types,
               const std::function<Type(const Operand&)>& of)
      : opcode_(opcode), types_(types), register_type_(of) {}

  // Empty where the operand is as the form says.
  std::string misfit(const Operand& o, const OperandForm& form) const {
    if (o.joined != form.is_joined) return o.joined ? "has a | before it" : "needs a | before it";
    if (form.is_listed && o.kind != OperandKind::kVector) return "is not a list { }";
    switch (form.kind) {
      case OperandForm::kAddress: return address(o);
      case OperandForm::kInteger: return must(o.kind == OperandKind::kInteger, "a whole number");
      case OperandForm::kList: return must(o.kind == OperandKind::kVector, "a list { }");
      case OperandForm::kPredicate: return predicate(o, form);
      case OperandForm::kValue: return value(o, form);
      default: return "";
    }
  }

 private:
  static std::string must(bool holds, std::string_view what) {
    return holds ? "" : fmt::format("is not {}", what);
  }

  std::string address(const Operand& o) const {
    if (o.kind != OperandKind::kAddress || o.elements.empty()) return "is not an address [ ]";
    const Operand& base = o.elements[0];
    if (base.kind != OperandKind::kRegister) return "";
    const Type type = register_type_(base);
    const bool fits = class_of(type) != Class::kFloat && type != Type::kPred && size_of(type) >= 4;
    return fits ? "" : fmt::format("is an address in a register of type .{}", name_of(type));
  }

  std::string predicate(const Operand& o, const OperandForm& form) const {
    if (!form.is_destination && o.kind == OperandKind::kSpecial) return "";
    if (form.is_destination && o.kind == OperandKind::kSink) return "";
    if (!form.is_destination && o.kind == OperandKind::kInteger) return "";
    const bool is_predicate = o.kind == OperandKind::kRegister && register_type_(o) == Type::kPred;
    return must(is_predicate && !(form.is_destination && o.negated), "a predicate");
  }

  std::string value(const Operand& o, const OperandForm& form) const {
    if (o.kind == OperandKind::kVector) {
      if (is_move()) return "is a list";
      for (const Operand& each : o.elements) {
        if (std::string what = value(each, form); !what.empty()) return what;
      }
      return "";
    }
    const Type type = form.group < 0 ? form.type : types_[static_cast<std::size_t>(form.group)];
    if (o.negated) return "has a ! that only predicates can have";
    if (o.kind == OperandKind::kRegister) {
      const Type have = register_type_(o);
      if (may_hold(have, type, form.may_be_wider)) return "";
      return fmt::format("is a register of type .{} where .{} is expected", name_of(have),
                         name_of(type));
    }
    if (form.is_destination)
      return must(form.may_be_sink && o.kind == OperandKind::kSink, "a register");
    if (o.kind == OperandKind::kFloat) {
      const bool may_be =
          class_of(type) == Class::kFloat || (moves() && class_of(type) == Class::kBits);
      return must(may_be && size_of(type) >= 4, "a whole number");
    }
    if (o.kind == OperandKind::kInteger) {
      return must(class_of(type) != Class::kFloat,
                  fmt::format("a constant of type .{}", name_of(type)));
    }
    return must(o.kind == OperandKind::kSymbol ? takes_names() : is_move(),
                "a register or a constant");
  }

  bool is_move() const { return opcode_ == "mov"; }
  bool moves() const { return is_move() || opcode_ == "st" || opcode_ == "selp"; }
  bool takes_names() const { return is_move() || opcode_ == "mapa" || opcode_ == "cvta"; }

  std::string_view opcode_;
  const std::vector<Type>& types_;
  const std::function<Type(const Operand&)>& register_type_;
};

// Operands in order; where there are fewer than the form has, the optional ones go first.
std::string misfit_of_operands(const ParsedForm& form, const Instruction& in,
                               const OperandCheck& check) {
  std::size_t missing = form.operands.size() - std::min(form.operands.size(), in.operands.size());
  std::size_t at = 0;
  for (const OperandForm& o : form.operands) {
    if (o.is_optional && missing > 0) {
      --missing;
      continue;
    }
    if (at == in.operands.size()) break;
    const std::string what = check.misfit(in.operands[at], o);
    if (!what.empty()) return fmt::format("operand {} {}", at + 1, what);
    ++at;
  }
  if (missing > 0 || at < in.operands.size())
    return fmt::format("{} operands are not what it takes", in.operands.size());
  return "";
}

std::string written(const Instruction& in) {
  std::string text(in.opcode);
  for (const std::string_view m : in.modifiers) text.append(".").append(m);
  return text;
}

}  // namespace

std::string misfit(const Instruction& in,
                   const std::function<Type(const Operand&)>& register_type) {
  const auto [first, last] = table().equal_range(in.opcode);
  if (first == last) return "";
  std::string what;
  for (auto form = first; form != last; ++form) {
    std::vector<Type> types;
    if (!take_modifiers(form->second, in, types)) continue;
    const std::string why =
        misfit_of_operands(form->second, in, OperandCheck(in.opcode, types, register_type));
    if (why.empty()) return "";
    if (what.empty()) what = why;
  }
  return what.empty() ? fmt::format("{} is no combination that exists", written(in)) : what;
}

}  // namespace tilewise::vgpu::ptx
