// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 in one pass, for matrices of any alignment: two warpgroups fetch A and B through their
// registers, split them into pairs of f16 (pairs.cuh) and lay them out as wgmma reads them; the others
// multiply. Small problems and thin ones, that read more than they multiply, need no pass before.
//
// Scales here are those of a step: of each row of A, and each column of B, over kBK k. So they fit
// whatever grows along k, and the sums of a step are turned back as f32 registers take them over.
#pragma once

#include "kernels/gemm/pairs.cuh"
#include "kernels/gemm/warpgroup.cuh"

namespace gemm {

template <Along kAlongA_, Along kAlongB_, int kBM_, int kBN_, int kStages_> struct FetchShape {
  static constexpr Along kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = 64, kStages = kStages_, kCluster = 1;
  static constexpr int kMultiplying = kBM / kWarpgroupM * 128;
  static constexpr int kFetching = 256, kThreads = kMultiplying + kFetching;
  static constexpr int kFetchingRegisters = kBM == 128 ? 104 : 152;
  static constexpr int kMultiplyingRegisters = kBM == 128 ? 152 : 200;
};

template <class S> struct alignas(1024) FetchStage {
  Half a[2][S::kBM * S::kBK];  // upper halves, lower ones
  Half b[2][S::kBN * S::kBK];
  float unscale_a[S::kBM], unscale_b[S::kBN];
  unsigned suspect[8];  // by fetching warp: whether pairs do not do for what it stored here
};

template <class S> struct FetchShared {
  FetchStage<S> stages[S::kStages];
  ptx::Barrier full[S::kStages];
  ptx::Barrier empty[S::kStages];
  unsigned largest[2][4][128];  // of a step, by operand and warp, where k runs across rows
  unsigned last;
};

// A matrix of a batch.
template <class T, class Factor> __device__ __forceinline__ T* matrix(const Factor& f, int number) {
  return f.pointers ? static_cast<T*>(f.pointers[number])
                    : static_cast<T*>(f.address) + number * f.stride;
}

// What one warpgroup fetches of one operand in one step: kX rows of A or columns of B, 64 k. Threads hold
// eights of neighbours in memory.
template <Along kAlong, int kX> class Fetcher {
  static constexpr int kEights = kX * 64 / 8 / 128;  // of a thread

 public:
  // The operand's element (0, 0), its first row or column here, and how many of them there are.
  __device__ __forceinline__ Fetcher(const float* matrix, long long leading, int first, int count)
      : matrix_(matrix),
        leading_(leading),
        first_(first),
        count_(count),
        aligned_(((reinterpret_cast<size_t>(matrix) | static_cast<size_t>(leading) * 4) & 15) ==
                 0) {}

  // Of eight number i: its row or column, relative to the first, and its k. Neighbours in a row are
  // handed out so that eight threads that store side by side meet eight different groups of banks.
  static __device__ __forceinline__ int x_of(int i) {
    const int thread = threadIdx.x % 128;
    if constexpr (kAlong == Along::kK) return thread / 4 + i / 2 * 32;
    else return thread % (kX / 8) * 8;
  }
  static __device__ __forceinline__ int k_of(int i) {
    const int thread = threadIdx.x % 128;
    if constexpr (kAlong == Along::kK) return (thread % 4 + (i + thread / 4) % 2 * 4) * 8;
    else return thread / (kX / 8) + i * (128 / (kX / 8));
  }

  __device__ __forceinline__ void load(int k0, int end) {
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      const int x = first_ + x_of(i), k = k0 + k_of(i);
      constexpr bool kAlongK = kAlong == Along::kK;
      const int row = kAlongK ? x : k, column = kAlongK ? k : x;
      const int rows = kAlongK ? count_ : end, columns = kAlongK ? end : count_;
      const float* const from = matrix_ + row * leading_ + column;
      if (aligned_ && row < rows && column + 7 < columns) {
        const float4 low = __ldg(reinterpret_cast<const float4*>(from));
        const float4 high = __ldg(reinterpret_cast<const float4*>(from) + 1);
        values_[i][0] = low.x, values_[i][1] = low.y, values_[i][2] = low.z, values_[i][3] = low.w;
        values_[i][4] = high.x, values_[i][5] = high.y, values_[i][6] = high.z,
        values_[i][7] = high.w;
      } else {
#pragma unroll
        for (int j = 0; j < 8; ++j)
          values_[i][j] = row < rows && column + j < columns ? __ldg(from + j) : 0;
      }
    }
  }

