// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/location.hpp"

#include <fmt/format.h>

#include "vgpu/observe/findings.hpp"

namespace tilewise::vgpu {

std::vector<Finding::Place::Call> calls_of(const ptx::Module& module,
                                           const ptx::SourceLocation& source) {
  constexpr std::size_t kMost = 8;
  std::vector<Finding::Place::Call> calls;
  for (int call = source.call; call >= 0; call = module.calls[call].call) {
    const ptx::SourceLocation& place = module.calls[call];
    if (place.file < 1 || place.file >= static_cast<int>(module.files.size())) break;
    if (calls.size() == kMost) break;
    calls.push_back({module.files[place.file], place.line});
  }
  return calls;
}

std::string where(const Program& program, int instruction) {
  if (instruction < 0) return fmt::format("kernel {}", program.name);
  return fmt::format("kernel {} ({})", program.name, line_of(place_of(program, instruction, "")));
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
