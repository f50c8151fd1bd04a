// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Recognises memory accesses in machine code of compute capability 7.0 and later (16 bytes an
// instruction). The encoding is not documented; what is used here was read off disassemblies of
// sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100 and sm_120a code:
//   bits  0-11   opcode, its last three bits the form of the operands
//   bits 12-15   predicate: 7 is "always", 15 is "never"
//   bits 73-75   access width: u8, s8, u16, s16, 32, 64, 128 bits
//   bits 72-73   LDSM and STSM: 1, 2 or 4 matrices
//   bits 74-75   LDGSTS from sm_100 on: 32, 64, 128 bits
#pragma once

#include <cstdint>
#include <optional>

#include "vgpu/cubin/cubin.hpp"

namespace tilewise::vgpu {

inline constexpr std::uint64_t kSassInstructionBytes = 16;
/// 8-byte instructions came before; nothing here fits them.
inline constexpr int kFirstSmWithWideInstructions = 70;

/// One instruction, as its two 64-bit words.
struct SassInstruction {
  std::uint64_t low = 0, high = 0;
};

/// The access this instruction makes (address and line are not filled in), or nothing if it is no
/// load or store. `bytes` is 0 when the width code has no meaning.
std::optional<SassAccess> decode_access(const SassInstruction& instruction, int sm);

/// Whether the instruction is what ptxas makes of setmaxnreg (USETMAXREG).
bool sets_registers(const SassInstruction& instruction);

}  // namespace tilewise::vgpu
