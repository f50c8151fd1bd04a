// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden files of tensor-core instructions: operands and results of single instructions as real
// hardware computed them, and the numerics of exec/tensor_core.hpp held against them. Format:
// tests/golden/README.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/exec/tensor_core.hpp"
#include "vgpu/golden_file.hpp"

namespace tilewise::vgpu {

/// The instruction that a file name such as "mma_m16n8k16_f32_bf16" spells (".bin" left away); a second
/// operand type may follow where B's differs, and "satfinite". Nothing for other names.
std::optional<MatrixProduct> parse_mma_name(std::string_view name);

/// Bytes of one record of such a file.
std::size_t mma_record_bytes(const MatrixProduct& product);

/// Computes every record of a file again. Throws Error{kInvalidInput} when its name is no instruction
/// or its size no whole number of records.
GoldenRecords check_mma_file(const std::filesystem::path& file,
                             Numerics numerics = Numerics::kSm90);

/// Every *.bin in folders named mma, at most two levels down, by name; none is no error.
std::vector<std::filesystem::path> find_mma_files(const std::filesystem::path& folder);

}  // namespace tilewise::vgpu
