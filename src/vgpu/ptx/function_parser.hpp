// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions: parameters, directives, declarations, labels.
#pragma once

#include <memory>

#include "vgpu/ptx/instruction_parser.hpp"

namespace tilewise::vgpu::ptx {

class FunctionParser : public InstructionParser {
 protected:
  using InstructionParser::InstructionParser;

  // Of a function and of a file; more are a slip, and a short text would take all memory with them.
  static constexpr std::uint64_t kMostRegisters = 1u << 20, kMostNumberedRegisters = 1u << 20;

  // Functions.
  void parse_function() {
    Function f;
    f.line = here().line;
    f.is_entry = take().text == "entry";
    function_ = &f;
    scopes_.assign(1, Scope{});
    scope_ = 0;
    pending_labels_.clear();
    not_places_.clear();
    last_location_ = {};
    calls_.clear();
    if (is_symbol('(')) parse_parameters(f.results, f.result_registers);
    f.name = take_name("a function's name");
    if (is_symbol('(')) parse_parameters(f.parameters, f.parameter_registers);
    parse_function_directives(f);
    if (!accept(';')) {
      f.has_body = true;
      parse_block();
      resolve_labels();
    }
    store(std::move(f));
    function_ = nullptr;
  }

  // A definition replaces the declaration that went before it.
  void store(Function f) {
    for (Function& known : module_.functions) {
      if (known.name != f.name) continue;
      if (known.has_body && f.has_body) fail_at(f.line, fmt::format("{} is defined twice", f.name));
      if (f.has_body) known = std::move(f);
      return;
    }
    module_.functions.push_back(std::move(f));
  }

  void parse_parameters(std::vector<Variable>& variables, std::vector<int>& registers) {
    expect('(');
    while (!accept(')')) {
      if (here().kind != TokenKind::kDotted) fail("expected .param or .reg");
      const auto space = find_space(here().text);
      if (!space) fail("expected .param or .reg");
      take();
      Variable v = is_symbol('_') ? Variable{} : parse_variable(*space, false);
      v.space = *space;
      for (const Variable& known : variables) {
        if (!v.name.empty() && known.name == v.name)
          fail(fmt::format("{} is defined twice", v.name));
      }
      registers.push_back(*space == Space::kReg ? declare_register(v.name, v.type) : -1);
      variables.push_back(std::move(v));
      accept(',');
    }
  }

  void parse_function_directives(Function& f) {
    while (here().kind == TokenKind::kDotted) {
      const std::string_view directive = take().text;
      if (directive == "maxntid" || directive == "reqntid") {
        std::uint64_t product = take_count("a block size", 1u << 20);
        while (accept(',')) {
          product *= take_count("a block size", 1u << 20);
          if (product > 1u << 20) fail("the block is absurdly large");
        }
        f.max_threads = static_cast<int>(product);
      } else if (directive == "minnctapersm") {
        f.least_blocks = static_cast<int>(take_count("a number of blocks", 1u << 20));
      } else if (directive == "maxnreg") {
        f.most_registers = static_cast<int>(take_count("a number of registers", 1u << 20));
      } else if (directive == "maxnctapersm" || directive == "maxclusterrank") {
        take();
        while (accept(',')) take();
      } else if (directive == "reqnctapercluster") {
        std::uint32_t* const extents[] = {&f.cluster.x, &f.cluster.y, &f.cluster.z};
        f.cluster = {1, 1, 1};
        std::size_t i = 0;
        do {
          if (i == 3) fail("a cluster has three extents");
          *extents[i++] = static_cast<std::uint32_t>(take_count("a cluster size", 1u << 20));
        } while (accept(','));
      } else if (directive == "pragma") {
        take();
        accept(';');
      } else if (directive != "noreturn" && directive != "explicitcluster" &&
                 directive != "blocksareclusters" && directive != "unique") {
        fail(fmt::format("unknown function directive .{}", directive));
      }
    }
  }

  int declare_register(std::string_view name, Type type) {
    if (function_->registers.size() > kMostRegisters) fail("the function has too many registers");
    if (scopes_[scope_].registers.contains(name)) fail(fmt::format("{} is defined twice", name));
    const int index = static_cast<int>(function_->registers.size());
    function_->registers.push_back({name, type});
    scopes_[scope_].registers[name] = index;
    return index;
  }

  void parse_block() {
    const Level level(*this);
    expect('{');
    scopes_.push_back(Scope{scope_, {}, {}, {}});
    scope_ = static_cast<int>(scopes_.size()) - 1;
    while (!is_symbol('}')) parse_statement();
    take();
    scope_ = scopes_[scope_].parent;
  }

