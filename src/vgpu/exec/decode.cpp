// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/demangle.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/type_names.hpp"
#include "vgpu/ptx/forms.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;

Decoder::Decoder(const Flat& flat, const ptx::Function& kernel, const GlobalAddresses& globals)
    : flat_(flat), kernel_(kernel), globals_(globals), flat_registers_(flat.registers) {}

Decoded decode(const Flat& flat, const ptx::Function& kernel, const GlobalAddresses& globals) {
  return Decoder(flat, kernel, globals).run();
}

Decoded Decoder::run() {
  Program& p = out_.program;
  p.name = without_signature(demangle(std::string(kernel_.name)));
  p.module = flat_.module;
  p.static_shared_bytes = flat_.static_shared_bytes;
  p.shared_alignment = flat_.shared_alignment;
  p.local_bytes = flat_.local_bytes;
  p.parameter_offsets = flat_.parameter_offsets;
  p.parameter_bytes = flat_.parameter_bytes;
  p.parameter_block_bytes = flat_.parameter_block_bytes;
  p.max_threads = kernel_.max_threads;
  p.cluster = kernel_.cluster;
  p.dynamic_shared_offset = (p.static_shared_bytes + 15) / 16 * 16;
  for (const ptx::Variable& v : flat_.module->variables) {
    if (v.space != Space::kShared || v.bytes != 0 || v.alignment <= 16) continue;
    p.shared_alignment = std::max(p.shared_alignment, static_cast<std::uint32_t>(v.alignment));
    p.dynamic_shared_offset = (p.static_shared_bytes + v.alignment - 1) / v.alignment * v.alignment;
  }
  block_of_label_.assign(static_cast<std::size_t>(flat_.label_count), -1);
  for (const FlatItem& item : flat_.items) {
    if (item.label >= 0) {
      if (block_open_) end_block({});
      start_block();
      block_of_label_[item.label] = static_cast<int>(p.blocks.size()) - 1;
    } else {
      if (!block_open_) start_block();
      decode_instruction(item);
    }
  }
  if (!block_open_) start_block();
  Terminator last;
  last.kind = TerminatorKind::kExit;  // falling off the end of a kernel ends it
  end_block(last);
  finish_targets();
  settle_copies();
  p.predicate_count = static_cast<std::uint32_t>(predicates_.size());
  out_.registers = std::move(flat_registers_);
  return std::move(out_);
}

void Decoder::start_block() {
  Block block;
  block.first = block.end = static_cast<std::uint32_t>(out_.program.ops.size());
  block.first_instruction = static_cast<std::uint32_t>(out_.program.instructions.size());
  out_.program.blocks.push_back(block);
  block_open_ = true;
  if (next_block_label_ >= 0) {
    block_of_label_[next_block_label_] = static_cast<int>(out_.program.blocks.size()) - 1;
    next_block_label_ = -1;
  }
}

void Decoder::end_block(Terminator terminator) {
  Block& block = out_.program.blocks.back();
  block.end = static_cast<std::uint32_t>(out_.program.ops.size());
  terminator.next = static_cast<int>(out_.program.blocks.size());
  block.terminator = std::move(terminator);
  block_open_ = false;
}

// Branch targets were labels until every block was known.
void Decoder::finish_targets() {
  for (Block& block : out_.program.blocks) {
    Terminator& t = block.terminator;
    if (t.kind == TerminatorKind::kBranch) t.target = block_of_label_[t.target];
    for (int& target : t.targets) target = block_of_label_[target];
    if (t.next == static_cast<int>(out_.program.blocks.size())) t.next = -1;
  }
}

void Decoder::decode_instruction(const FlatItem& item) {
  in_ = item.instruction;
  instance_ = item.instance;
  taken_.clear();
  Program& p = out_.program;
  p.instructions.push_back({in_->line, in_->source, false});
  first_op_ = p.ops.size();
  Block& block = p.blocks.back();
  ++block.instructions;
  if (in_->guard < 0) ++block.unguarded;
  if (decode_terminator()) return expect_form();
  substitute_specials();
  const TableEntry* entry = find_method(in_->opcode);
  if (!entry) {
    unsupported_here(fmt::format("the instruction {} (it runs {})", in_->opcode, opcodes()));
  }
  (this->*entry->method)();
  expect_no_more_modifiers();
  expect_form();
}

