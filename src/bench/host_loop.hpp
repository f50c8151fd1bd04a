// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The ladder's first rung: the definition of the product, on the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/operands.hpp"

namespace tilewise::bench {

/// The rows of C that the loop computes: all where `whole` asks for them and up to kFullCheckProducts
/// multiply-adds. More would take minutes: then as many of the `sampled` rows as make half of that, at
/// least one.
std::vector<std::int64_t> host_rows(const Sizes& sizes, std::span<const std::int64_t> sampled,
                                    bool whole);

/// C = alpha·A·B + beta·C0 for those rows of the m×n `c`: three loops, T's arithmetic, one thread.
template <class T>
void host_loop(const Operands<T>& operands, std::span<const std::int64_t> rows, std::vector<T>& c);

}  // namespace tilewise::bench
