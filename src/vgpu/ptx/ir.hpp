// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parser makes of a PTX file: variables and functions, instructions as written. Names are
// views into the text, which the Module keeps. Meaning is given later, by exec/decode.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.hpp"
#include "vgpu/ptx/types.hpp"

namespace tilewise::vgpu::ptx {

struct SourceLocation {
  int file = 0;  ///< index in Module::files; 0: none
  int line = 0;
  int call =
      -1;  ///< of an inlined function: index in Module::calls of where it was called; -1: none
};

enum class OperandKind : std::uint8_t {
  kRegister,  ///< index in Function::registers
  kInteger,   ///< bits
  kFloat,     ///< bits of an f64, or of an f32 when `single`
  kSpecial,   ///< %tid.x: text holds "tid.x"
  kSymbol,    ///< a variable, parameter or function: text; + offset
  kLabel,     ///< index in Function::labels
  kAddress,   ///< [base + offset]: elements[0] is the base (register, symbol or integer)
  kVector,    ///< {a, b, …}: elements
  kTuple,     ///< (a, b, …) of calls: elements
  kSink,      ///< _ : a result that is thrown away
};

struct Operand {
  OperandKind kind = OperandKind::kInteger;
  bool negated = false;  ///< !p as a source predicate, or -%r
  bool single = false;
  bool joined = false;  ///< behind a '|': p of d|p
  int index = -1;  ///< register or label; for a symbol its place in Function::variables, if there
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string_view text;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string_view opcode;                  ///< "ld"
  std::vector<std::string_view> modifiers;  ///< {"global", "nc", "v4", "f32"}
  std::vector<Operand> operands;            ///< destination first; "d|p" destinations are two
  int guard = -1;                           ///< predicate register, -1: none
  bool guard_negated = false;
  int line = 0;  ///< in the PTX file
  SourceLocation source;

  bool has(std::string_view modifier) const {
    for (std::string_view m : modifiers)
      if (m == modifier) return true;
    return false;
  }
};

/// A statement is an instruction, or a label (instruction.opcode empty).
struct Statement {
  int label = -1;  ///< index in Function::labels
  Instruction instruction;
};

struct Variable {
  std::string_view name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;  ///< 0: extern, its size comes with the launch
  bool is_extern = false;
  int line = 0;                    ///< in the PTX file
  std::vector<std::byte> initial;  ///< empty: zeros
  struct Relocation {
    std::uint64_t offset;
    std::string_view symbol;
    std::int64_t addend;
  };
  std::vector<Relocation> relocations;  ///< addresses of other variables in `initial`
};

struct Register {
  std::string_view name;
  Type type = Type::kB32;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  int line = 0;
  std::vector<Variable> results;     ///< of device functions
  std::vector<Variable> parameters;  ///< space kParam, or kReg with `reg` below
  std::vector<int> result_registers, parameter_registers;  ///< -1 where in param space
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< shared, local and call parameters of the body, all scopes
  std::vector<Statement> body;
  std::vector<std::string_view> labels;  ///< names; scopes may repeat one
  struct BranchTable {
    int label = -1;            ///< the name brx.idx uses
    std::vector<int> targets;  ///< labels
  };
  std::vector<BranchTable> branch_tables;
  int max_threads = 0;       ///< .maxntid product; 0: not given
  int least_blocks = 1;      ///< .minnctapersm
  int most_registers = 0;    ///< .maxnreg; 0: not given
  Dim3 cluster = {0, 0, 0};  ///< .reqnctapercluster; zeros: not given
};

struct Module {
  std::string text;
  std::string source_name;
  std::string_view version, target;
  std::vector<std::string> files;     ///< [0] is empty
  std::vector<SourceLocation> calls;  ///< of functions that the compiler inlined; outer ones first
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::unique_ptr<std::string>> register_names;  ///< of %r<100> declarations

  const Function* find_function(std::string_view name) const;
};

/// Throws Error{kInvalidInput} "file:line: what; text" for anything malformed.
std::unique_ptr<Module> parse(std::string text, std::string source_name);

/// The instruction as it would be written: for messages.
std::string to_text(const Module& module, const Instruction& instruction);

}  // namespace tilewise::vgpu::ptx
