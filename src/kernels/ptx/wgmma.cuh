// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma: a warpgroup (four warps) multiplies tiles that lie in shared memory and adds them to sums in its
// registers, while its threads go on. PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions". sm_90a.
#pragma once

#include "kernels/ptx/address.cuh"

namespace ptx {

// Where a tile lies: in rows of 128 bytes, swizzled as TMA swizzles by 128 bytes, eight rows (1024
// bytes, aligned to as much) after the other. A tile that is `along_k` has its k along the rows, and
// `next_rows` is the distance in bytes from eight rows to the next eight. Else its m or n lies along the
// rows: 64 of them, `next_columns` bytes from one such panel to the next, and `next_rows` from eight k
// to the next eight. PTX ISA, "Matrix Descriptor Format".
__device__ __forceinline__ unsigned long long describe_tile(const void* tile, unsigned next_rows,
                                                            unsigned next_columns = 16) {
  constexpr unsigned long long kSwizzle128 = 1ull << 62;
  return kSwizzle128 | static_cast<unsigned long long>(next_rows >> 4) << 32 |
         static_cast<unsigned long long>(next_columns >> 4) << 16 |
         (shared_address(tile) & 0x3FFFF) >> 4;
}

// The same in rows of kRowBytes (128 or 64), swizzled as TMA swizzles by as much.
template <int kRowBytes>
__device__ __forceinline__ unsigned long long describe_rows(const void* tile) {
  static_assert(kRowBytes == 128 || kRowBytes == 64);
  constexpr unsigned long long kSwizzle = kRowBytes == 128 ? 1ull << 62 : 2ull << 62;
  return kSwizzle | static_cast<unsigned long long>(kRowBytes * 8 >> 4) << 32 | 1ull << 16 |
         (shared_address(tile) & 0x3FFFF) >> 4;
}

// Before the first wgmma, and wherever other instructions wrote its registers.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Closes the group of all wgmmas since the last group.
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most kPending of the youngest groups are still running.
template <int kPending> __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Tells the compiler that the sums change here: it must not read them before a wait that stands above.
template <int kCount> __device__ __forceinline__ void wgmma_arrived(float (&sum)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(sum[i])::"memory");
}

#define TILEWISE_SUM_8(i)                                                               \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), \
      "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define TILEWISE_SUM_32(i) \
  TILEWISE_SUM_8(i), TILEWISE_SUM_8(i + 8), TILEWISE_SUM_8(i + 16), TILEWISE_SUM_8(i + 24)

// 64×256 += 64×16 · 16×256, bf16: A along k, B along n. Warp w of the warpgroup holds rows 16w to 16w +
// 15: sum[4j] and sum[4j + 1] are columns 8j + 2·(lane % 4) and the next of row 16w + lane / 4, sum[4j
// + 2] and sum[4j + 3] the same columns of row 16w + lane / 4 + 8.
__device__ __forceinline__ void wgmma_bf16_n256(float (&sum)[128], unsigned long long a,
                                                unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127}, "
      "%128, %129, 1, 1, 1, 0, 1;"
      : TILEWISE_SUM_32(0), TILEWISE_SUM_32(32), TILEWISE_SUM_32(64), TILEWISE_SUM_32(96)
      : "l"(a), "l"(b));
}

#undef TILEWISE_SUM_32
#undef TILEWISE_SUM_8

}  // namespace ptx
