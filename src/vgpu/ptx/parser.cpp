// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A recursive-descent parser for PTX. It knows the grammar, not the instructions: an opcode, its
// modifiers and its operands are kept as written, so that a new instruction needs no change here.
// Registers, call parameters and labels follow the scopes of { } (inline assembly relies on that).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "tilewise/error.hpp"
#include "vgpu/ptx/constant.hpp"
#include "vgpu/ptx/ir.hpp"
#include "vgpu/ptx/lexer.hpp"

namespace tilewise::vgpu::ptx {
namespace {

constexpr std::string_view kSpecialRegisters[] = {
    "%tid", "%ntid", "%laneid", "%warpid", "%nwarpid", "%ctaid", "%nctaid", "%smid", "%nsmid",
    "%gridid", "%is_explicit_cluster", "%clusterid", "%nclusterid", "%cluster_ctaid",
    "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank", "%lanemask_eq", "%lanemask_le",
    "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock", "%clock_hi", "%clock64",
    "%globaltimer", "%globaltimer_lo", "%globaltimer_hi", "%total_smem_size", "%aggr_smem_size",
    "%dynamic_smem_size", "%reserved_smem_offset_begin", "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap", "%current_graph_exec"};

bool is_special(std::string_view name) {
  return std::find(std::begin(kSpecialRegisters), std::end(kSpecialRegisters), name) !=
         std::end(kSpecialRegisters);
}

std::optional<Space> find_space(std::string_view name) {
  if (name == "reg") return Space::kReg;
  if (name == "global") return Space::kGlobal;
  if (name == "shared" || name == "shared::cta") return Space::kShared;
  if (name == "const") return Space::kConst;
  if (name == "local") return Space::kLocal;
  if (name == "param") return Space::kParam;
  return std::nullopt;
}

struct Scope {
  int parent = -1;
  std::map<std::string_view, int> registers, variables, labels;
};

class Parser {
 public:
  explicit Parser(Module& module) : module_(module) {
    tokens_ = tokenize(module.text, module.source_name);
  }

  void run() {
    module_.files.emplace_back();
    while (!at_end()) parse_module_item();
  }

 private:
  // Tokens.
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
    text = begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("{}:{}: {}, in `{}`", module_.source_name, line, what, text.substr(0, 160)));
  }

  // Module level.
  void parse_module_item() {
    if (here().kind == TokenKind::kName) fail("expected a directive such as .version or .entry");
    if (here().kind != TokenKind::kDotted) fail("expected a directive");
    const std::string_view directive = here().text;
    if (directive == "version") {
      take(), module_.version = take().text;
    } else if (directive == "target") {
      take(), module_.target = take_name("a target such as sm_90");
      while (accept(',')) take();
    } else if (directive == "address_size") {
      take();
      if (take().bits != 64) fail("only .address_size 64 is supported");
    } else if (directive == "file") {
      parse_file();
    } else if (directive == "section") {
      skip_section();
    } else if (directive == "pragma" || directive == "alias") {
      skip_to_semicolon();
    } else {
      parse_declaration();
    }
  }

