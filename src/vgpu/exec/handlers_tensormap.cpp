// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// tensormap.replace and tensormap.cp_fenceproxy.
#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "tilewise/error.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/tensor_map_field.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint64_t kMapBytes = sizeof(TensorMap);

[[noreturn]] void fail(const Warp& w, const Op& op, int lane, const std::string& what) {
  misbehave(w, op.instruction, lane, "bounds", "misuse of a tensor map", what);
}

std::byte* global_map(const Warp& w, const Op& op, int lane, std::uint64_t address) {
  const Worker& worker = *w.worker;
  if (!worker.memory->contains(address, kMapBytes) &&
      !worker.module_memory->contains(address, kMapBytes)) {
    fail(w, op, lane,
         fmt::format("changes a tensor map at {:#x}, outside every allocation{}", address,
                     nearest_allocation(w, address)));
  }
  return reinterpret_cast<std::byte*>(address);
}

std::byte* shared_map(const Warp& w, const Op& op, int lane, std::uint64_t address) {
  std::byte* const at = shared_memory(*w.block, address, kMapBytes);
  if (!at) fail(w, op, lane, fmt::format("uses a tensor map at shared address {:#x}", address));
  return at;
}

/// The map behind r[slot]: 32-bit addresses are shared ones, 64-bit ones generic.
std::byte* map_at(const Warp& w, const Op& op, int slot, int lane) {
  const std::uint64_t base = op.bytes == 8 ? cells<std::uint64_t>(w, op.r[slot])[lane]
                                           : cells<std::uint32_t>(w, op.r[slot])[lane];
  const std::uint64_t address = base + static_cast<std::uint64_t>(op.imm);
  if (op.bytes == 4 || (address & kWindowMask) == kSharedWindow)
    return shared_map(w, op, lane, address & ~kWindowMask);
  return global_map(w, op, lane, address);
}

struct ReplaceField {
  static void masked(Warp& w, const Op& op) {
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::byte* const at = map_at(w, op, 0, lane);
      auto map = read_tensor_map(at);
      if (!map) fail(w, op, lane, "changes a tensor map where there is none");
      const auto field = static_cast<TensorMapField>(op.mode);
      const std::uint64_t value = kTensorMapFields[op.mode].wide
                                      ? cells<std::uint64_t>(w, op.r[1])[lane]
                                      : cells<std::uint32_t>(w, op.r[1])[lane];
      const std::string wrong = replace_field(*map, field, op.count, value);
      if (!wrong.empty()) fail(w, op, lane, "changes a tensor map: " + wrong);
      std::memcpy(at, &*map, kMapBytes);
    }
  }
};

struct CopyMap {
  static void masked(Warp& w, const Op& op) {
    const int lane = w.first_lane();
    std::byte* const to = global_map(w, op, lane, cells<std::uint64_t>(w, op.r[0])[lane]);
    std::memcpy(to, map_at(w, op, 1, lane), kMapBytes);
  }
};

constexpr HandlerEntry kTable[] = {
    {"tensormap.replace", ReplaceField::masked, ReplaceField::masked},
    {"tensormap.cp_fenceproxy", CopyMap::masked, CopyMap::masked},
};

}  // namespace

HandlerSpan handlers_tensormap() { return {kTable, std::size(kTable)}; }

}  // namespace tilewise::vgpu
