// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of instruction sets that multiply pairs of 16-bit integers: all signs are alike once packing
// has widened the bytes, and no sum of two products overflows. (The 8-bit vpmaddubsw would be faster, but
// it saturates: 255·127·2 does not fit in 16 bits.) Included inside an unnamed namespace.

#include "cpu/integer/pack.inl"
#include "cpu/integer/tile.inl"

template <class S, class A, class B> constexpr Kernel kernel(const char* name) {
  constexpr int kColumns = S::kVectors * S::kLanes;
  return {name,
          S::kRows,
          kColumns,
          Halves<A>::kDepth,
          false,
          &pack<Halves<A>, S::kRows>,
          &pack<Halves<B>, kColumns>,
          &tile<S>};
}

#define TILEWISE_KERNELS_OF_HALVES(S, name)                                                 \
  {                                                                                         \
    kernel<S, std::uint8_t, std::int8_t>(name), kernel<S, std::int8_t, std::uint8_t>(name), \
        kernel<S, std::int8_t, std::int8_t>(name)                                           \
  }
