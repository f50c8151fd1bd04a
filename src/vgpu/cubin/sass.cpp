// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cubin/sass.hpp"

#include <array>

namespace tilewise::vgpu {
namespace {

struct Opcode {
  std::uint32_t code;
  SassAccessKind kind;
};

// Two forms of most: the address in a register alone, or with a uniform register too.
constexpr std::array kOpcodes{
    Opcode{0x984, SassAccessKind::kSharedLoad},
    Opcode{0x388, SassAccessKind::kSharedStore},
    Opcode{0x988, SassAccessKind::kSharedStore},
    Opcode{0x381, SassAccessKind::kGlobalLoad},
    Opcode{0x981, SassAccessKind::kGlobalLoad},
    Opcode{0x386, SassAccessKind::kGlobalStore},
    Opcode{0x986, SassAccessKind::kGlobalStore},
    Opcode{0x980, SassAccessKind::kGenericLoad},
    Opcode{0x385, SassAccessKind::kGenericStore},
    Opcode{0x985, SassAccessKind::kGenericStore},
    Opcode{0x983, SassAccessKind::kLocalLoad},
    Opcode{0x387, SassAccessKind::kLocalStore},
    Opcode{0x987, SassAccessKind::kLocalStore},
    Opcode{0x83B, SassAccessKind::kSharedMatrixLoad},
    Opcode{0x844, SassAccessKind::kSharedMatrixStore},
    Opcode{0xDAE, SassAccessKind::kGlobalToShared},
    Opcode{0xFAE, SassAccessKind::kGlobalToShared},
};

constexpr std::uint32_t kNever = 15;  // @!PT
constexpr int kFirstSmWithNarrowCopyWidth = 100;
constexpr int kPartialCopyBit = 18;  ///< of the upper half
constexpr std::array<int, 8> kWidths{1, 1, 2, 2, 4, 8, 16, 0};
constexpr std::array<int, 4> kWordWidths{4, 8, 16, 0};

int bytes_of(SassAccessKind kind, std::uint64_t high, int sm) {
  switch (kind) {
    case SassAccessKind::kSharedMatrixLoad:
    case SassAccessKind::kSharedMatrixStore: return kWordWidths[high >> 8 & 3];
    case SassAccessKind::kGlobalToShared:
      if (sm >= kFirstSmWithNarrowCopyWidth) return kWordWidths[high >> 10 & 3];
      [[fallthrough]];
    default: return kWidths[high >> 9 & 7];
  }
}

constexpr std::uint32_t kSetRegisters = 0x9C8;

}  // namespace

bool sets_registers(const SassInstruction& instruction) {
  return (instruction.low & 0xFFF) == kSetRegisters;
}

std::optional<SassAccess> decode_access(const SassInstruction& instruction, int sm) {
  const auto opcode = static_cast<std::uint32_t>(instruction.low & 0xFFF);
  for (const Opcode& candidate : kOpcodes) {
    if (candidate.code != opcode) continue;
    SassAccess access;
    access.kind = candidate.kind;
    access.bytes = bytes_of(candidate.kind, instruction.high, sm);
    access.never = (instruction.low >> 12 & 0xF) == kNever;
    access.partial = candidate.kind == SassAccessKind::kGlobalToShared &&
                     (instruction.high >> kPartialCopyBit & 1) != 0;
    return access;
  }
  return std::nullopt;
}

}  // namespace tilewise::vgpu
