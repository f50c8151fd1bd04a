// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A warp's sums to C by TMA: boxes of 16 rows and 128 bytes of them, which are rounded to what C has, left in shared memory
// and stored from there while the warp does something else. Whole tiles alone, where beta is 0 (GemmBoxes).
#pragma once

#include <type_traits>

#include "kernels/gemm/arguments.hpp"
#include "kernels/gemm/halves.cuh"
#include "kernels/gemm/staging.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm {

// A box of a warp's sums (GemmBoxes), kBoxBytes of each of its 16 rows, as TMA has it that swizzles by 128 bytes: 64 columns
// of 16 bits, of which C may have the first kColumns alone, or 32 of f32.
template <class Element, int kColumns>
__device__ __forceinline__ void box_16_bit(unsigned char* box, const float* sum) {
  // Of four 8×8, upper and lower rows of eight columns and of the next eight, lanes say where rows go.
  const int lane = threadIdx.x % 32, row = lane % 8, lower = lane / 8 % 2, piece = lane / 16;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const auto two = [&](int at) {
      return i * 16 < kColumns ? pack<Element>(sum[i * 8 + at], sum[i * 8 + at + 1]) : 0;
    };
    ptx::stmatrix_x4(box + (lower * 8 + row) * kBoxBytes + ((i * 2 + piece) ^ row) * 16, two(0),
                     two(2), two(4), two(6));
  }
}
__device__ __forceinline__ void box_f32(unsigned char* box, const float* sum) {
  const int lane = threadIdx.x % 32, row = lane / 4;
  const bool is_odd = row % 2 != 0;  // takes eight columns in another order: else rows share banks
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float *const even = sum + i * 4, *const odd = sum + (i ^ 2) * 4;
    const int piece = (is_odd ? i ^ 2 : i) * 2 + lane % 4 / 2;
    unsigned char* const to = box + row * kBoxBytes + (piece ^ row) * 16 + lane % 2 * 8;
    const auto of = [&](int sum) { return is_odd ? odd[sum] : even[sum]; };
    *reinterpret_cast<float2*>(to) = make_float2(of(0), of(1));
    *reinterpret_cast<float2*>(to + 8 * kBoxBytes) = make_float2(of(2), of(3));
  }
}

// A Target where all of C goes in boxes.
struct BoxTarget {
  Place place;
  bool is_wide;
};

// A warpgroup's boxes behind a ring of up to kMostStages: one of each warp, and one more where the launch leaves the last stage
// out, in that memory.
template <int kMostStages, int kWarps> struct alignas(1024) BoxStaging {
  unsigned char warps[4][kBoxRows * kBoxBytes];
};

// A warp's boxes: two, or one, which then is both.
struct TwoBoxes {
  unsigned char (&both)[2][kBoxRows * kBoxBytes];
  static constexpr bool are_two = true;
  __device__ __forceinline__ unsigned char* operator[](int i) const { return both[i]; }
};
struct SpareBoxes {
  unsigned char* own;
  int apart;  // bytes to the second
  bool are_two;
  __device__ __forceinline__ unsigned char* operator[](int i) const { return own + i * apart; }
};
__device__ __forceinline__ TwoBoxes boxes_of(Staging& staging, const GemmArguments&) {
  return {staging.warps[threadIdx.x / 32 % 4]};
}
template <int kMostStages, int kWarps>
__device__ __forceinline__ SpareBoxes boxes_of(BoxStaging<kMostStages, kWarps>& staging,
                                               const GemmArguments& g) {
  auto& own = staging.warps[threadIdx.x / 32 % 4];
  const bool are_two = g.tile_stages < kMostStages;
  return {own, are_two ? -kWarps * static_cast<int>(sizeof(own)) : 0, are_two};
}

// kN columns of a warp's sums in boxes, one after the other: two behind one fence are sooner stored, but so many bytes at a
// time hold up what is fetched (docs/lab/gpu_gemm.md).
template <class Element, int kN, class SomeStaging, class SomeTarget>
__device__ __forceinline__ void store_boxes(const float (&sum)[kN / 2], SomeStaging& staging,
                                            const GemmArguments& g, const SomeTarget& target) {
  const auto boxes = boxes_of(staging, g);
  const auto& map = reinterpret_cast<const ptx::TensorMap&>(g.boxes.map);
  const int row = target.place.row + static_cast<int>(threadIdx.x / 32 % 4) * kBoxRows;
  const auto store = [&](auto columns, const auto& leave) {
    constexpr int kColumns = decltype(columns)::value, kBoxes = kN > kColumns ? kN / kColumns : 1;
#pragma unroll 1
    for (int i = 0; i < kBoxes; ++i) {
      unsigned char* const box = boxes[i % 2];
      // Until the box before the last is on its way; or the last, where there is one, or an odd number of them ended with this.
      if ((kBoxes % 2 != 0 && i == 0) || !boxes.are_two) ptx::bulk_wait_read<0>();
      else ptx::bulk_wait_read<1>();
      __syncwarp();
      stage_piece<kBoxes>(i, [&](int p) { leave(box, sum + p * (kColumns / 2)); });
      ptx::fence_proxy_async();
      __syncwarp();
      ptx::tma_store_3d_if(threadIdx.x % 32 == 0, map, target.place.column + i * kColumns, row,
                           target.place.matrix, box);
      ptx::bulk_commit();
    }
  };
  constexpr int kColumnsOf16Bits = kN < 64 ? kN : 64;  // of a box that C has
  if (target.is_wide)
    store(std::integral_constant<int, 32>{},
          [](unsigned char* box, const float* some) { box_f32(box, some); });
  else if constexpr (!std::is_same_v<Element, float>)
    store(std::integral_constant<int, 64>{}, [](unsigned char* box, const float* some) {
      box_16_bit<Element, kColumnsOf16Bits>(box, some);
    });
}

}  // namespace gemm
