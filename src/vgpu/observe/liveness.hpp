// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operations nothing depends on. nvcc keeps `asm volatile`, so the PTX of a pipelined kernel often
// fetches a last fragment that no iteration uses; ptxas drops it.
#pragma once

#include <vector>

#include "vgpu/exec/decode.hpp"

namespace tilewise::vgpu {

/// By operation: true when all it does is define registers, and neither memory nor the flow of control
/// depends on them, however far on.
std::vector<bool> find_unused(const Decoded& decoded);

}  // namespace tilewise::vgpu
