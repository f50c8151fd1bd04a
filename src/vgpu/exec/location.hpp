// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How messages name a place in a kernel and a thread.
#pragma once

#include <string>
#include <vector>

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

/// "kernel tile_2d (src/kernels/ladder/09_tile_2d.cu:41)", or the PTX line without line information.
std::string where(const Program& program, int instruction);

/// The calls of the functions that the compiler inlined around a place, the innermost first, up to eight;
/// none for code that stands in the kernel itself.
std::vector<Finding::Place::Call> calls_of(const ptx::Module& module,
                                           const ptx::SourceLocation& source);

/// Throws KernelError: what a lane did at an instruction, as a finding of `check`.
[[noreturn]] void misbehave(const Warp& warp, int instruction, int lane, const char* check,
                            const char* kind, const std::string& what);

/// "block (1, 0, 0), thread (5, 2, 0)"
std::string thread_name(const Warp& warp, int lane);

/// ", 4 bytes past the end of an allocation of 1024 bytes", or nothing.
std::string nearest_allocation(const Warp& warp, std::uint64_t address);

}  // namespace tilewise::vgpu
