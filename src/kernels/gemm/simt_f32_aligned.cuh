// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 on the FMA pipes, with A and B at multiples of 16 bytes: global memory is read four elements at a
// time, through registers, where quads along k are turned round (ladder, rung 18).
//
// The loop asks for no bounds. The last step of k, which may be short, comes first and does; the others lie
// inside. Lines outside the matrix are read from the last ones inside, computed and never stored. A quad of
// lines across the end of the matrix takes up to three elements from behind its row of k: there the next
// one follows, as the row with the last k is read in that first step alone.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/simt_f32_tile.cuh"

namespace gemm {

// A thread's share of one factor on its way from global to shared memory, of which a block has kLines lines
// (rows of A, columns of B) and kBK of k a step. kAlongK: the k of a line are neighbours in memory.
template <typename Shape, int kLines, bool kAlongK> struct SimtCourier {
  static constexpr int kBK = Shape::kBK, kPitch = kLines + 4;
  static constexpr int kPieces = (kAlongK ? kBK : kLines) / 4;  // quads side by side
  static constexpr int kStep = Shape::kThreads / kPieces;       // of the other, a go
  static constexpr int kGoes = (kAlongK ? kLines : kBK) / kStep;
  static_assert(kStep * kPieces == Shape::kThreads && kGoes * kStep == (kAlongK ? kLines : kBK));

  const float* from[kGoes];
  long long advance;  // from a step to the next
  int line, l;        // of the thread's first element in the tile
  int lines_inside;   // of a quad of lines, 1 to 4
  float quads[kGoes][4];

  __device__ __forceinline__ SimtCourier(const float* matrix, long long leading,
                                         long long first_line, long long lines, long long k) {
    const int fast = threadIdx.x % kPieces * 4, slow = threadIdx.x / kPieces;
    line = kAlongK ? slow : fast;
    l = kAlongK ? fast : slow;
    advance = kAlongK ? kBK : kBK * leading;
    const long long quad = min(first_line + line, (lines - 1) / 4 * 4);
    lines_inside = static_cast<int>(min(lines - quad, 4ll));
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      from[go] = kAlongK
                     ? matrix + min(first_line + line + go * kStep, lines - 1) * leading + (k + l)
                     : matrix + (k + l + go * kStep) * leading + quad;
    }
  }

  // Fetches the last step, of `count` <= kBK of k, `before` steps from here; what lies outside is 0.
  __device__ __forceinline__ void fetch_last(int before, int count) {
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      const int inside = kAlongK ? count - l : l + go * kStep < count ? lines_inside : 0;
      const float* const source = from[go] + before * advance;
#pragma unroll
      for (int i = 0; i < 4; ++i) quads[go][i] = i < inside ? source[i] : 0;
    }
  }

  // Fetches the next kBK of k, all of which are there.
  __device__ __forceinline__ void fetch() {
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      const float4 quad = *reinterpret_cast<const float4*>(from[go]);
      quads[go][0] = quad.x, quads[go][1] = quad.y, quads[go][2] = quad.z, quads[go][3] = quad.w;
      from[go] += advance;
    }
  }

  // Where this thread's first element stands in a stage's share of the factor.
  __device__ __forceinline__ int place() const { return l * kPitch + line; }

  __device__ __forceinline__ void put(float* to) const {
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      const float(&quad)[4] = quads[go];
      if constexpr (kAlongK) {
#pragma unroll
        for (int i = 0; i < 4; ++i) to[i * kPitch + go * kStep] = quad[i];
      } else {
        *reinterpret_cast<float4*>(to + go * kStep * kPitch) =
            make_float4(quad[0], quad[1], quad[2], quad[3]);
      }
    }
  }
};

// Where a thread reads in one stage and writes in the other.
template <typename Shape> struct SimtPlaces {
  const float *read_a, *read_b;
  float *put_a, *put_b;
  int to_other_stage = sizeof(SimtStage<Shape>) / sizeof(float);  // from the one that is read

  __device__ __forceinline__ void swap_stages() {
    read_a += to_other_stage, read_b += to_other_stage;
    put_a -= to_other_stage, put_b -= to_other_stage;
    to_other_stage = -to_other_stage;
  }
};

// One step of kBK k. kMore: another follows, which is fetched, and whose first fragments are read too.
template <bool kMore, typename Shape, typename CourierA, typename CourierB>
__device__ __forceinline__ void aligned_step(float (&sums)[Shape::kTM][Shape::kTN],
                                             SimtFragment<Shape> (&fragments)[2],
                                             SimtPlaces<Shape>& places, CourierA& courier_a,
                                             CourierB& courier_b) {
  if constexpr (kMore) {
    courier_a.fetch();
    courier_b.fetch();
  }
#pragma unroll
  for (int p = 0; p < Shape::kBK; ++p) {
    if (kMore && p == Shape::kBK - 1) {
      courier_a.put(places.put_a);
      courier_b.put(places.put_b);
      __syncthreads();  // the next step is there, and nobody reads this one any more
      places.swap_stages();
    }
    if (kMore || p + 1 < Shape::kBK)
      read_fragment(fragments[(p + 1) % 2], places.read_a, places.read_b, (p + 1) % Shape::kBK);
    multiply_add<Shape>(sums, fragments[p % 2]);
  }
}

// The sums over the block's k, in `steps` > 0 steps.
template <typename Shape, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void sum_aligned(float (&sums)[Shape::kTM][Shape::kTN],
                                            const GemmArguments& arguments, const TilePlace& tile,
                                            const Depth& depth, int steps, SimtStage<Shape>* stages,
                                            const SimtPlace<Shape>& place) {
  static_assert(Shape::kStages == 2);
  SimtCourier<Shape, Shape::kBM, kAlongA> courier_a(matrix_of<float>(arguments.a),
                                                    arguments.a.leading_dimension, tile.row,
                                                    arguments.m, depth.begin);
  SimtCourier<Shape, Shape::kBN, kAlongB> courier_b(matrix_of<float>(arguments.b),
                                                    arguments.b.leading_dimension, tile.column,
                                                    arguments.n, depth.begin);
  const int before = steps - 1;
  const int count =
      static_cast<int>(depth.end - depth.begin - static_cast<long long>(before) * Shape::kBK);
  courier_a.fetch_last(before, count);
  courier_b.fetch_last(before, count);
  SimtPlaces<Shape> places{&stages[0].a[0][place.row], &stages[0].b[0][place.column],
                           &stages[0].a[0][0] + courier_a.place(),
                           &stages[0].b[0][0] + courier_b.place()};
  courier_a.put(places.put_a);
  courier_b.put(places.put_b);
  __syncthreads();
  places.put_a += places.to_other_stage, places.put_b += places.to_other_stage;
  SimtFragment<Shape> fragments[2];
  read_fragment(fragments[0], places.read_a, places.read_b, 0);
#pragma unroll 1
  for (int i = 1; i < steps; ++i) aligned_step<true>(sums, fragments, places, courier_a, courier_b);
  aligned_step<false>(sums, fragments, places, courier_a, courier_b);
}

}  // namespace gemm
