// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The rungs as functions, one a file, in the order of the ladder.
#pragma once

#include "cpu/ladder/product.hpp"

namespace tilewise::cpu::ladder {

void triple_loop(const Product& product);
void loop_order(const Product& product);
void cache_blocks(const Product& product);
void registers(const Product& product);

// With the vectors of cpu::instruction_set(), whose Error they throw.
void simd(const Product& product);
void packing(const Product& product);
void prefetch(const Product& product);

// On Product::threads threads.
void threads(const Product& product);
void engine(const Product& product);

}  // namespace tilewise::cpu::ladder
