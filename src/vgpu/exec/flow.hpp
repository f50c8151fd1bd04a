// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's control flow decides: where diverged lanes meet again, and which registers can share
// a slot.
#pragma once

#include <vector>

#include "vgpu/exec/decode.hpp"

namespace tilewise::vgpu {

/// Blocks that can run after `block`, without the exit.
std::vector<int> successors(const Block& block);

/// Sets Block::reconvergence to each block's immediate post-dominator: the first block that every path
/// from it to the end passes. A guarded exit does not count as a path to the end, because lanes that
/// have exited meet nobody.
void find_reconvergence(Program& program);

/// Gives every register and constant a slot in the warp's register file and writes the offsets into the
/// operations. PTX has as many registers as it likes, each written once; sharing slots keeps a warp's
/// registers in the first-level cache. Slots of 4 and of 8 bytes a lane never overlap, so an operation
/// may read and write the same slot.
void assign_registers(Decoded& decoded);

}  // namespace tilewise::vgpu
