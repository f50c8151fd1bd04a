// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How the sums of a tile of Cᵀ of one width become C where they go there as they are, which is nearly always: C's rows are
// aligned, and what it holds does not count. Straight code from the last product on: each jump leads to code that no cache
// holds yet, which is waited for as long as hundreds of instructions take (docs/lab/gpu_gemm.md). Everything else is left
// to result_transposed.cuh.
#pragma once

#include "kernels/gemm/result_single.cuh"

namespace gemm {

// Whether kN columns of sums go to C as they are.
template <int kN>
__device__ __forceinline__ bool goes_directly(const TransposedTarget& target, float beta) {
  return target.is_wide ? beta == 0 && single::lies_inside(target, kN) : target.is_plain;
}

// kN columns of a warpgroup's, as rows of C. In 16 bits two pieces of up to 64 rows take turns: while one is on its way to C
// the next is turned round.
template <class Element, int kN>
__device__ __forceinline__ void store_directly(const float (&sum)[kN / 2], Staging& staging,
                                               const TransposedTarget& target) {
  static_assert(kN % 16 == 0 && kN <= 192);
  if (target.is_wide) return single::store_whole<kN>(sum, target);
  constexpr int kPieceBytes = sizeof(Staging) / 2, kWhole = 64,
                kPieces = (kN + kWhole - 1) / kWhole;
  unsigned char* const both = &staging.warps[0][0][0];
  const auto with_piece = [&](auto number, const auto& with) {
    constexpr int kPiece = decltype(number)::value, kFirst = kPiece * kWhole;
    constexpr int kRows = kN - kFirst < kWhole ? kN - kFirst : kWhole;
    if constexpr (kPiece < kPieces)
      with(std::integral_constant<int, kRows>{}, both + kPiece % 2 * kPieceBytes, kFirst);
  };
  const auto turn = [&](auto number) {
    with_piece(number, [&](auto count, unsigned char* rows, int first) {
      turn_16_bit<Element, decltype(count)::value>(rows, sum + first / 2);
    });
  };
  const auto store = [&](auto number) {
    with_piece(number, [&](auto count, unsigned char* rows, int first) {
      warpgroup_meet();
      TurnedRows<decltype(count)::value> some;
      some.load(rows);
      turn(std::integral_constant<int, decltype(number)::value + 1>{});
      some.store(target.at_column(first));
    });
  };
  warpgroup_meet();  // what was staged last has been read
  turn(std::integral_constant<int, 0>{});
  store(std::integral_constant<int, 0>{});
  store(std::integral_constant<int, 1>{});
  store(std::integral_constant<int, 2>{});
}

}  // namespace gemm
