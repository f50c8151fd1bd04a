// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of loads, stores and atomics (PTX ISA 9.0, sections 9.7.9 and 9.7.13).
#include <fmt/format.h>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/memory_modes.hpp"
#include "vgpu/exec/type_names.hpp"
#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// State space, vector length and type; what concerns caches and ordering changes nothing here, because
// a warp's accesses take effect in program order.
Decoder::Access Decoder::take_access() {
  Access a;
  if (take("shared::cluster")) a.in_cluster = true;
  if (take("global")) a.space = Space::kGlobal;
  else if (take("shared") || take("shared::cta")) a.space = Space::kShared;
  else if (take("const")) a.space = Space::kConst;
  else if (take("local")) a.space = Space::kLocal;
  else if (take("param") || take("param::entry") || take("param::func")) a.space = Space::kParam;
  if (take("v2")) a.count = 2;
  else if (take("v4")) a.count = 4;
  ignore({"nc",
          "volatile",
          "weak",
          "relaxed",
          "acquire",
          "release",
          "sc",
          "cta",
          "cluster",
          "gpu",
          "sys",
          "ca",
          "cg",
          "cs",
          "cv",
          "wb",
          "wt",
          "lu",
          "L1::evict_normal",
          "L1::evict_unchanged",
          "L1::evict_first",
          "L1::evict_last",
          "L1::no_allocate",
          "L2::evict_normal",
          "L2::evict_first",
          "L2::evict_last",
          "L2::64B",
          "L2::128B",
          "L2::256B",
          "mmio"});
  if (take("L2::cache_hint")) cache_hint_ = true;
  a.type = take_type();
  return a;
}

// The address operand into r[slot], its offset into imm. Returns whether the base is a register.
bool Decoder::address(int slot, const Operand& o, Space& space, bool& wide) {
  if (o.kind != OperandKind::kAddress || o.elements.size() != 1)
    malformed_here("expected an address [ ]");
  const Operand& base = o.elements[0];
  Op& op = out_.program.ops.back();
  op.imm = o.offset;
  wide = space != Space::kShared && space != Space::kLocal;
  if (base.kind == OperandKind::kRegister) {
    wide = is_wide_register(register_type(base));
    if (!wide && space != Space::kShared && space != Space::kLocal) {
      unsupported_here("32-bit addresses of global memory");
    }
    use(slot, base, wide ? Type::kB64 : Type::kB32);
    return true;
  }
  if (base.kind == OperandKind::kSymbol) {
    const SymbolValue value = symbol_value(base);
    reference(slot, false, true, constant(value.bits, wide, value.kind));
    return false;
  }
  if (base.kind != OperandKind::kInteger)
    malformed_here("expected a register, a name or a constant in [ ]");
  reference(slot, false, true, constant(base.bits, wide));
  return false;
}

std::vector<ptx::Operand> Decoder::access_registers(const Operand& o, int count) {
  if (count == 1) return {o};
  if (o.kind != OperandKind::kVector || static_cast<int>(o.elements.size()) != count) {
    malformed_here(fmt::format("expected a vector of {} registers", count));
  }
  return o.elements;
}

// Names of variables decide the space of a generic access.
void Decoder::settle_space(const Operand& o, Access& a) const {
  if (o.kind != OperandKind::kAddress || o.elements.empty()) return;
  const Operand& base = o.elements[0];
  if (base.kind != OperandKind::kSymbol) return;
  bool found = false;
  const Place place = place_of(base, found);
  const bool is_open = a.space == Space::kGeneric || a.space == Space::kParam;
  const bool is_elsewhere =
      found ? a.space != place.space : a.space == Space::kShared || a.space == Space::kLocal;
  if (!is_open && is_elsewhere)
    malformed_here(fmt::format("{} lies in another state space", base.text));
  if (found && is_open) a.space = place.space;
  if (!found && a.space == Space::kGeneric) a.space = Space::kGlobal;
}

void Decoder::load() {
  Access a = take_access();
  expect_operands(2, cache_hint_ ? 3 : 2);
  cache_hint_ = false;
  settle_space(operand(1), a);
  if (a.space == Space::kParam) return parameter_load(a);
  if (a.space == Space::kLocal) return local_access(a, false);
  if (a.space == Space::kGeneric || a.in_cluster) return generic_access(a, false);
  memory_access(a, false);
}

void Decoder::store() {
  if (take("async")) return remote_store();
  Access a = take_access();
  expect_operands(2, cache_hint_ ? 3 : 2);
  cache_hint_ = false;
  settle_space(operand(0), a);
  if (a.space == Space::kLocal || a.space == Space::kParam) return local_access(a, true);
  if (a.space == Space::kGeneric || a.in_cluster) return generic_access(a, true);
  memory_access(a, true);
}

