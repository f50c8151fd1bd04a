// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/location.hpp"

#include <fmt/format.h>

namespace tilewise::vgpu {

std::string calls_of(const ptx::Module& module, const ptx::SourceLocation& source) {
  constexpr int kMost = 8;
  std::string text;
  int listed = 0;
  for (int call = source.call; call >= 0; call = module.calls[call].call) {
    if (++listed > kMost) return text + ", …";
    const ptx::SourceLocation& place = module.calls[call];
    if (place.file < 1 || place.file >= static_cast<int>(module.files.size())) break;
    text += fmt::format(", called at {}:{}", module.files[place.file], place.line);
  }
  return text;
}

std::string where(const Program& program, int instruction) {
  if (instruction < 0) return fmt::format("kernel {}", program.name);
  const InstructionFacts& facts = program.instructions[instruction];
  const auto& files = program.module->files;
  const bool has_source = facts.source.line > 0 && facts.source.file > 0 &&
                          facts.source.file < static_cast<int>(files.size());
  if (has_source) {
    return fmt::format("kernel {} ({}:{}{})", program.name, files[facts.source.file],
                       facts.source.line, calls_of(*program.module, facts.source));
  }
  return fmt::format("kernel {} ({}:{})", program.name, program.module->source_name,
                     facts.ptx_line);
}

std::string thread_name(const Warp& w, int lane) {
  const Dim3& b = w.block->index;
  return fmt::format("block ({}, {}, {}), thread ({}, {}, {})", b.x, b.y, b.z, w.tid[0][lane],
                     w.tid[1][lane], w.tid[2][lane]);
}

std::string nearest_allocation(const Warp& w, std::uint64_t address) {
  // Most such accesses overrun a matrix by a little.
  constexpr std::uint64_t kNear = 65536;
  for (std::uint64_t distance = 1; distance <= kNear; distance *= 2) {
    for (const std::uint64_t probe : {address - distance, address + distance}) {
      const Memory::Range range = w.worker->memory->find(probe);
      if (range.end == 0) continue;
      if (address >= range.begin && address < range.end) {
        return fmt::format(" (it begins {} bytes before the end of an allocation of {} bytes)",
                           range.end - address, range.end - range.begin);
      }
      const bool after = address >= range.end;
      return fmt::format(" ({} bytes {} an allocation of {} bytes)",
                         after ? address - range.end : range.begin - address,
                         after ? "past the end of" : "before", range.end - range.begin);
    }
  }
  return "";
}

}  // namespace tilewise::vgpu
