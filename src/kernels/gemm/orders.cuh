// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The orders of A and B: those that a kernel knows, or that the launch says.
#pragma once

#include <type_traits>

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

namespace gemm {

enum class Order { kAlongK, kAcrossK, kAsLaunched };

// `launched`: what the launch says.
template <Order kOrder> __device__ __forceinline__ bool lies_across_k(unsigned launched) {
  return kOrder == Order::kAsLaunched ? launched != 0 : kOrder == Order::kAcrossK;
}

template <ptx::Along kA, ptx::Along kB> struct Orders {
  static constexpr ptx::Along kAlongA = kA, kAlongB = kB;
};

// Calls `with` with the Orders of this launch, which the code then knows: one copy of it for each that may be. Compilers
// leave them as they stand here, and the way from the last to what follows is shortest: that is the order of most products.
template <Order kA, Order kB, class With>
__device__ __forceinline__ void with_orders(const GemmArguments& g, const With& with) {
  using ptx::Along;
  const auto with_b = [&](auto a) {
    constexpr Along kAlongA = decltype(a)::value;
    if (lies_across_k<kB>(g.b_across_k)) with(Orders<kAlongA, Along::kOther>{});
    else with(Orders<kAlongA, Along::kK>{});
  };
  if (lies_across_k<kA>(g.a_across_k)) with_b(std::integral_constant<Along, Along::kOther>{});
  else with_b(std::integral_constant<Along, Along::kK>{});
}

}  // namespace gemm
