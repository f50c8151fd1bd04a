// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewise/error.hpp"

namespace tilewise::vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// What a GPU has at most: of parameters (PTX ISA 9.0, section 5.1.6.1), of local memory a thread, and more
// than any has of shared memory. Programs of more instructions than that would take all memory.
constexpr std::uint64_t kMostParameterBytes = 32764, kMostLocalBytes = 512 << 10,
                        kMostSharedBytes = 1 << 20;
constexpr std::size_t kMostItems = 4 << 20, kMostRegisters = 16 << 20;
// Functions that call each other in a row, each inside the one before: a longer row would exhaust the stack.
constexpr std::size_t kMostActive = 200;

class Flattener {
 public:
  explicit Flattener(const ptx::Module& module) { flat_.module = &module; }

  Flat run(const ptx::Function& kernel) {
    place_module_variables();
    place_kernel_parameters(kernel);
    inline_body(kernel, -1, kernel_formals_);
    expect_at_most(kernel, shared_, kMostSharedBytes, "shared memory");
    expect_at_most(kernel, local_, kMostLocalBytes, "local memory a thread");
    flat_.static_shared_bytes = static_cast<std::uint32_t>(shared_);
    flat_.local_bytes = static_cast<std::uint32_t>(align_up(local_, 16));
    return std::move(flat_);
  }

 private:
  void expect_at_most(const ptx::Function& kernel, std::uint64_t bytes, std::uint64_t most,
                      const char* what) const {
    if (bytes <= most) return;
    malformed_at(*flat_.module, kernel.line,
                 fmt::format("{} needs {} bytes of {}, which is more than {}", kernel.name, bytes,
                             what, most));
  }

  void place_module_variables() {
    for (const ptx::Variable& v : flat_.module->variables) {
      if (v.space == Space::kShared) flat_.module_shared[v.name] = place_shared(v);
    }
  }

  Place place_shared(const ptx::Variable& v) {
    if (v.bytes == 0) return {Space::kShared, 0, true};
    shared_ = align_up(shared_, v.alignment);
    flat_.shared_alignment =
        std::max(flat_.shared_alignment, static_cast<std::uint32_t>(v.alignment));
    const Place place{Space::kShared, shared_, false};
    shared_ += v.bytes;
    return place;
  }

  Place place_local(const ptx::Variable& v) {
    local_ = align_up(local_, std::max<std::uint64_t>(v.alignment, 4));
    const Place place{Space::kLocal, local_, false};
    local_ += v.bytes;
    return place;
  }

  void place_kernel_parameters(const ptx::Function& kernel) {
    std::uint64_t offset = 0;
    for (const ptx::Variable& v : kernel.parameters) {
      offset = align_up(offset, v.alignment);
      kernel_formals_[v.name] = {Space::kParam, offset, false};
      flat_.parameter_offsets.push_back(static_cast<std::uint32_t>(offset));
      flat_.parameter_bytes.push_back(static_cast<std::uint32_t>(v.bytes));
      offset += v.bytes;
      expect_at_most(kernel, offset, kMostParameterBytes, "parameters");
    }
    flat_.parameter_block_bytes = static_cast<std::uint32_t>(offset);
  }

  int new_instance(const ptx::Function& f, int return_label,
                   std::map<std::string_view, Place> formals) {
    Instance instance;
    instance.function = &f;
    instance.register_base = static_cast<int>(flat_.registers.size());
    instance.label_base = flat_.label_count;
    instance.return_label = return_label;
    instance.formals = std::move(formals);
    for (const ptx::Register& r : f.registers) flat_.registers.push_back(r.type);
    flat_.label_count += static_cast<int>(f.labels.size());
    for (const ptx::Variable& v : f.variables) instance.variables.push_back(place(f, v));
    flat_.instances.push_back(std::move(instance));
    return static_cast<int>(flat_.instances.size()) - 1;
  }

  // Shared variables are static: every inlined copy of a function shares them.
  Place place(const ptx::Function& f, const ptx::Variable& v) {
    if (v.space != Space::kShared) return place_local(v);
    const auto [known, is_new] = function_shared_.try_emplace({&f, &v});
    if (is_new) known->second = place_shared(v);
    return known->second;
  }

