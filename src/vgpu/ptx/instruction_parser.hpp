// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions and their operands, and the scopes that registers, call parameters and labels live in:
// braces open one, and inline assembly relies on names being its own.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "vgpu/ptx/constant.hpp"
#include "vgpu/ptx/variable_parser.hpp"

namespace tilewise::vgpu::ptx {

inline constexpr std::string_view kSpecialRegisters[] = {"%tid",
                                                         "%ntid",
                                                         "%laneid",
                                                         "%warpid",
                                                         "%nwarpid",
                                                         "%ctaid",
                                                         "%nctaid",
                                                         "%smid",
                                                         "%nsmid",
                                                         "%gridid",
                                                         "%is_explicit_cluster",
                                                         "%clusterid",
                                                         "%nclusterid",
                                                         "%cluster_ctaid",
                                                         "%cluster_nctaid",
                                                         "%cluster_ctarank",
                                                         "%cluster_nctarank",
                                                         "%lanemask_eq",
                                                         "%lanemask_le",
                                                         "%lanemask_lt",
                                                         "%lanemask_ge",
                                                         "%lanemask_gt",
                                                         "%clock",
                                                         "%clock_hi",
                                                         "%clock64",
                                                         "%globaltimer",
                                                         "%globaltimer_lo",
                                                         "%globaltimer_hi",
                                                         "%total_smem_size",
                                                         "%aggr_smem_size",
                                                         "%dynamic_smem_size",
                                                         "%reserved_smem_offset_begin",
                                                         "%reserved_smem_offset_end",
                                                         "%reserved_smem_offset_cap",
                                                         "%current_graph_exec"};

inline bool is_special(std::string_view name) {
  return std::find(std::begin(kSpecialRegisters), std::end(kSpecialRegisters), name) !=
         std::end(kSpecialRegisters);
}

struct Scope {
  int parent = -1;
  std::map<std::string_view, int> registers, variables, labels;
};

class InstructionParser : public VariableParser {
 protected:
  using VariableParser::VariableParser;

  // Instructions.
  void parse_instruction() {
    Statement s;
    Instruction& in = s.instruction;
    in.line = here().line;
    in.source = last_location_;
    if (accept('@')) {
      in.guard_negated = accept('!');
      const std::string_view name = take_name("a predicate register");
      in.guard = find_register(name);
      if (in.guard < 0) fail(fmt::format("unknown predicate {}", name));
      in.line = here().line;
    }
    in.opcode = opcode_ = take_name("an instruction");
    while (here().kind == TokenKind::kDotted) in.modifiers.push_back(take().text);
    if (!is_symbol(';')) parse_operands(in);
    if (!is_symbol(';')) fail_at(in.line, "expected ';' after the instruction");
    take();
    function_->body.push_back(std::move(s));
  }

  void parse_operands(Instruction& in) {
    const std::size_t statement = function_->body.size();
    do {
      Operand operand = parse_operand();
      const bool is_target = operand.kind == OperandKind::kSymbol && operand.index < 0;
      if (is_target && (in.opcode == "bra" || in.opcode == "brx")) {
        pending_labels_.push_back({statement, in.operands.size(), scope_, in.line});
      }
      in.operands.push_back(std::move(operand));
      if (!accept('|')) continue;  // setp p|q, shfl d|p
      in.operands.push_back(parse_operand());
      in.operands.back().joined = true;
    } while (accept(','));
  }

  Operand parse_operand() {
    const Level level(*this);
    Operand o;
    const bool is_tuple = is_symbol('(') && opcode_ == "call";
    if (!is_tuple && begins_constant(tokens_, at_)) {
      o.kind = OperandKind::kInteger;
      o.bits = read_constant(tokens_, at_, [this](const std::string& what) { fail(what); });
      return o;
    }
    if (accept('!')) {
      o = parse_operand();
      o.negated = true;
      return o;
    }
    if (accept('[')) return parse_address();
    if (is_symbol('{')) return parse_list('{', '}', OperandKind::kVector);
    if (is_tuple) return parse_list('(', ')', OperandKind::kTuple);
    if (is_symbol('-') || is_symbol('+') || here().kind == TokenKind::kFloat) return parse_float();
    return parse_named();
  }

  Operand parse_float() {
    const bool negative = accept('-');
    if (!negative) accept('+');
    if (here().kind != TokenKind::kFloat) fail("a sign can only stand before a constant");
    const Token t = take();
    Operand o;
    o.kind = OperandKind::kFloat;
    o.bits = t.bits;
    o.single = t.single;
    if (negative) o.bits ^= o.single ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    return o;
  }

