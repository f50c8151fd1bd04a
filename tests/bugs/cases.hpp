// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How each planted bug is launched, and what its corrected twin must write. Nothing but the standard
// library is used here: the program that runs the same kernels on a real GPU shares this table.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewise::bugs {

struct Argument {
  enum Kind {
    kIn,         ///< words of 32 bits: 1, 2, 3, …
    kZeros,      ///< words of zero
    kUnwritten,  ///< words that nobody wrote
    kOut,        ///< words, all bits set before the launch: the result
    kSum,        ///< words, zero before the launch: the result
    kNumber,     ///< a 32-bit value
    kTensorMap,  ///< of a matrix of kIn words, 32 columns, with the 128-byte swizzle; the box is all of it
  } kind = kIn;
  int value = 0;  ///< words, or the number
};

struct Case {
  const char* name = "";  ///< of the kernel and of its file
  unsigned grid = 1, block = 1;
  std::vector<Argument> arguments;
  std::vector<std::uint32_t> (*expected)() = nullptr;  ///< of the result, as the twin writes it
};

/// In the order of the table in docs/bugs.md.
const std::vector<Case>& cases();

/// Words of a buffer before the launch; of kUnwritten: any.
std::vector<std::uint32_t> initial_words(const Argument& argument);

inline constexpr int kTensorColumns = 32;

}  // namespace tilewise::bugs