  void parse_file() {
    take();
    const std::uint64_t index = take().bits;
    if (index > 1u << 20) fail("absurd .file index");
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

  void parse_declaration() {
    bool is_extern = false;
    for (;;) {
      if (is_dotted("extern")) is_extern = true, take();
      else if (is_dotted("visible") || is_dotted("weak") || is_dotted("common")) take();
      else break;
    }
    if (is_dotted("entry") || is_dotted("func")) return parse_function();
    if (here().kind == TokenKind::kDotted && find_space(here().text)) {
      const Space space = *find_space(take().text);
      do module_.variables.push_back(parse_variable(space, is_extern)); while (accept(','));
      return expect(';');
    }
    fail(fmt::format("unknown directive .{}", here().text));
  }

  // Variables: what follows the space, up to the ';' or ','.
  Variable parse_variable(Space space, bool is_extern) {
    Variable v;
    v.space = space;
    v.is_extern = is_extern;
    int components = 1;
    bool typed = false;
    while (here().kind == TokenKind::kDotted) {
      const std::string_view word = take().text;
      if (word == "align") v.alignment = static_cast<std::uint32_t>(take_count("an alignment", 4096));
      else if (word == "v2") components = 2;
      else if (word == "v4") components = 4;
      else if (word == "v8") components = 8;
      else if (word == "ptr" || find_space(word) || word == "attribute" || word == "unified") continue;
      else if (const auto type = find_type(word)) v.type = *type, typed = true;
      else fail(fmt::format("unknown type or attribute .{}", word));
    }
    if (!typed) v.type = last_type_;
    last_type_ = v.type;
    v.name = take_name("a variable's name");
    v.bytes = static_cast<std::uint64_t>(size_of(v.type)) * components;
    v.alignment = std::max<std::uint32_t>(v.alignment, static_cast<std::uint32_t>(v.bytes));
    parse_extents(v);
    if (accept('=')) parse_initializer(v);
    return v;
  }

  std::uint64_t take_count(const char* what, std::uint64_t most) {
    if (here().kind != TokenKind::kInteger) fail(fmt::format("expected {}", what));
    const std::uint64_t value = take().bits;
    if (value > most) fail(fmt::format("{} of {} is more than {}", what, value, most));
    return value;
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
    if (accept('{')) {
      while (!accept('}')) {
        parse_initial_value(v, bytes);
        accept(',');
      }
      return;
    }
    std::uint64_t bits = 0;
    const bool negative = accept('-');
    if (here().kind == TokenKind::kName) {
      bits = parse_address_constant(v, bytes.size());
    } else if (here().kind == TokenKind::kInteger) {
      bits = take().bits;
      if (negative) bits = std::uint64_t{0} - bits;
    } else if (here().kind == TokenKind::kFloat) {
      const Token t = take();
      bits = t.bits;
      if (!t.single && v.type == Type::kF32) {
        const float narrow = static_cast<float>(std::bit_cast<double>(t.bits));
        bits = std::bit_cast<std::uint32_t>(narrow);
      }
      if (negative) bits ^= std::uint64_t{1} << (8 * size_of(v.type) - 1);
    } else {
      fail("expected an initial value");
    }
    const std::size_t begin = bytes.size();
    bytes.resize(begin + static_cast<std::size_t>(size_of(v.type)));
    std::memcpy(bytes.data() + begin, &bits, static_cast<std::size_t>(size_of(v.type)));
  }

  // `name`, `name+8` or `generic(name)+8`: filled in when the module is loaded.
  std::uint64_t parse_address_constant(Variable& v, std::uint64_t offset) {
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

  // Functions.
  void parse_function() {
    Function f;
    f.line = here().line;
    f.is_entry = take().text == "entry";
    function_ = &f;
    scopes_.assign(1, Scope{});
    scope_ = 0;
    pending_labels_.clear();
    last_location_ = {};
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
        while (accept(',')) product *= take_count("a block size", 1u << 20);
        f.max_threads = static_cast<int>(product);
      } else if (directive == "minnctapersm" || directive == "maxnctapersm" || directive == "maxnreg" ||
                 directive == "reqnctapercluster" || directive == "maxclusterrank") {
        take();
        while (accept(',')) take();
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
    const int index = static_cast<int>(function_->registers.size());
    function_->registers.push_back({name, type});
    scopes_[scope_].registers[name] = index;
    return index;
  }

  void parse_block() {
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
    if (is_dotted("branchtargets")) {
      take();
      function_->branch_tables.push_back({index, {}});
      const std::size_t table = function_->branch_tables.size() - 1;
      do {
        pending_targets_.push_back({table, take_name("a label"), scope_, here().line});
      } while (accept(','));
      return expect(';');
    }
    if (is_dotted("callprototype") || is_dotted("calltargets")) return skip_to_semicolon();
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
    do declare_variable(parse_variable(*space, false)); while (accept(','));
    expect(';');
  }

  void declare_variable(Variable v) {
    scopes_[scope_].variables[v.name] = static_cast<int>(function_->variables.size());
    function_->variables.push_back(std::move(v));
  }

  void parse_location() {
    take();
    last_location_.file = static_cast<int>(take_count("a file index", 1u << 20));
    last_location_.line = static_cast<int>(take_count("a line", INT32_MAX));
    // The rest of the line: a column, and for inlined code where it was inlined. Counters are kept by
    // the line itself, wherever it was inlined.
    const int line = here().line;
    while (!at_end() && here().line == line) take();
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
        const std::uint64_t count = take_count("a number of registers", 1u << 20);
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
    module_.register_names.push_back(std::make_unique<std::string>(fmt::format("{}{}", prefix, i)));
    return *module_.register_names.back();
  }

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
      if (accept('|')) in.operands.push_back(parse_operand());  // setp p|q, shfl d|p
    } while (accept(','));
  }

  Operand parse_operand() {
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
      o.offset += static_cast<std::int64_t>(
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
    if (here().kind == TokenKind::kDotted && here().text.size() == 1 && here().text.data() == end + 1) {
      end = take().text.data() + 1;
    }
    o.text = {name.text.data() + 1, static_cast<std::size_t>(end - name.text.data() - 1)};
    return o;
  }

  // Scopes.
  int find_register(std::string_view name) const { return find_in_scopes(&Scope::registers, name, scope_); }
  int find_variable(std::string_view name) const { return find_in_scopes(&Scope::variables, name, scope_); }
  int find_in_scopes(std::map<std::string_view, int> Scope::*names, std::string_view name, int scope) const {
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
      operand.kind = OperandKind::kLabel;
    }
    for (const PendingTarget& pending : pending_targets_) {
      const int label = find_in_scopes(&Scope::labels, pending.name, pending.scope);
      if (label < 0) fail_at(pending.line, fmt::format("unknown label {}", pending.name));
      function_->branch_tables[pending.table].targets.push_back(label);
    }
    pending_targets_.clear();
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

  Module& module_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  int scope_ = -1;
  std::vector<PendingLabel> pending_labels_;
  std::vector<PendingTarget> pending_targets_;
  SourceLocation last_location_;
  Type last_type_ = Type::kB32;
  std::string_view opcode_;  ///< of the instruction being parsed
};

}  // namespace

const Function* Module::find_function(std::string_view name) const {
  for (const Function& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

std::unique_ptr<Module> parse(std::string text, std::string source_name) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  module->source_name = std::move(source_name);
  Parser(*module).run();
  return module;
}

std::string to_text(const Module& module, const Instruction& instruction) {
  std::string_view text = module.text;
  for (int i = 1; i < instruction.line; ++i) text.remove_prefix(text.find('\n') + 1);
  text = text.substr(0, text.find('\n'));
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return std::string(instruction.opcode);
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

}  // namespace tilewise::vgpu::ptx