  void inline_body(const ptx::Function& f, int return_label,
                   std::map<std::string_view, Place> formals) {
    const int index = new_instance(f, return_label, std::move(formals));
    active_.push_back(&f);
    if (flat_.items.size() + f.body.size() > kMostItems ||
        flat_.registers.size() > kMostRegisters) {
      malformed_at(
          *flat_.module, f.line,
          fmt::format("with {} inlined wherever it is called, the kernel is too long", f.name));
    }
    const int label_base = flat_.instances[index].label_base;
    for (const ptx::Statement& s : f.body) {
      if (s.label >= 0) {
        flat_.items.push_back({label_base + s.label, nullptr, index});
      } else {
        add(s.instruction, index);
      }
    }
    active_.pop_back();
  }

  void add(const Instruction& in, int instance) {
    const bool is_call = in.opcode == "call";
    const bool is_barrier = in.opcode == "bar" || in.opcode == "barrier";
    if (!is_call && !is_barrier && in.opcode != "ret") {
      flat_.items.push_back({-1, &in, instance});
      return;
    }
    if (in.opcode == "ret") return add_return(in, instance);
    int after = -1;
    const Instruction* body = &in;
    if (in.guard >= 0) {
      after = flat_.label_count++;
      add_branch(in, instance, after, !in.guard_negated);
      Instruction copy = in;
      copy.guard = -1;
      flat_.synthetic.push_back(std::move(copy));
      body = &flat_.synthetic.back();
    }
    if (is_call) add_call(*body, instance);
    else flat_.items.push_back({-1, body, instance});
    if (after >= 0) flat_.items.push_back({after, nullptr, -1});
  }

  // Under the guard of `in` (or its negation), goes to a flat label.
  void add_branch(const Instruction& in, int instance, int label, bool negate) {
    Instruction branch;
    branch.opcode = "bra";
    branch.line = in.line;
    branch.source = in.source;
    if (in.guard >= 0) {
      branch.guard = in.guard + flat_.instances[instance].register_base;
      branch.guard_negated = negate;
    }
    Operand target;
    target.kind = OperandKind::kLabel;
    target.index = label;
    branch.operands.push_back(target);
    flat_.synthetic.push_back(std::move(branch));
    flat_.items.push_back({-1, &flat_.synthetic.back(), -1});
  }

  void add_return(const Instruction& in, int instance) {
    const int label = flat_.instances[instance].return_label;
    if (label < 0) {
      flat_.items.push_back({-1, &in, instance});
    } else {
      add_branch(in, instance, label, in.guard_negated);
    }
  }

  void add_call(const Instruction& in, int instance) {
    std::size_t at = 0;
    const Operand* results = nullptr;
    if (!in.operands.empty() && in.operands[0].kind == OperandKind::kTuple)
      results = &in.operands[at++];
    if (at >= in.operands.size()) malformed(*flat_.module, in, "a call needs a function");
    const Operand& callee = in.operands[at++];
    if (callee.kind != OperandKind::kSymbol) unsupported(*flat_.module, in, "indirect calls");
    const ptx::Function* f = flat_.module->find_function(callee.text);
    if (!f) malformed(*flat_.module, in, fmt::format("no function {}", callee.text));
    if (!f->has_body && (f->name == "vprintf" || f->name == "__assertfail")) {
      const Operand* given = at < in.operands.size() ? &in.operands[at] : nullptr;
      return add_service(in, instance, *f, results, given);
    }
    if (!f->has_body)
      unsupported(*flat_.module, in, fmt::format("calls of {}, which has no body", f->name));
    if (std::find(active_.begin(), active_.end(), f) != active_.end()) {
      unsupported(*flat_.module, in, fmt::format("recursion (of {})", f->name));
    }
    if (active_.size() == kMostActive) malformed(*flat_.module, in, "calls are nested too deeply");
    const Operand* arguments = nullptr;
    if (at < in.operands.size() && in.operands[at].kind == OperandKind::kTuple)
      arguments = &in.operands[at];
    bind_and_inline(in, instance, *f, results, arguments);
  }

  // A function of the driver becomes one instruction of its name; its operands are those of the call.
  void add_service(const Instruction& in, int instance, const ptx::Function& f,
                   const Operand* results, const Operand* arguments) {
    Instruction service;
    service.opcode = f.name;
    service.line = in.line;
    service.source = in.source;
    for (const Operand* list : {results, arguments}) {
      if (!list) continue;
      service.operands.insert(service.operands.end(), list->elements.begin(), list->elements.end());
    }
    flat_.synthetic.push_back(std::move(service));
    flat_.items.push_back({-1, &flat_.synthetic.back(), instance});
  }

