// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Both factors transposed, and few columns: AᵀBᵀ is (BA)ᵀ, a product of matrices that lie as tiles like them, whose
// vectors lie along the many rows of C. C is turned at the end.
#pragma once

#include <cstddef>

#include "cpu/blocked.hpp"

namespace tilewise::cpu {

/// Bytes of buffer for the whole product. Of `plan` all but the path is that of BA (blocked.hpp).
template <class T> std::size_t turned_buffer_bytes(const Product<T>& problem, const Plan& plan);

/// C. `buffer`: turned_buffer_bytes(), on a 64-byte boundary.
template <class T>
void multiply_turned(const Product<T>& problem, const Plan& plan, std::byte* buffer);

}  // namespace tilewise::cpu
