// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How messages name a place in a kernel and a thread.
#pragma once

#include <string>

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

/// "kernel tile_2d (src/kernels/ladder/09_tile_2d.cu:41)", or the PTX line without line information.
std::string where(const Program& program, int instruction);

/// ", called at src/kernels/ladder/09_tile_2d.cu:41" for each call of a function that the compiler
/// inlined, the innermost first; nothing for code that stands in the kernel itself.
std::string calls_of(const ptx::Module& module, const ptx::SourceLocation& source);

/// "block (1, 0, 0), thread (5, 2, 0)"
std::string thread_name(const Warp& warp, int lane);

/// ", 4 bytes past the end of an allocation of 1024 bytes", or nothing.
std::string nearest_allocation(const Warp& warp, std::uint64_t address);

}  // namespace tilewise::vgpu
