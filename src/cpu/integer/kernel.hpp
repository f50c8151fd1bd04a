// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an instruction set brings to the integer products: how it wants the factors packed, and the tile
// kernel that multiplies what was packed.
//
// Packed factors are made of words of 32 bits. A word holds a few neighbours in k of one row of A or one
// column of B: four bytes for the dot products of VNNI, two 16-bit integers for vpmaddwd. A panel is the
// words of `rows` rows (or `columns` columns), step of k after step of k, padded with zeros. Only
// packing knows about signs and strides.
#pragma once

#include <cstdint>

namespace tilewise::cpu::integer {

using Word = std::uint32_t;

/// Which 8-bit integers are multiplied: those of A by those of B.
enum class Signs { kU8S8, kS8U8, kS8S8 };

/// Some rows of A or columns of B: element p of lane i is first[i·lane_stride + p·k_stride].
struct Lanes {
  const std::uint8_t* first = nullptr;
  std::int64_t lane_stride = 1, k_stride = 1;  ///< at least one of them is 1
  std::int64_t count = 0, k = 0;
};

/// One call of a tile kernel: C = alpha·(start + A·B) + beta·C of a tile, modulo 2^32.
struct TileCall {
  const Word* a = nullptr;              ///< a panel of A
  const Word* b = nullptr;              ///< a panel of B, on a boundary of 64 bytes
  std::int64_t steps = 0;               ///< words of each lane
  const std::int32_t* start = nullptr;  ///< what the sum of each column begins with; null: zeros
  std::int32_t alpha = 1, beta = 0;
  std::int32_t* c = nullptr;
  std::int64_t c_stride = 1;  ///< elements from one row to the next
  int rows = 0, columns = 0;  ///< of C, at least 1 and at most the kernel's
};

struct Kernel {
  const char* name = "";
  int rows = 0, columns = 0;  ///< of the tile
  int depth = 0;              ///< neighbours in k that a word holds
  /// A is packed with 128 added to each element, to make it unsigned. The sum of a column then has to
  /// begin with -128 times the sum of the column of B.
  bool shifts_a = false;
  /// Write as many panels as the lanes fill, one after the other, the last one padded with zeros.
  void (*pack_a)(const Lanes& lanes, Word* panels) = nullptr;
  void (*pack_b)(const Lanes& lanes, Word* panels) = nullptr;
  void (*tile)(const TileCall& call) = nullptr;
};

/// The kernels of an instruction set. kAvx512 does without VNNI.
enum class KernelSet { kPortable, kAvx2, kAvx512, kAvx512Vnni };

/// The best set that the processor has and TILEWISE_CPU allows. Throws Error of instruction_set().
KernelSet kernel_set();

/// The processor must have the set to call what this returns.
const Kernel& kernel_of(KernelSet set, Signs signs);

}  // namespace tilewise::cpu::integer
