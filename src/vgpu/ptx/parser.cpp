// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A recursive-descent parser for PTX, in layers: Cursor, VariableParser, InstructionParser,
// FunctionParser, and the module here. It knows the grammar, not the instructions: an opcode, its
// modifiers and its operands are kept as written, so that a new instruction needs no change.
#include <charconv>

#include "vgpu/ptx/function_parser.hpp"

namespace tilewise::vgpu::ptx {
namespace {

class ModuleParser : public FunctionParser {
 public:
  using FunctionParser::FunctionParser;

  void run() {
    module_.files.emplace_back();
    while (!at_end()) parse_module_item();
  }

 private:
  void parse_module_item() {
    if (here().kind == TokenKind::kName) fail("expected a directive such as .version or .entry");
    if (here().kind != TokenKind::kDotted) fail("expected a directive");
    const std::string_view directive = here().text;
    if (directive == "version") {
      take(), module_.version = take_version();
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

  // Instructions of later versions are refused one by one; those of another major version may mean
  // something else.
  std::string_view take_version() {
    constexpr int kOldest = 3, kNewest = 9;
    const std::string_view text = here().text;
    int major = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), major);
    if (failed != std::errc() || end == text.data() + text.size() || *end != '.' ||
        major < kOldest || major > kNewest) {
      fail(fmt::format("PTX ISA version '{}': expected {}.0 to {}.x", text, kOldest, kNewest));
    }
    return take().text;
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
      do declare(parse_variable(space, is_extern));
      while (accept(','));
      return expect(';');
    }
    fail(fmt::format("unknown directive .{}", here().text));
  }

  // What is declared extern may be defined, and declared again.
  void declare(Variable v) {
    for (const Variable& known : module_.variables) {
      if (known.name == v.name && !known.is_extern && !v.is_extern) {
        fail_at(v.line, fmt::format("{} is defined twice", v.name));
      }
    }
    module_.variables.push_back(std::move(v));
  }
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
  ModuleParser(*module).run();
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