// Special registers are values of mov, and of cvt between whole numbers, which gets a mov before it.
void Decoder::substitute_specials() {
  const auto is_special = [](const Operand& o) { return o.kind == OperandKind::kSpecial; };
  if (in_->opcode == "mov" || std::none_of(in_->operands.begin(), in_->operands.end(), is_special))
    return;
  const bool is_conversion = in_->opcode == "cvt" && in_->operands.size() == 2 &&
                             !is_special(in_->operands[0]) &&
                             std::ranges::all_of(in_->modifiers, [](std::string_view m) {
                               const auto type = ptx::find_type(m);
                               return type && !is_float(*type);
                             });
  if (!is_conversion) malformed_here("special registers are for mov and integer cvt alone");
  substituted_.push_back(*in_);
  Instruction& copy = substituted_.back();
  const int base = instance_ >= 0 ? flat_.instances[instance_].register_base : 0;
  for (Operand& o : copy.operands) {
    if (!is_special(o)) continue;
    const Type type = o.text.ends_with("64") || o.text == "globaltimer" ? Type::kB64 : Type::kB32;
    const int index = new_register(type);
    emit_special(o.text, index);
    o = Operand{};
    o.kind = OperandKind::kRegister;
    o.index = index - base;
  }
  in_ = &copy;
}

bool Decoder::decode_terminator() {
  Terminator t;
  t.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  if (in_->guard >= 0) {
    Operand guard;
    guard.kind = OperandKind::kRegister;
    guard.index = in_->guard;
    t.predicate = static_cast<int>(predicate(guard));
    t.negated = in_->guard_negated;
  }
  const int label_base = instance_ >= 0 ? flat_.instances[instance_].label_base : 0;
  if (in_->opcode == "bra") {
    ignore({"uni"});
    expect_operands(1, 1);
    if (operand(0).kind != OperandKind::kLabel) malformed_here("bra needs a label");
    t.kind = TerminatorKind::kBranch;
    t.target = operand(0).index + label_base;
  } else if (in_->opcode == "ret" || in_->opcode == "exit") {
    ignore({"uni"});
    t.kind = TerminatorKind::kExit;
  } else if (in_->opcode == "brx") {
    take("idx");
    ignore({"uni"});
    expect_operands(2, 2);
    if (in_->guard >= 0) unsupported_here("brx.idx under a guard");
    t.kind = TerminatorKind::kIndexed;
    for (const auto& table : flat_.instances[instance_].function->branch_tables) {
      if (table.label != operand(1).index) continue;
      for (const int target : table.targets) t.targets.push_back(target + label_base);
    }
    if (t.targets.empty()) malformed_here("brx.idx needs the name of a .branchtargets list");
    const int block = static_cast<int>(out_.program.blocks.size()) - 1;
    out_.terminator_references.push_back({block, TerminatorReference::kIndex, false, false,
                                          static_cast<std::uint32_t>(flat_register(operand(0)))});
  } else if (in_->opcode == "bar" || in_->opcode == "barrier") {
    barrier();
    expect_no_more_modifiers();
    return true;
  } else if (in_->opcode == "mbarrier" && (in_->has("test_wait") || in_->has("try_wait"))) {
    mbarrier_wait();
    expect_no_more_modifiers();
    return true;
  } else {
    return false;
  }
  expect_no_more_modifiers();
  end_block(std::move(t));
  return true;
}

// Modifiers.
bool Decoder::take(std::string_view modifier) {
  if (!in_->has(modifier)) return false;
  taken_.insert(modifier);
  return true;
}

void Decoder::ignore(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view m : modifiers) take(m);
}

ptx::Type Decoder::take_type() {
  for (const std::string_view m : in_->modifiers) {
    if (taken_.contains(m)) continue;
    if (const auto type = ptx::find_type(m)) {
      taken_.insert(m);
      return *type;
    }
  }
  malformed_here("the instruction needs a type");
}

void Decoder::expect_no_more_modifiers() {
  for (const std::string_view m : in_->modifiers) {
    if (!taken_.contains(m)) unsupported_here(fmt::format("the modifier .{}", m));
  }
}

// What was decoded is something the virtual GPU can run; whether PTX has it is another question.
void Decoder::expect_form() const {
  const std::string what = ptx::misfit(*in_, [this](const Operand& o) { return register_type(o); });
  if (!what.empty()) malformed_here(what);
}

void Decoder::unsupported_here(const std::string& what) const {
  unsupported(*flat_.module, *in_, what);
}
void Decoder::malformed_here(const std::string& what) const {
  malformed(*flat_.module, *in_, what);
}

