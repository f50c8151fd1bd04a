// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random operands of single tensor-core instructions, for golden files.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "vgpu/exec/tensor_core.hpp"

namespace tilewise::bench {

using Cells = std::vector<std::uint64_t>;  ///< raw bits, an element a cell

/// Kinds of operands: ordinary ones, and where instructions differ in their rounding and special cases.
enum class Style { kNormal, kWide, kVeryWide, kCancelling, kSpecial, kSubnormal };

/// The styles take turns from record to record.
Style style_of(int record);

class RecordOperands {
 public:
  explicit RecordOperands(std::uint64_t seed) : random_(seed) {}

  Cells matrix(vgpu::MatrixType type, int cells, Style style);

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::uint64_t element(vgpu::MatrixType type, Style style);
  std::uint64_t integer(vgpu::MatrixType type, Style style);

  std::mt19937_64 random_;
};

/// Adds the elements to a record, packed and little-endian.
void append(std::string& record, const Cells& matrix, vgpu::MatrixType type);

}  // namespace tilewise::bench