  // Splits what was loaded and stores it; returns whether pairs do not do for it. `largest`: room to
  // meet in, `barrier`: to meet at.
  __device__ __forceinline__ bool store(Half* upper, Half* lower, float* unscale,
                                        unsigned (*largest)[128], int barrier) {
    if constexpr (kAlong == Along::kK) return store_along(upper, lower, unscale);
    else return store_across(upper, lower, unscale, largest, barrier);
  }

 private:
  __device__ __forceinline__ bool store_along(Half* upper, Half* lower, float* unscale) {
    bool suspect = false;
#pragma unroll
    for (int i = 0; i < kEights; i += 2) {  // the eights of a row
      unsigned most = 0, least = 0x7FFFFFFF;
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        const unsigned bits = magnitude(values_[i + j / 8][j % 8]);
        most = max(most, bits), least = min(least, bits);
      }
      most = max(most, __shfl_xor_sync(0xFFFFFFFF, most, 1));
      most = max(most, __shfl_xor_sync(0xFFFFFFFF, most, 2));
      const Scale scale = scale_for<14>(most);
      suspect |= scale.suspect;
      if (__any_sync(0xFFFFFFFF, __uint_as_float(least) * scale.scale < kLossless)) {
        int lossy = 0;
        for (int j = 0; j < 16; ++j) lossy += is_lossy(values_[i + j / 8][j % 8] * scale.scale);
        lossy += __shfl_xor_sync(0xFFFFFFFF, lossy, 1);
        lossy += __shfl_xor_sync(0xFFFFFFFF, lossy, 2);
        suspect |= lossy > kMostLossy;
      }
      const int row = x_of(i);
      if (threadIdx.x % 4 == 0) unscale[row] = scale.unscale;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float factors[8] = {scale.scale, scale.scale, scale.scale, scale.scale,
                                  scale.scale, scale.scale, scale.scale, scale.scale};
        put(upper, lower, row * 64, (k_of(i + e) / 8 ^ row % 8) * 8, values_[i + e], factors);
      }
    }
    return suspect;
  }

  __device__ __forceinline__ bool store_across(Half* upper, Half* lower, float* unscale,
                                               unsigned (*largest)[128], int barrier) {
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, x = x_of(0);
    unsigned most[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      most[j] = 0;
#pragma unroll
      for (int i = 0; i < kEights; ++i) most[j] = max(most[j], magnitude(values_[i][j]));
#pragma unroll
      for (int distance = kX / 8; distance < 32; distance *= 2)
        most[j] = max(most[j], __shfl_xor_sync(0xFFFFFFFF, most[j], distance));
    }
    if (lane < kX / 8) {
      *reinterpret_cast<uint4*>(&largest[warp][x]) = make_uint4(most[0], most[1], most[2], most[3]);
      *reinterpret_cast<uint4*>(&largest[warp][x + 4]) =
          make_uint4(most[4], most[5], most[6], most[7]);
    }
    asm volatile("barrier.cta.sync %0, 128;" ::"r"(barrier) : "memory");
    bool suspect = false;
    float factors[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned all = 0;
#pragma unroll
      for (int w = 0; w < 4; ++w) all = max(all, largest[w][x + j]);
      const Scale scale = scale_for<14>(all);
      suspect |= scale.suspect;
      factors[j] = scale.scale;
      if (warp == 0 && lane < kX / 8) unscale[x + j] = scale.unscale;
      int lossy = 0;
#pragma unroll
      for (int i = 0; i < kEights; ++i) lossy += is_lossy(values_[i][j] * scale.scale);
      // Of this thread's share of a column alone.
      suspect |= lossy > max(1, kMostLossy * kEights / 64);
    }
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      const int k = k_of(i);
      put(upper, lower, x / 64 * 4096 + k * 64, (x % 64 / 8 ^ k % 8) * 8, values_[i], factors);
    }
    // Nobody overwrites `largest` before all have read it.
    asm volatile("barrier.cta.sync %0, 128;" ::"r"(barrier) : "memory");
    return suspect;
  }

  static constexpr int kMostLossy = 8;  // of 64
  static __device__ __forceinline__ bool is_lossy(float scaled) {
    return scaled != 0 && fabsf(scaled) < kLossless;
  }

  static __device__ __forceinline__ void put(Half* upper, Half* lower, int row, int place,
                                             const float (&values)[8], const float (&factors)[8]) {
    Pair pairs[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float second = values[2 * j + 1] * factors[2 * j + 1];
      pairs[j] = split(values[2 * j] * factors[2 * j], second, 1);
    }
    *reinterpret_cast<uint4*>(upper + row + place) =
        make_uint4(pairs[0].upper, pairs[1].upper, pairs[2].upper, pairs[3].upper);
    *reinterpret_cast<uint4*>(lower + row + place) =
        make_uint4(pairs[0].lower, pairs[1].lower, pairs[2].lower, pairs[3].lower);
  }

  const float* matrix_;
  long long leading_;
  int first_, count_;
  bool aligned_;
  float values_[kEights][8];
};

