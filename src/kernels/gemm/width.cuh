// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a number of columns that the launch says to one that the code knows.
#pragma once

#include <type_traits>

namespace gemm {

// Calls `with` with `columns` as a constant, where Has<columns>::value. One jump: each further one would lead to code that
// no cache holds yet.
template <template <int> class Has, class With>
__device__ __forceinline__ void with_width(int columns, const With& with) {
#define TILEWISE_WIDTH(eights)                                                             \
  case eights:                                                                             \
    if constexpr (Has<(eights)*8>::value) with(std::integral_constant<int, (eights)*8>{}); \
    break;
  switch (columns / 8) {
    TILEWISE_WIDTH(1);
    TILEWISE_WIDTH(2);
    TILEWISE_WIDTH(3);
    TILEWISE_WIDTH(4);
    TILEWISE_WIDTH(5);
    TILEWISE_WIDTH(6);
    TILEWISE_WIDTH(7);
    TILEWISE_WIDTH(8);
    TILEWISE_WIDTH(9);
    TILEWISE_WIDTH(10);
    TILEWISE_WIDTH(11);
    TILEWISE_WIDTH(12);
    TILEWISE_WIDTH(13);
    TILEWISE_WIDTH(14);
    TILEWISE_WIDTH(15);
    TILEWISE_WIDTH(16);
    TILEWISE_WIDTH(17);
    TILEWISE_WIDTH(18);
    TILEWISE_WIDTH(19);
    TILEWISE_WIDTH(20);
    TILEWISE_WIDTH(21);
    TILEWISE_WIDTH(22);
    TILEWISE_WIDTH(23);
    TILEWISE_WIDTH(24);
    TILEWISE_WIDTH(25);
    TILEWISE_WIDTH(26);
    TILEWISE_WIDTH(27);
    TILEWISE_WIDTH(28);
    TILEWISE_WIDTH(29);
    TILEWISE_WIDTH(30);
    TILEWISE_WIDTH(31);
    TILEWISE_WIDTH(32);
  }
#undef TILEWISE_WIDTH
}

}  // namespace gemm