  void bind_and_inline(const Instruction& in, int instance, const ptx::Function& f,
                       const Operand* results, const Operand* arguments) {
    const std::size_t given = arguments ? arguments->elements.size() : 0;
    const std::size_t wanted = results ? results->elements.size() : 0;
    if (given != f.parameters.size() || wanted > f.results.size()) {
      malformed(*flat_.module, in,
                fmt::format("{} takes {} arguments and returns {}", f.name, f.parameters.size(),
                            f.results.size()));
    }
    std::map<std::string_view, Place> formals;
    const int callee_base = static_cast<int>(flat_.registers.size());
    for (std::size_t i = 0; i < given; ++i) {
      bind(in, instance, f.parameters[i], f.parameter_registers[i], callee_base,
           arguments->elements[i], formals, true);
    }
    for (std::size_t i = 0; i < wanted; ++i) {
      bind(in, instance, f.results[i], f.result_registers[i], callee_base, results->elements[i],
           formals, false);
    }
    const int after = flat_.label_count++;
    inline_body(f, after, std::move(formals));
    flat_.items.push_back({after, nullptr, -1});
    for (std::size_t i = 0; i < wanted; ++i) {
      if (f.result_registers[i] >= 0) {
        copy_register(in, f.results[i].type, register_of(in, instance, results->elements[i]),
                      flat_register(f.result_registers[i] + callee_base));
      }
    }
  }

  void bind(const Instruction& in, int instance, const ptx::Variable& formal, int formal_register,
            int callee_base, const Operand& actual, std::map<std::string_view, Place>& formals,
            bool is_argument) {
    if (formal_register >= 0) {
      if (is_argument) {
        copy_register(in, formal.type, flat_register(formal_register + callee_base),
                      register_of(in, instance, actual));
      }
      return;
    }
    if (actual.kind != OperandKind::kSymbol || actual.index < 0) {
      unsupported(*flat_.module, in, "calls that pass a register for a .param parameter");
    }
    formals[formal.name] = flat_.instances[instance].variables[actual.index];
  }

  Operand flat_register(int index) {
    Operand o;
    o.kind = OperandKind::kRegister;
    o.index = index;
    return o;
  }

  // An operand of the caller as an operand of an instruction without an instance.
  Operand register_of(const Instruction& in, int instance, Operand o) {
    if (o.kind == OperandKind::kRegister) o.index += flat_.instances[instance].register_base;
    else if (o.kind != OperandKind::kInteger && o.kind != OperandKind::kFloat) {
      malformed(*flat_.module, in, "a .reg parameter needs a register or a constant");
    }
    return o;
  }

  // The copy is decoded after the callee's registers exist, so forward indices are fine.
  void copy_register(const Instruction& in, ptx::Type type, Operand to, Operand from) {
    Instruction copy;
    copy.opcode = "mov";
    copy.modifiers = {ptx::name_of(type)};
    copy.operands = {std::move(to), std::move(from)};
    copy.line = in.line;
    copy.source = in.source;
    flat_.synthetic.push_back(std::move(copy));
    flat_.items.push_back({-1, &flat_.synthetic.back(), -1});
  }

  Flat flat_;
  std::uint64_t shared_ = 0, local_ = 0;
  std::map<std::string_view, Place> kernel_formals_;
  std::map<std::pair<const ptx::Function*, const ptx::Variable*>, Place> function_shared_;
  std::vector<const ptx::Function*> active_;
};

}  // namespace

Flat flatten(const ptx::Module& module, const ptx::Function& kernel) {
  return Flattener(module).run(kernel);
}

void unsupported(const ptx::Module& module, const Instruction& instruction,
                 const std::string& what) {
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{}:{}: the virtual GPU does not support {}, in `{}`", module.source_name,
                          instruction.line, what, ptx::to_text(module, instruction)));
}

void malformed_at(const ptx::Module& module, int line, const std::string& what) {
  throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: {}", module.source_name, line, what));
}

void malformed(const ptx::Module& module, const Instruction& instruction, const std::string& what) {
  throw Error(ErrorCode::kInvalidInput,
              fmt::format("{}:{}: {}, in `{}`", module.source_name, instruction.line, what,
                          ptx::to_text(module, instruction)));
}

}  // namespace tilewise::vgpu