// Fetches one operand for all units of the block.
template <class S, Along kAlong, int kX, bool kIsB>
__device__ __forceinline__ void fetch(FetchShared<S>& shared, const GemmArguments& g, int batch) {
  const auto& factor = kIsB ? g.b : g.a;
  const int count = static_cast<int>(kIsB ? g.n : g.m), k = static_cast<int>(g.k);
  Ring<S::kStages> ring;
#pragma unroll 1
  for (Units<S::kBM, S::kBN, S::kBK, 1> units(g, batch); units.more(); units.advance()) {
    const Unit unit = units.get();
    Fetcher<kAlong, kX> fetcher(matrix<const float>(factor, unit.matrix), factor.leading_dimension,
                                kIsB ? unit.column : unit.row, count);
    const int end = min(k, unit.first_k + unit.steps * S::kBK);
    fetcher.load(unit.first_k, end);
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step) {
      FetchStage<S>& stage = shared.stages[ring.index];
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      Half* const tile = kIsB ? stage.b[0] : stage.a[0];
      const bool suspect =
          fetcher.store(tile, tile + kX * S::kBK, kIsB ? stage.unscale_b : stage.unscale_a,
                        shared.largest[kIsB], 2 + kIsB);
      const bool any = __any_sync(0xFFFFFFFF, suspect);
      if (threadIdx.x % 32 == 0) stage.suspect[threadIdx.x / 32 % 4 + 4 * kIsB] = any;
      ptx::fence_proxy_async();
      __syncwarp();
      if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared.full[ring.index]);
      ring.advance();
      if (step + 1 < unit.steps) fetcher.load(unit.first_k + (step + 1) * S::kBK, end);
    }
  }
}

template <class S>
__device__ __forceinline__ void start_fetched(float (&product)[S::kBN / 2],
                                              const FetchStage<S>& stage, int row) {
  const auto add = [&](int a_half, int b_half, int k, auto keep) {
    const Half* const a = stage.a[a_half] + row * 64 + (S::kAlongA == Along::kK ? k : k * 64);
    const Half* const b = stage.b[b_half] + (S::kAlongB == Along::kK ? k : k * 64);
    ptx::wgmma<ptx::F16, S::kBN, S::kAlongA, S::kAlongB, decltype(keep)::value>(
        product, ptx::describe_tile(a, 1024, 8192), ptx::describe_tile(b, 1024, 8192));
  };
  ptx::wgmma_fence();
  add(1, 0, 0, std::integral_constant<int, 0>{});
#pragma unroll
  for (int k = 16; k < S::kBK; k += 16) add(1, 0, k, std::integral_constant<int, 1>{});
#pragma unroll
  for (int k = 0; k < S::kBK; k += 16) add(0, 1, k, std::integral_constant<int, 1>{});
#pragma unroll
  for (int k = 0; k < S::kBK; k += 16) add(0, 0, k, std::integral_constant<int, 1>{});
  ptx::wgmma_commit();
}

// sum += product, turned back to the scale of A and B.
template <class S>
__device__ __forceinline__ void take_over(float (&sum)[S::kBN / 2],
                                          const float (&product)[S::kBN / 2],
                                          const FetchStage<S>& stage, int row) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  const float upper = stage.unscale_a[row], lower = stage.unscale_a[row + 8];
#pragma unroll
  for (int i = 0; i < S::kBN / 2; i += 4) {
    const float2 columns = *reinterpret_cast<const float2*>(&stage.unscale_b[i * 2 + lane % 4 * 2]);
    sum[i] = fmaf(product[i] * upper, columns.x, sum[i]);
    sum[i + 1] = fmaf(product[i + 1] * upper, columns.y, sum[i + 1]);
    sum[i + 2] = fmaf(product[i + 2] * lower, columns.x, sum[i + 2]);
    sum[i + 3] = fmaf(product[i + 3] * lower, columns.y, sum[i + 3]);
  }
}

