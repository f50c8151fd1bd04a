// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The other side road for few rows or few columns: when the long factor's elements are contiguous across
// the sums, not along them, C gathers multiples of its rows, as B (or Aᵀ) streams past once.
//
// With few rows of A, C's rows are sums of B's rows. With few columns of B, and A stored by columns, the
// same holds of the transposes, Cᵀ = Bᵀ·Aᵀ; C's columns then are gathered in a buffer.
#pragma once

#include <cstddef>

#include "cpu/blocked.hpp"
#include "cpu/plan.hpp"

namespace tilewise::cpu {

/// Bytes of buffer that one thread needs for its part.
template <class T>
std::size_t stream_buffer_bytes(const Product<T>& problem, const Plan& plan, const Part& part);

/// C's part, of at most kMostStreamed rows (or columns, where plan.turned). `buffer`:
/// stream_buffer_bytes(), on a 64-byte boundary.
template <class T>
void multiply_stream(const Product<T>& problem, const Plan& plan, const Part& part,
                     std::byte* buffer);

}  // namespace tilewise::cpu
