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

// The same as words: what changes from tile to tile is in the lower one, and the sum of 64 bits would take both.
template <int kRowBytes> class RowsDescriptor {
 public:
  __device__ __forceinline__ explicit RowsDescriptor(const void* tile)
      : low_(static_cast<unsigned>(describe_rows<kRowBytes>(tile))) {}
  // Of what lies so many times 16 bytes further.
  __device__ __forceinline__ unsigned long long at(int sixteens) const {
    constexpr unsigned kHigh = kRowBytes * 8 >> 4 | (kRowBytes == 128 ? 1u << 30 : 2u << 30);
    unsigned long long both;
    asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(low_ + sixteens), "n"(kHigh));
    return both;
  }

 private:
  unsigned low_;
};

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

}  // namespace ptx
