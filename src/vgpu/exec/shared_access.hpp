// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a lane's address in the shared window to memory of the host.
#pragma once

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

/// `bytes` of the block's own shared memory at a shared address. Faults when they lie outside of it, or off
/// a multiple of `alignment`.
inline std::byte* shared_memory_at(const Warp& w, const Op& op, int lane, std::uint64_t address,
                                   int bytes, int alignment) {
  if (address % static_cast<unsigned>(alignment) != 0)
    fault(w, op, Fault::kMisaligned, lane, address, bytes);
  const std::uint64_t offset = address - static_cast<std::uint64_t>(w.block->shared_begin);
  if (offset > w.block->shared_bytes ||
      w.block->shared_bytes - offset < static_cast<unsigned>(bytes)) {
    fault(w, op, Fault::kOutOfBounds, lane, address, bytes);
  }
  return w.block->shared + address;
}

}  // namespace tilewise::vgpu