// The same sums in f32 arithmetic, for a unit for which pairs do not do.
template <class S>
__device__ __noinline__ void multiply_plainly(float (&sum)[S::kBN / 2], const GemmArguments& g,
                                              const Unit& unit, int row) {
  const int lane = threadIdx.x % 32;
  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k);
  const float* const A = matrix<const float>(g.a, unit.matrix);
  const float* const B = matrix<const float>(g.b, unit.matrix);
  row += unit.row + threadIdx.x / 32 % 4 * 16 + lane / 4;
  const int column = unit.column + lane % 4 * 2;
  const auto at = [](const float* from, long long leading, Along along, int x, int l, int count) {
    if (x >= count) return 0.0f;
    return __ldg(along == Along::kK ? from + x * leading + l : from + l * leading + x);
  };
#pragma unroll
  for (int i = 0; i < S::kBN / 2; ++i) sum[i] = 0;
  const int end = min(k, unit.first_k + unit.steps * S::kBK);
#pragma unroll 1
  for (int l = unit.first_k; l < end; ++l) {
    const float upper = at(A, g.a.leading_dimension, S::kAlongA, row, l, m);
    const float lower = at(A, g.a.leading_dimension, S::kAlongA, row + 8, l, m);
#pragma unroll
    for (int i = 0; i < S::kBN / 2; i += 4) {
      const float first = at(B, g.b.leading_dimension, S::kAlongB, column + i * 2, l, n);
      const float second = at(B, g.b.leading_dimension, S::kAlongB, column + i * 2 + 1, l, n);
      sum[i] = fmaf(upper, first, sum[i]), sum[i + 1] = fmaf(upper, second, sum[i + 1]);
      sum[i + 2] = fmaf(lower, first, sum[i + 2]), sum[i + 3] = fmaf(lower, second, sum[i + 3]);
    }
  }
}

// Returns whether pairs do not do for this unit.
template <class S>
__device__ __forceinline__ bool consume_fetched(float (&sum)[S::kBN / 2], FetchShared<S>& shared,
                                                Ring<S::kStages>& ring, int steps, int row) {
  unsigned suspect = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    float product[S::kBN / 2];
    ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
    start_fetched<S>(product, shared.stages[ring.index], row);
    suspect |= shared.stages[ring.index].suspect[threadIdx.x % 8];
    ptx::wgmma_wait<0>();
    ptx::wgmma_arrived(product);
    take_over<S>(sum, product, shared.stages[ring.index], row);
    __syncwarp();
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared.empty[ring.index]);
    ring.advance();
  }
  return __any_sync(0xFFFFFFFF, suspect != 0);
}

template <class S>
__device__ __forceinline__ void multiply_fetched(const GemmArguments& g, int batch) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  FetchShared<S>& shared = *reinterpret_cast<FetchShared<S>*>(bytes);
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::kStages; ++i) {
      ptx::mbarrier_init(&shared.full[i], S::kFetching / 32);
      ptx::mbarrier_init(&shared.empty[i], S::kMultiplying / 32);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= S::kMultiplying + 128) {
    ptx::give_registers<S::kFetchingRegisters>();
    fetch<S, S::kAlongB, S::kBN, true>(shared, g, batch);
  } else if (threadIdx.x >= S::kMultiplying) {
    ptx::give_registers<S::kFetchingRegisters>();
    fetch<S, S::kAlongA, S::kBM, false>(shared, g, batch);
  } else {
    ptx::take_registers<S::kMultiplyingRegisters>();
    const int warpgroup_row = threadIdx.x / 128 * kWarpgroupM;
    Ring<S::kStages> ring;
    const int m = static_cast<int>(g.m), n = static_cast<int>(g.n);
#pragma unroll 1
    for (Units<S::kBM, S::kBN, S::kBK, 1> units(g, batch); units.more(); units.advance()) {
      const Unit unit = units.get();
      float sum[S::kBN / 2] = {};
      if (consume_fetched<S>(sum, shared, ring, unit.steps, warpgroup_row))
        multiply_plainly<S>(sum, g, unit, warpgroup_row);
      if (g.split.parts > 1 && !join_parts<S>(sum, shared, g, unit)) continue;
      store_f32<S::kBN>(sum, matrix<float>(g.c, unit.matrix), g.c.leading_dimension,
                        unit.row + warpgroup_row, unit.column, m, n, scalar(g.alpha),
                        scalar(g.beta));
    }
  }
}

}  // namespace gemm

#define TILEWISE_FETCH_KERNEL(name, ...)                                                   \
  extern "C" __global__ void __launch_bounds__(gemm::FetchShape<__VA_ARGS__>::kThreads, 1) \
      name(const __grid_constant__ gemm::GemmArguments g, int batch) {                     \
    gemm::multiply_fetched<gemm::FetchShape<__VA_ARGS__>>(g, batch);                       \
  }
