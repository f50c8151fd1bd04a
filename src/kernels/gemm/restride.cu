// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies a factor to where each row begins at a multiple of 16 bytes: what TMA asks for. A thread writes 16
// bytes; it reads them as the words of 4 bytes that hold them, and shifts where rows begin in the middle of one.
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/restride.hpp"
#include "kernels/ptx/grid.cuh"

namespace {

using tilewise::kernels::kRestrideRows;
using tilewise::kernels::RestrideArguments;

// 16 bytes from `from` on, of which `count` bytes belong to the row, and `before` bytes before them.
template <typename Element>
__device__ __forceinline__ uint4 read_16(const Element* from, long long before, long long count) {
  const auto address = reinterpret_cast<size_t>(from);
  const unsigned shift = address % 4 * 8;
  unsigned words[5] = {};
  if (shift == 0 && count >= 16) {
    for (int i = 0; i < 4; ++i) words[i] = reinterpret_cast<const unsigned*>(address)[i];
  } else if (before >= 2 && count >= 18) {  // whole words around: all in the row
    for (int i = 0; i < 5; ++i)
      words[i] = reinterpret_cast<const unsigned*>(address - address % 4)[i];
    for (int i = 0; i < 4; ++i) words[i] = __funnelshift_r(words[i], words[i + 1], shift);
  } else {
    constexpr int kOfWord = 4 / (sizeof(Element) < 4 ? sizeof(Element) : 4);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (sizeof(Element) == 2) {
        for (int j = 0; j < kOfWord; ++j)
          if (i * 4 + j * 2 < count) words[i] |= unsigned{from[i * 2 + j]} << (16 * j);
      } else {
        if (i * 4 < count) words[i] = reinterpret_cast<const unsigned*>(from)[i];
      }
    }
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

template <typename Element> __device__ __forceinline__ void restride(const RestrideArguments& r) {
  constexpr int kOfSixteen = 16 / sizeof(Element);
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const Element* const source = gemm::matrix_of<Element>(r.source);
  Element* const to = static_cast<Element*>(r.to) + blockIdx.z * r.stride;
  const long long column = (blockIdx.x * 128ll + threadIdx.x % 128) * kOfSixteen;
  if (column >= r.width) return;
  const long long count = (r.width - column) * static_cast<long long>(sizeof(Element));
  const long long before = column * static_cast<long long>(sizeof(Element));
  for (long long first = blockIdx.y * static_cast<long long>(kRestrideRows); first < r.rows;
       first += gridDim.y * static_cast<long long>(kRestrideRows)) {
#pragma unroll 4
    for (int i = threadIdx.x / 128; i < kRestrideRows; i += 2) {
      const long long row = first + i;
      if (row >= r.rows) break;
      *reinterpret_cast<uint4*>(to + row * r.pitch + column) =
          read_16(source + row * r.source.leading_dimension + column, before, count);
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(tilewise::kernels::kRestrideThreads)
    gemm_restride_2(const __grid_constant__ RestrideArguments r) {
  restride<unsigned short>(r);
}
extern "C" __global__ void __launch_bounds__(tilewise::kernels::kRestrideThreads)
    gemm_restride_4(const __grid_constant__ RestrideArguments r) {
  restride<float>(r);
}
extern "C" __global__ void __launch_bounds__(tilewise::kernels::kRestrideThreads)
    gemm_restride_8(const __grid_constant__ RestrideArguments r) {
  restride<double>(r);
}
