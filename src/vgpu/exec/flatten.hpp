// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One flat list of instructions for a kernel: device functions are inlined at their calls, variables get
// their places, guarded calls and barriers become branches around unguarded ones.
//
// Inlining keeps execution simple (one control-flow graph, one register file) and is possible because
// PTX of GEMM kernels calls few functions and never recurses; recursion and indirect calls are refused.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/ptx/ir.hpp"

namespace tilewise::vgpu {

/// Where a variable lies: an offset in its block's shared memory, in its lane's local memory, or in the
/// kernel's parameters.
struct Place {
  ptx::Space space = ptx::Space::kLocal;
  std::uint64_t offset = 0;
  bool is_extern = false;  ///< shared memory whose size comes with the launch
};

/// One copy of a function's body.
struct Instance {
  const ptx::Function* function = nullptr;
  int register_base = 0, label_base = 0;
  int return_label = -1;                      ///< -1: the kernel itself
  std::vector<Place> variables;               ///< of function->variables
  std::map<std::string_view, Place> formals;  ///< parameters and results in param space
};

struct FlatItem {
  int label = -1;  ///< an item is a label, or an instruction
  const ptx::Instruction* instruction = nullptr;
  int instance = -1;  ///< -1: made by flatten(), operands hold flat registers and labels
};

struct Flat {
  const ptx::Module* module = nullptr;
  std::deque<Instance> instances;
  std::vector<FlatItem> items;
  std::vector<ptx::Type> registers;
  int label_count = 0;
  std::deque<ptx::Instruction> synthetic;
  std::map<std::string_view, Place> module_shared;  ///< shared variables declared outside functions
  std::uint32_t static_shared_bytes = 0, local_bytes = 0;
  std::uint32_t shared_alignment = 1;  ///< the largest of its variables
  std::vector<std::uint32_t> parameter_offsets, parameter_bytes;
  std::uint32_t parameter_block_bytes = 0;
};

/// Throws Error{kUnsupported} for recursion, indirect calls and functions without a body.
Flat flatten(const ptx::Module& module, const ptx::Function& kernel);

/// Throws Error{kUnsupported} "file:line: what, in `text`".
[[noreturn]] void unsupported(const ptx::Module& module, const ptx::Instruction& instruction,
                              const std::string& what);
/// The same for input that is wrong rather than unsupported.
[[noreturn]] void malformed(const ptx::Module& module, const ptx::Instruction& instruction,
                            const std::string& what);
/// The same for what is no instruction: "file:line: what".
[[noreturn]] void malformed_at(const ptx::Module& module, int line, const std::string& what);

}  // namespace tilewise::vgpu
