// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A transposed, by the other product: AB is (BᵀAᵀ)ᵀ, and where A's columns are contiguous the vectors of BᵀAᵀ lie along them.
// That pays where C has few columns, which would fill few vectors, and where B is transposed as well, as neither factor
// has to be turned then. Where the instruction set has kernels for it and the factors are near, tiles are turned in
// registers and stored as C's; else C is turned at the end. (BA, below and in plan.cpp, is BᵀAᵀ as strides see it.)
#pragma once

#include <cstddef>

#include "cpu/blocked.hpp"

namespace tilewise::cpu {

/// C's part by tiles that are stored turned, of factors where they are: Kernels::turned_rows > 0.
template <class T> void multiply_turned_tiles(const Product<T>& problem, const Part& part);

/// Bytes of buffer for that part of C, which has all of its columns. Of `plan` all but the path and the parts is that of
/// BA (blocked.hpp).
template <class T>
std::size_t turned_buffer_bytes(const Product<T>& problem, const Plan& plan, const Part& part);

/// C's part, of all of its columns. `buffer`: turned_buffer_bytes(), on a 64-byte boundary.
template <class T>
void multiply_turned(const Product<T>& problem, const Plan& plan, const Part& part,
                     std::byte* buffer);

}  // namespace tilewise::cpu
