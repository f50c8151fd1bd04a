// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What one tensor-core instruction computes, bit for bit: D = A·B + C. Pure functions on raw bits.
//
// The hardware adds all products of a step and C in one fixed-point sum: products are exact, every term
// is aligned to the largest exponent and cut off F fraction bits below it, the terms are added exactly,
// and the sum is rounded once. tests/golden/README.md has the rules in full, tests/vgpu/golden_mma_test.cpp
// holds them against what an H200 computed.
#pragma once

#include <cstdint>
#include <string_view>

#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

enum class MatrixType : std::uint8_t {
  kF16,
  kBf16,
  kTf32,
  kE4m3,
  kE5m2,
  kS8,
  kU8,
  kF32,  ///< accumulators only
  kS32,  ///< accumulators only
  kF64,
};

/// As PTX spells it: "f16", "bf16", "e4m3", …
std::string_view name_of(MatrixType type);
int bits_of(MatrixType type);

/// One instruction: A is m×k, B is k×n, C and D are m×n.
struct MatrixProduct {
  MatrixType a = MatrixType::kF16, b = MatrixType::kF16;
  MatrixType accumulator = MatrixType::kF32;  ///< of C and D: kF16, kF32 or kS32
  int m = 16, n = 8, k = 16;
  bool is_wgmma = false;  ///< fp8 differs between mma.sync and wgmma
  bool saturate = false;  ///< kS32: clamp instead of wrapping around
  int step = 0;           ///< k of one machine instruction where several do it; 0: all at once
};

inline constexpr int kMostProductRows = 64, kMostProductColumns = 256, kMostProductDepth = 256;

/// D = A·B + C. A matrix element is a cell of 32 bits that holds its raw bits, the rest of it zero (tf32:
/// all 32 bits of the f32 it is read from). `a`: m×k by rows; `b`: k×n by columns; `c`, `d`: m×n by rows.
/// `d` may be `c`. Types, sizes up to kMost… and type pairs that PTX has; floats go with floats.
void multiply(const MatrixProduct& product, Numerics numerics, const std::uint32_t* a,
              const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d);

/// The same for f64: a chain of fused multiply-adds in the order of k, whatever the hardware.
void multiply_f64(int m, int n, int k, const double* a, const double* b, const double* c,
                  double* d);

}  // namespace tilewise::vgpu