static std::string element_key(Type type, bool wide_register, bool is_store, int count) {
  const int bytes = ptx::size_of(type);
  const std::string vector =
      count > 1 && bytes >= 4 && !(bytes == 4 && wide_register) ? fmt::format("v{}.", count) : "";
  if (bytes == 8) return vector + "b64";
  if (bytes == 4 && !wide_register) return vector + "b32";
  const char* wide = wide_register ? ".wide" : "";
  if (is_store) return fmt::format("b{}{}", 8 * bytes, wide);
  return fmt::format("{}{}{}", is_signed(type) ? 's' : 'u', 8 * bytes, wide);
}

int Decoder::new_site(const Access& a, bool is_store) {
  Site site;
  site.space = a.space;
  site.is_store = is_store;
  site.bytes = site.counted_bytes = ptx::size_of(a.type) * a.count;
  site.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  site.element_bytes = static_cast<std::uint8_t>(ptx::size_of(a.type));
  site.acquires = in_->has("acquire") || in_->has("acq_rel");
  site.releases = in_->has("release") || in_->has("acq_rel");
  site.is_strong = site.acquires || site.releases || in_->has("relaxed") || in_->has("volatile") ||
                   in_->has("mmio");
  out_.program.sites.push_back(site);
  return static_cast<int>(out_.program.sites.size()) - 1;
}

// Shared and global memory: the vectorised handlers.
void Decoder::memory_access(const Access& a, bool is_store) {
  const Operand& at = operand(is_store ? 0 : 1);
  const std::vector<Operand> values = access_registers(operand(is_store ? 1 : 0), a.count);
  const bool wide_register = any_wide(values, a.type);
  const bool wide_address = at.kind == OperandKind::kAddress && !at.elements.empty() &&
                            at.elements[0].kind == OperandKind::kRegister &&
                            is_wide_register(register_type(at.elements[0]));
  const std::string space = a.space != Space::kShared ? "global"
                            : wide_address            ? "shared64"
                                                      : "shared";
  const std::string key = fmt::format("{}.{}.{}", is_store ? "st" : "ld", space,
                                      element_key(a.type, wide_register, is_store, a.count));
  Op& op = emit(key);
  op.bytes = static_cast<std::uint8_t>(ptx::size_of(a.type));
  op.count = static_cast<std::uint8_t>(a.count);
  op.site = new_site(a, is_store);
  Site& site = out_.program.sites.back();
  site.has_pattern = true;
  site.wide_address = wide_address || a.space != Space::kShared;
  site.wide_registers = wide_register;
  Space space_kind = a.space;
  bool wide = false;
  address(0, at, space_kind, wide);
  access_values(values, a.type, wide_register, is_store);
}

bool Decoder::any_wide(const std::vector<Operand>& values, Type type) const {
  for (const Operand& v : values) {
    if (v.kind == OperandKind::kRegister && is_wide_register(register_type(v))) return true;
  }
  return ptx::size_of(type) == 8;
}

void Decoder::access_values(const std::vector<Operand>& values, Type type, bool wide_register,
                            bool is_store) {
  const Type in_register = wide_register ? Type::kB64 : ptx::size_of(type) < 4 ? Type::kB32 : type;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int slot = static_cast<int>(1 + i);
    if (is_store) use(slot, values[i], values[i].kind == OperandKind::kFloat ? type : in_register);
    else define(slot, values[i], in_register);
  }
}

// Parameters of the kernel: the same for all lanes.
void Decoder::parameter_load(const Access& a) {
  const std::vector<Operand> values = access_registers(operand(0), a.count);
  const bool wide_register = any_wide(values, a.type);
  const Operand& at = operand(1);
  if (at.kind != OperandKind::kAddress || at.elements.size() != 1)
    malformed_here("expected an address [ ]");
  const Operand& base = at.elements[0];
  if (base.kind == OperandKind::kRegister)
    return generic_access(a, false);  // made of a parameter's name
  Op& op = emit("ld.param");
  op.bytes = static_cast<std::uint8_t>(ptx::size_of(a.type));
  op.count = static_cast<std::uint8_t>(a.count);
  op.mode = static_cast<std::uint8_t>((is_signed(a.type) ? kSigned : 0) |
                                      (wide_register ? kWideRegister : 0));
  const SymbolValue name = symbol_value(base);
  const std::uint64_t offset = name.bits + static_cast<std::uint64_t>(at.offset);
  if (name.kind != ConstantKind::kParameter) malformed_here("expected a parameter's name");
  const std::uint64_t bytes = static_cast<std::uint64_t>(ptx::size_of(a.type)) * a.count;
  if (!lies_in(offset, bytes, 0, out_.program.parameter_block_bytes))
    malformed_here("the access lies outside the parameters");
  op.imm = static_cast<std::int64_t>(offset);
  access_values(values, a.type, wide_register, false);
}

