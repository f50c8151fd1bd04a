// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU's ladder: how a product of f32 matrices gets from a triple loop to the engine. Plain code
// to read and to measure; the library's products do not use it.
#pragma once

#include <span>
#include <string_view>

#include "cpu/ladder/product.hpp"

namespace tilewise::cpu::ladder {

struct Rung {
  std::string_view name;   ///< "loop_order": what --rungs takes
  std::string_view title;  ///< "Loop order"
  std::string_view idea;   ///< one sentence: what is new here
  std::string_view unit;   ///< file stem in src/cpu/ladder/: "02_loop_order"
  bool on_all_threads;     ///< uses Product::threads; else the caller's thread alone
  void (*function)(const Product&);
};

/// Every rung, in the order of the ladder.
std::span<const Rung> rungs();

/// Computes the product with a rung. alpha = 0 does not read A and B. Throws Error of
/// cpu::instruction_set(), and std::bad_alloc or std::system_error where there is no room for
/// copies or threads: then C holds nothing of use.
void multiply(const Rung& rung, Product product);

}  // namespace tilewise::cpu::ladder