  Operand parse_list(char open, char close, OperandKind kind) {
    Operand o;
    o.kind = kind;
    expect(open);
    while (!accept(close)) {
      o.elements.push_back(parse_operand());
      if (!accept(',') && !is_symbol(close)) fail(fmt::format("expected ',' or '{}'", close));
    }
    return o;
  }

  // [base], [base + offset], and the tensor form [map, {x, y}].
  Operand parse_address() {
    Operand o;
    o.kind = OperandKind::kAddress;
    o.elements.push_back(parse_operand());
    Operand& base = o.elements[0];
    if (base.kind == OperandKind::kSymbol) std::swap(o.offset, base.offset);
    if (is_symbol('+') || is_symbol('-')) {
      if (!begins_constant(tokens_, at_)) fail("an address offset must be a constant");
      // Addresses wrap around, so their offsets do.
      o.offset = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(o.offset) +
          read_constant(tokens_, at_, [this](const std::string& what) { fail(what); }));
    }
    while (accept(',')) o.elements.push_back(parse_operand());
    expect(']');
    return o;
  }

  Operand parse_named() {
    Operand o;
    const Token name = here();
    o.text = take_name("an operand");
    if (o.text == "_") {
      o.kind = OperandKind::kSink;
      return o;
    }
    o.index = find_register(o.text);
    if (o.index >= 0) {
      o.kind = OperandKind::kRegister;
      if (here().kind == TokenKind::kDotted) fail("vector registers are not supported");
      return o;
    }
    if (o.text[0] == '%') return parse_special(name);
    o.kind = OperandKind::kSymbol;
    o.index = find_variable(o.text);
    if (is_symbol('+') && tokens_[at_ + 1].kind == TokenKind::kInteger) {
      take();
      o.offset = static_cast<std::int64_t>(take().bits);
    }
    return o;
  }

  Operand parse_special(const Token& name) {
    if (!is_special(name.text)) fail_at(name.line, fmt::format("unknown register {}", name.text));
    Operand o;
    o.kind = OperandKind::kSpecial;
    const char* end = name.text.data() + name.text.size();
    if (here().kind == TokenKind::kDotted && here().text.size() == 1 &&
        here().text.data() == end + 1) {
      end = take().text.data() + 1;
    }
    o.text = {name.text.data() + 1, static_cast<std::size_t>(end - name.text.data() - 1)};
    return o;
  }

  // Scopes.
  int find_register(std::string_view name) const {
    return find_in_scopes(&Scope::registers, name, scope_);
  }
  int find_variable(std::string_view name) const {
    return find_in_scopes(&Scope::variables, name, scope_);
  }
  int find_in_scopes(std::map<std::string_view, int> Scope::*names, std::string_view name,
                     int scope) const {
    for (int s = scope; s >= 0; s = scopes_[s].parent) {
      const auto& table = scopes_[s].*names;
      if (const auto found = table.find(name); found != table.end()) return found->second;
    }
    return -1;
  }

  void resolve_labels() {
    for (const PendingLabel& pending : pending_labels_) {
      Operand& operand = function_->body[pending.statement].instruction.operands[pending.operand];
      operand.index = find_in_scopes(&Scope::labels, operand.text, pending.scope);
      if (operand.index < 0) fail_at(pending.line, fmt::format("unknown label {}", operand.text));
      const bool is_branch = function_->body[pending.statement].instruction.opcode == "bra";
      if (is_branch) expect_place(operand.index, pending.line);
      operand.kind = OperandKind::kLabel;
    }
    for (const PendingTarget& pending : pending_targets_) {
      const int label = find_in_scopes(&Scope::labels, pending.name, pending.scope);
      if (label < 0) fail_at(pending.line, fmt::format("unknown label {}", pending.name));
      expect_place(label, pending.line);
      function_->branch_tables[pending.table].targets.push_back(label);
    }
    pending_targets_.clear();
  }

  // A label may also name a list of targets or a prototype, which no branch leads to.
  void expect_place(int label, int line) const {
    if (!not_places_.contains(label)) return;
    fail_at(line, fmt::format("{} is not a place in the code", function_->labels[label]));
  }

  struct PendingLabel {
    std::size_t statement, operand;
    int scope, line;
  };
  struct PendingTarget {
    std::size_t table;
    std::string_view name;
    int scope, line;
  };

  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  int scope_ = -1;
  std::vector<PendingLabel> pending_labels_;
  std::vector<PendingTarget> pending_targets_;
  std::set<int> not_places_;  // labels of the function
  SourceLocation last_location_;
  std::map<std::tuple<int, int, std::uint64_t>, int> calls_;  // the latest call, by place inside it
  std::map<std::tuple<int, int, int>, int> call_indices_;     // in Module::calls
  std::string_view opcode_;                                   ///< of the instruction being parsed
};

}  // namespace tilewise::vgpu::ptx