  void parse_statement() {
    if (at_end()) fail("the file ends before the function does");
    if (is_symbol('{')) return parse_block();
    if (accept(';')) return;
    if (here().kind == TokenKind::kDotted) return parse_body_directive();
    if (here().kind == TokenKind::kName && tokens_[at_ + 1].kind == TokenKind::kSymbol &&
        tokens_[at_ + 1].text[0] == ':') {
      return parse_label();
    }
    parse_instruction();
  }

  void parse_label() {
    const std::string_view name = take().text;
    expect(':');
    if (scopes_[scope_].labels.contains(name)) fail(fmt::format("label {} is defined twice", name));
    const int index = static_cast<int>(function_->labels.size());
    function_->labels.push_back(name);
    scopes_[scope_].labels[name] = index;
    const bool is_list = is_dotted("branchtargets");
    const bool is_signature = is_dotted("callprototype") || is_dotted("calltargets");
    if (is_list || is_signature) not_places_.insert(index);
    if (is_list) {
      take();
      function_->branch_tables.push_back({index, {}});
      const std::size_t table = function_->branch_tables.size() - 1;
      do {
        pending_targets_.push_back({table, take_name("a label"), scope_, here().line});
      } while (accept(','));
      return expect(';');
    }
    if (is_signature) return skip_to_semicolon();
    Statement s;
    s.label = index;
    function_->body.push_back(std::move(s));
  }

  void parse_body_directive() {
    const std::string_view directive = here().text;
    if (directive == "loc") return parse_location();
    if (directive == "pragma" || directive == "alias") return skip_to_semicolon();
    if (directive == "file") return parse_file();
    if (directive == "section") return skip_section();
    const auto space = find_space(directive);
    if (!space) fail(fmt::format("unknown directive .{}", directive));
    take();
    if (*space == Space::kReg) return parse_registers();
    if (*space == Space::kGlobal || *space == Space::kConst)
      fail(fmt::format("variables in .{} inside of a function are not supported", directive));
    do declare_variable(parse_variable(*space, false));
    while (accept(','));
    expect(';');
  }

  void declare_variable(Variable v) {
    if (scopes_[scope_].variables.contains(v.name)) {
      fail_at(v.line, fmt::format("{} is defined twice", v.name));
    }
    scopes_[scope_].variables[v.name] = static_cast<int>(function_->variables.size());
    function_->variables.push_back(std::move(v));
  }

  void parse_location() {
    take();
    last_location_.file = static_cast<int>(take_count("a file index", 1u << 20));
    last_location_.line = static_cast<int>(take_count("a line", INT32_MAX));
    last_location_.call = -1;
    // The rest of the line: a column, and for inlined code the place of the call.
    const int line = here().line;
    const std::uint64_t column = here().kind == TokenKind::kInteger ? here().bits : 0;
    while (!at_end() && here().line == line) {
      const bool is_call = here().kind == TokenKind::kName && here().text == "inlined_at";
      take();
      if (is_call)
        last_location_.call = parse_call(last_location_.file, last_location_.line, column);
    }
  }

  // The place of a call may itself be inlined: then a .loc before this one said where.
  int parse_call(int file, int line, std::uint64_t column) {
    SourceLocation call;
    call.file = static_cast<int>(take_count("a file index", 1u << 20));
    call.line = static_cast<int>(take_count("a line", INT32_MAX));
    const std::uint64_t call_column = take_count("a column", INT32_MAX);
    const auto outer = calls_.find({call.file, call.line, call_column});
    const bool is_itself = call.file == file && call.line == line && call_column == column;
    if (outer != calls_.end() && !is_itself) call.call = outer->second;
    const auto [known, is_new] = call_indices_.try_emplace({call.file, call.line, call.call},
                                                           static_cast<int>(module_.calls.size()));
    if (is_new) module_.calls.push_back(call);
    calls_[{file, line, column}] = known->second;
    return known->second;
  }

  void parse_registers() {
    Type type = Type::kB32;
    while (here().kind == TokenKind::kDotted) {
      const std::string_view word = take().text;
      const auto found = find_type(word);
      if (!found) fail(fmt::format("registers of type .{} are not supported", word));
      type = *found;
    }
    do {
      const std::string_view name = take_name("a register's name");
      if (accept('<')) {
        const std::uint64_t count = take_count("a number of registers", kMostRegisters);
        expect('>');
        for (std::uint64_t i = 0; i < count; ++i) declare_register(numbered(name, i), type);
      } else {
        declare_register(name, type);
      }
    } while (accept(','));
    expect(';');
  }

  // %r<100> declares %r0 … %r99; their names live as long as the module.
  std::string_view numbered(std::string_view prefix, std::uint64_t i) {
    if (module_.register_names.size() == kMostNumberedRegisters)
      fail("the file has too many registers");
    module_.register_names.push_back(std::make_unique<std::string>(fmt::format("{}{}", prefix, i)));
    return *module_.register_names.back();
  }
};

}  // namespace tilewise::vgpu::ptx