void Decoder::local_access(const Access& a, bool is_store) {
  const std::vector<Operand> values = access_registers(operand(is_store ? 1 : 0), a.count);
  const bool wide_register = any_wide(values, a.type);
  Op& op = emit(is_store ? "st.local" : "ld.local");
  op.bytes = static_cast<std::uint8_t>(ptx::size_of(a.type));
  op.count = static_cast<std::uint8_t>(a.count);
  Space space = Space::kLocal;
  bool wide = false;
  address(0, operand(is_store ? 0 : 1), space, wide);
  out_.program.ops.back().mode =
      static_cast<std::uint8_t>((is_signed(a.type) ? kSigned : 0) |
                                (wide_register ? kWideRegister : 0) | (wide ? kWideAddress : 0));
  access_values(values, a.type, wide_register, is_store);
}

void Decoder::generic_access(const Access& a, bool is_store) {
  const std::vector<Operand> values = access_registers(operand(is_store ? 1 : 0), a.count);
  const bool wide_register = any_wide(values, a.type);
  Op& op = emit(is_store ? "st.generic" : "ld.generic");
  op.bytes = static_cast<std::uint8_t>(ptx::size_of(a.type));
  op.count = static_cast<std::uint8_t>(a.count);
  op.site = new_site(a, is_store);
  op.mode = static_cast<std::uint8_t>((is_signed(a.type) ? kSigned : 0) |
                                      (wide_register ? kWideRegister : 0));
  Space space = a.in_cluster ? Space::kShared : Space::kGeneric;
  bool wide = false;
  address(0, operand(is_store ? 0 : 1), space, wide);
  Op& placed = out_.program.ops.back();
  if (a.in_cluster) placed.mode |= kSharedAddress;
  if (!wide) placed.mode |= kNarrowAddress;
  access_values(values, a.type, wide_register, is_store);
}

void Decoder::atom() { atomic(true); }
void Decoder::red() {
  if (take("async")) remote_store();
  else atomic(false);
}

// The types that handlers_memory.cpp runs: whole numbers, and floats in additions.
static bool has_atomic(AtomicKind kind, Type type) {
  if (type == Type::kF32 || type == Type::kF64) return kind == AtomicKind::kAdd;
  return !is_float(type) && bits_of(type) >= 16 && bits_of(type) <= 64 && type != Type::kS16;
}

void Decoder::atomic(bool has_result) {
  bool shared = take("shared") || take("shared::cta") || take("shared::cluster");
  take("global");
  ignore({"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "noftz"});
  std::optional<AtomicKind> kind;
  for (const auto& [name, value] : kAtomicNames) {
    if (take(name)) kind = value;
  }
  if (!kind) malformed_here("an atomic needs an operation such as .add");
  const Type type = take_type();
  if (!has_atomic(*kind, type)) {
    unsupported_here(fmt::format("this operation on .{}", ptx::name_of(type)));
  }
  const std::size_t sources = *kind == AtomicKind::kCas ? 2 : 1;
  expect_operands(1 + sources + (has_result ? 1 : 0), 1 + sources + (has_result ? 1 : 0));
  const Operand& at = operand(has_result ? 1 : 0);
  if (at.kind == OperandKind::kAddress && !at.elements.empty() &&
      at.elements[0].kind == OperandKind::kSymbol) {
    bool found = false;
    if (place_of(at.elements[0], found).space == Space::kShared && found) shared = true;
  }
  Op& op = emit("atom");
  op.mode = static_cast<std::uint8_t>(*kind);
  op.bytes = static_cast<std::uint8_t>(type);
  Access access;
  access.space = shared ? Space::kShared : Space::kGlobal;
  access.type = type;
  op.site = new_site(access, true);
  out_.program.sites.back().is_atomic = out_.program.sites.back().is_strong = true;
  Space space = shared ? Space::kShared : Space::kGeneric;
  bool wide = false;
  address(0, at, space, wide);
  out_.program.ops.back().count =
      static_cast<std::uint8_t>((shared ? kAtomicShared : 0) | (wide ? kAtomicWideAddress : 0) |
                                (has_result ? kAtomicResult : 0));
  if (has_result) define(1, operand(0), type);
  for (std::size_t i = 0; i < sources; ++i) {
    use(static_cast<int>(2 + i), operand((has_result ? 2 : 1) + i), type);
  }
}

}  // namespace tilewise::vgpu