// Operands.
const ptx::Operand& Decoder::operand(std::size_t index) const {
  if (index >= in_->operands.size()) malformed_here("an operand is missing");
  return in_->operands[index];
}

void Decoder::expect_operands(std::size_t least, std::size_t most) const {
  if (in_->operands.size() < least || in_->operands.size() > most) {
    malformed_here(fmt::format("expected {} operands, found {}", least, in_->operands.size()));
  }
}

int Decoder::flat_register(const Operand& o) const {
  if (o.kind != OperandKind::kRegister) malformed_here("expected a register");
  return o.index + (instance_ >= 0 ? flat_.instances[instance_].register_base : 0);
}

std::uint32_t Decoder::predicate(const Operand& o) {
  const int index = flat_register(o);
  if (flat_registers_[index] != Type::kPred) malformed_here("expected a predicate register");
  return dense_predicate(index);
}

void Decoder::set_predicate(std::uint32_t predicate, const Operand& constant) {
  Op& op = emit("mov.pred.constant");
  op.r[0] = predicate;
  op.imm = constant.bits ? -1 : 0;
}

std::uint32_t Decoder::predicate_value(const Operand& o) {
  if (o.kind != OperandKind::kInteger) return predicate(o);
  const std::uint32_t constant = dense_predicate(new_register(Type::kPred));
  set_predicate(constant, o);
  return constant;
}

// Predicates are numbered in the order of their first use.
std::uint32_t Decoder::dense_predicate(int flat_index) {
  const auto next = static_cast<std::uint32_t>(predicates_.size());
  return predicates_.try_emplace(flat_index, next).first->second;
}

int Decoder::new_register(Type type) {
  flat_registers_.push_back(type);
  return static_cast<int>(flat_registers_.size()) - 1;
}

std::uint32_t Decoder::constant(std::uint64_t bits, bool wide, ConstantKind kind) {
  const auto [known, is_new] =
      constants_.try_emplace({bits, (wide ? 1 : 0) + 2 * static_cast<int>(kind)});
  if (is_new) {
    known->second = static_cast<std::uint32_t>(out_.program.constants.size());
    out_.program.constants.push_back(
        {bits, 0, wide, kind == ConstantKind::kParameter, kind == ConstantKind::kShared});
  }
  return known->second;
}

// A constant operand as the bits of a register of `type`.
std::uint64_t Decoder::constant_bits(const Operand& o, Type type) const {
  const int bytes = ptx::size_of(type);
  const std::uint64_t mask = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  if (o.kind == OperandKind::kFloat) {  // bits of an f32 stay as they are, even for an f64
    if (type == Type::kF32 && !o.single) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits)));
    }
    return o.bits & mask;
  }
  return o.bits & mask;
}

Place Decoder::place_of(const Operand& o, bool& found) const {
  found = true;
  if (instance_ >= 0) {
    const Instance& instance = flat_.instances[instance_];
    if (o.index >= 0) return instance.variables[o.index];
    if (const auto formal = instance.formals.find(o.text); formal != instance.formals.end()) {
      return formal->second;
    }
  }
  if (const auto shared = flat_.module_shared.find(o.text); shared != flat_.module_shared.end()) {
    return shared->second;
  }
  found = false;
  return {};
}

// The value of a variable's name: an offset in its window, or a device address.
Decoder::SymbolValue Decoder::symbol_value(const Operand& o) const {
  bool found = false;
  const Place place = place_of(o, found);
  if (found) {
    const std::uint64_t base = place.is_extern ? out_.program.dynamic_shared_offset : place.offset;
    const ConstantKind kind = place.space == Space::kParam    ? ConstantKind::kParameter
                              : place.space == Space::kShared ? ConstantKind::kShared
                                                              : ConstantKind::kPlain;
    return {base + static_cast<std::uint64_t>(o.offset), kind};
  }
  const auto global = globals_.find(o.text);
  if (global == globals_.end()) malformed_here(fmt::format("unknown name {}", o.text));
  return {global->second + static_cast<std::uint64_t>(o.offset), ConstantKind::kPlain};
}

