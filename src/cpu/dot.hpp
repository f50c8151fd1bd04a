// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The side road for few rows or few columns: every element of C is a dot product of a row of A with a
// column of B, and when both have their elements along k next to one another, no packing or
// transposing is needed. The long factor streams past once, a few rows of it at a time, and the
// short one stays in the cache. It is the memory's speed, not the FMA units', that ends this road.
#pragma once

#include <cstddef>

#include "cpu/blocked.hpp"
#include "cpu/plan.hpp"

namespace tilewise::cpu {

/// Bytes of buffer that one thread needs for its part: the short factor's rows, when they have to be
/// put in order along k first.
template <class T>
std::size_t dot_buffer_bytes(const Problem<T, T, T, T>& problem, const Plan& plan,
                             const Part& part);

/// C's part. `buffer`: dot_buffer_bytes(), on a 64-byte boundary.
template <class T>
void multiply_dots(const Problem<T, T, T, T>& problem, const Plan& plan, const Part& part,
                   std::byte* buffer);

}  // namespace tilewise::cpu
