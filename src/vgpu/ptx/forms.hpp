// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which modifiers go together and which operands they ask for, as the PTX ISA (9.0) writes it and ptxas
// for sm_90a takes it. The decoder looks at what it needs to know; this holds the whole instruction
// against the forms it may have, so that what ptxas would refuse is refused here too.
//
// A form's modifiers are groups, in any order as for ptxas: `a|b` is one of them, `a|b?` one or none;
// types alone keep their order, `m64n*` is whatever begins so, `<INTEGER>` the choices of that name. Its operands, `:` behind the modifiers:
//   0 1 …    a source of the first, second … group that is a type     =0   a destination of it
//   ~0 =~0   the same, and the register may be wider                  f32  of that type, whatever was written
//   p        a predicate that is set     !p   one that is read        |p   one joined to what is before it
//   {0       a list of such registers    {}   any list                =_0  what may be thrown away, by a _
//   []       an address                  #    a whole number          *    anything
// and `?` behind one says that it may be missing. `^lo|hi` in the modifiers is part of the instruction's name
// and stands at its place.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "vgpu/ptx/ir.hpp"

namespace tilewise::vgpu::ptx {

/// One way to write an instruction: "sat? s32 : =0 0 0".
struct Form {
  std::string_view opcode, text;
};

/// All forms, those of an opcode side by side, opcodes in order.
std::span<const Form> forms();

/// What is wrong with the instruction, for a message; empty where it has one of its opcode's forms, or
/// where the opcode has none. `register_type` gives the type of a register operand.
std::string misfit(const Instruction& instruction,
                   const std::function<Type(const Operand&)>& register_type);

}  // namespace tilewise::vgpu::ptx