// Emitting.
Op& Decoder::emit(const std::string& key) {
  Program& p = out_.program;
  const HandlerEntry* counted = find_handler(key, true);
  const HandlerEntry* plain = find_handler(key, false);
  if (!counted || !plain) unsupported_here(fmt::format("the operation {}", key));
  Op op;
  op.instruction = static_cast<std::int32_t>(p.instructions.size()) - 1;
  op.full = counted->full;
  op.masked = counted->masked;
  PlainHandlers others{plain->full, plain->masked, nullptr};
  if (in_->guard >= 0) {
    Operand guard;
    guard.kind = OperandKind::kRegister;
    guard.index = in_->guard;
    if (predicate(guard) > 0xFFFF) unsupported_here("more than 65536 registers");
    op.guard = static_cast<std::uint16_t>(predicate(guard));
    op.guard_negated = in_->guard_negated;
    op.body = counted->masked;
    op.full = op.masked = run_guarded;
    others = {run_guarded, run_guarded, plain->masked};
  }
  p.ops.push_back(op);
  out_.plain.push_back(others);
  return p.ops.back();
}

Reference& Decoder::refer(bool is_definition, bool is_constant, std::uint32_t index) {
  Reference r;
  r.op = static_cast<std::uint32_t>(out_.program.ops.size()) - 1;
  r.is_definition = is_definition;
  r.keeps_old = is_definition && in_->guard >= 0;
  r.is_constant = is_constant;
  r.index = index;
  out_.references.push_back(r);
  return out_.references.back();
}

void Decoder::reference(int slot, bool is_definition, bool is_constant, std::uint32_t index) {
  refer(is_definition, is_constant, index).slot = static_cast<std::uint32_t>(slot);
}

static bool is_wide(ptx::Type type) { return ptx::size_of(type) == 8; }

// The flat register that receives a result; one of its own where the result is thrown away.
std::uint32_t Decoder::definition(const Operand& o, Type type) {
  if (o.kind == OperandKind::kSink) return static_cast<std::uint32_t>(new_register(type));
  const int index = flat_register(o);
  if (is_wide(flat_registers_[index]) != is_wide(type) || flat_registers_[index] == Type::kPred) {
    malformed_here(fmt::format("a register of type .{} cannot hold .{}",
                               ptx::name_of(flat_registers_[index]), ptx::name_of(type)));
  }
  return static_cast<std::uint32_t>(index);
}

void Decoder::define(int slot, const Operand& o, Type type) {
  reference(slot, true, false, definition(o, type));
}

void Decoder::define_listed(const Operand& o, Type type) {
  Reference& r = refer(true, false, definition(o, type));
  r.is_listed = true;
  r.slot = static_cast<std::uint32_t>(out_.program.operands.size());
  out_.program.operands.push_back(0);
}

void Decoder::use_listed(const Operand& o, Type type) {
  const Source from = source(o, type);
  Reference& r = refer(false, from.is_constant, from.index);
  r.is_listed = true;
  r.slot = static_cast<std::uint32_t>(out_.program.operands.size());
  out_.program.operands.push_back(0);
}

void Decoder::use(int slot, const Operand& o, Type type) {
  const Source from = source(o, type);
  reference(slot, false, from.is_constant, from.index);
}

Decoder::Source Decoder::source(const Operand& o, Type type) {
  if (o.kind == OperandKind::kRegister) {
    const int index = flat_register(o);
    if (is_wide(flat_registers_[index]) != is_wide(type) || flat_registers_[index] == Type::kPred) {
      malformed_here(fmt::format("a register of type .{} cannot be read as .{}",
                                 ptx::name_of(flat_registers_[index]), ptx::name_of(type)));
    }
    return {false, static_cast<std::uint32_t>(index)};
  }
  if (o.kind == OperandKind::kSpecial) {
    unsupported_here(fmt::format("%{} anywhere but in mov", o.text));
  }
  if (o.kind == OperandKind::kSymbol) {
    const SymbolValue value = symbol_value(o);
    bool is_in_window = false;
    place_of(o, is_in_window);
    if (!is_in_window && !is_wide(type))
      malformed_here(fmt::format("the address of {} has 64 bits", o.text));
    return {true, constant(value.bits, is_wide(type), value.kind)};
  }
  if (o.kind != OperandKind::kInteger && o.kind != OperandKind::kFloat) {
    malformed_here("expected a register or a constant");
  }
  return {true, constant(constant_bits(o, type), is_wide(type))};
}

