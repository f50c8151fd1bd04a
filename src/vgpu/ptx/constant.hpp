// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Constant expressions (PTX ISA 9.0, section 4.5): C's operators on 64-bit integers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vgpu/ptx/lexer.hpp"

namespace tilewise::vgpu::ptx {

/// Whether a constant expression begins at tokens[at].
bool begins_constant(const std::vector<Token>& tokens, std::size_t at);

/// Reads the expression at tokens[at] and moves `at` behind it. `fail` throws.
std::uint64_t read_constant(const std::vector<Token>& tokens, std::size_t& at,
                            const std::function<void(const std::string&)>& fail);

}  // namespace tilewise::vgpu::ptx
