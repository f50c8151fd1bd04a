// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a lane's address in the shared window to memory of the host.
#pragma once

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

/// `bytes` of shared memory at an offset in the window of shared addresses. Faults when they lie outside the
/// block's shared memory, or off a multiple of `alignment`.
inline std::byte* shared_memory_at(const Warp& w, const Op& op, int lane, std::uint64_t address,
                                   int bytes, int alignment) {
  if (address % static_cast<unsigned>(alignment) != 0)
    fault(w, op, Fault::kMisaligned, lane, address, bytes);
  if (address > w.block->shared_bytes ||
      w.block->shared_bytes - address < static_cast<unsigned>(bytes)) {
    fault(w, op, Fault::kOutOfBounds, lane, address, bytes);
  }
  return w.block->shared + address;
}

}  // namespace tilewise::vgpu