std::span<const Decoder::TableEntry> Decoder::methods() {
  // clang-format off
  static const TableEntry kTable[] = {
      {"__assertfail", &Decoder::assert_call},
      {"abs", &Decoder::abs_neg},        {"activemask", &Decoder::activemask},
      {"add", &Decoder::add_sub},        {"addc", &Decoder::add_sub},
      {"and", &Decoder::logic},          {"applypriority", &Decoder::nothing},
      {"atom", &Decoder::atom},
      {"bfe", &Decoder::bfe},            {"bfi", &Decoder::bfi},
      {"bfind", &Decoder::bfind},        {"bmsk", &Decoder::bmsk},
      {"brev", &Decoder::brev},
      {"brkpt", &Decoder::trap},         {"clz", &Decoder::bits_to_32},
      {"cnot", &Decoder::logic},         {"copysign", &Decoder::copysign},
      {"cos", &Decoder::unary_float},    {"cp", &Decoder::cp},
      {"createpolicy", &Decoder::createpolicy}, {"cvt", &Decoder::cvt},
      {"cvta", &Decoder::cvta},          {"discard", &Decoder::nothing},
      {"div", &Decoder::div},            {"dp2a", &Decoder::dot_product},
      {"dp4a", &Decoder::dot_product},
      {"elect", &Decoder::elect},        {"ex2", &Decoder::unary_float},
      {"fence", &Decoder::fence},        {"fma", &Decoder::fma},
      {"getctarank", &Decoder::getctarank}, {"griddepcontrol", &Decoder::griddepcontrol},
      {"isspacep", &Decoder::isspacep},  {"ld", &Decoder::load},
      {"ldmatrix", &Decoder::ldmatrix},
      {"ldu", &Decoder::load},           {"lg2", &Decoder::unary_float},
      {"lop3", &Decoder::lop3},          {"mad", &Decoder::mad},
      {"mad24", &Decoder::mad24},        {"madc", &Decoder::mad},
      {"mapa", &Decoder::mapa},
      {"match", &Decoder::match},        {"max", &Decoder::min_max},
      {"mbarrier", &Decoder::mbarrier},
      {"membar", &Decoder::fence},       {"min", &Decoder::min_max},
      {"mma", &Decoder::mma},            {"mov", &Decoder::mov},
      {"movmatrix", &Decoder::movmatrix}, {"mul", &Decoder::mul},
      {"mul24", &Decoder::mul24},        {"nanosleep", &Decoder::nanosleep},
      {"neg", &Decoder::abs_neg},        {"not", &Decoder::logic},
      {"or", &Decoder::logic},           {"pmevent", &Decoder::nothing},
      {"popc", &Decoder::bits_to_32},    {"prefetch", &Decoder::nothing},
      {"prefetchu", &Decoder::nothing},  {"prmt", &Decoder::prmt},
      {"rcp", &Decoder::unary_float},    {"red", &Decoder::red},
      {"redux", &Decoder::redux},        {"rem", &Decoder::rem},
      {"rsqrt", &Decoder::unary_float},  {"sad", &Decoder::sad},
      {"selp", &Decoder::selp},          {"set", &Decoder::set},            {"setmaxnreg", &Decoder::setmaxnreg},
      {"setp", &Decoder::setp},          {"shf", &Decoder::shf},
      {"shfl", &Decoder::shfl},          {"shl", &Decoder::shift},
      {"shr", &Decoder::shift},          {"sin", &Decoder::unary_float},
      {"slct", &Decoder::slct},          {"sqrt", &Decoder::unary_float},
      {"st", &Decoder::store},           {"stmatrix", &Decoder::stmatrix},
      {"sub", &Decoder::add_sub},
      {"subc", &Decoder::add_sub},       {"szext", &Decoder::szext},
      {"tanh", &Decoder::unary_float},  {"tensormap", &Decoder::tensormap},
      {"testp", &Decoder::testp},        {"trap", &Decoder::trap},
      {"vote", &Decoder::vote},          {"vprintf", &Decoder::print_call},
      {"wgmma", &Decoder::wgmma},
      {"wmma", &Decoder::wmma},
      {"xor", &Decoder::logic},
  };
  // clang-format on
  return kTable;
}

// What the virtual GPU runs, for the message about what it does not.
std::string Decoder::opcodes() {
  std::string names = "bar, barrier, bra, brx, call, exit, ret";
  for (const TableEntry& entry : methods()) names.append(", ").append(entry.opcode);
  return names;
}

const Decoder::TableEntry* Decoder::find_method(std::string_view opcode) {
  const auto found = std::lower_bound(
      methods().begin(), methods().end(), opcode,
      [](const TableEntry& entry, std::string_view name) { return entry.opcode < name; });
  return found != methods().end() && found->opcode == opcode ? &*found : nullptr;
}

}  // namespace tilewise::vgpu
