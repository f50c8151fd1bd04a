// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The product of `tilewise gemm`, block by block through the public interface.
#pragma once

#include <cstdint>
#include <functional>

#include "cli/gemm_blocks.hpp"
#include "cli/gemm_operands.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::cli {

/// Called before each block of C is computed.
using OnBlock = std::function<void(std::size_t index, std::size_t count)>;

/// How C is cut, unless the user says so. A column-major C is cut as its transpose.
Blocks default_blocks(const GemmOperands& operands);

/// Computes C in the memory of `elements`, whose layout is operands.out. Throws as gemm() does.
void multiply(Context& context, const GemmOperands& operands, const Blocks& blocks, void* elements,
              const OnBlock& on_block);

}  // namespace tilewise::cli
