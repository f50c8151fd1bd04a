// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the bugs around tensor cores share: operands of small whole numbers (products are exact), their
// places in shared memory, and the instructions. A is M×K, B is K×N kept as N rows of K.
#pragma once

#include "ptx.cuh"

/// Elements of A and B; cases.cpp has the same formulas.
__device__ inline int a_element(int i, int k) { return (3 * i + 5 * k) % 7 - 3; }
__device__ inline int b_element(int k, int j) { return (2 * j + k) % 5 - 2; }

/// The bits of a small whole number as bf16.
__device__ inline uint16_t bf16_bits(int value) {
  return static_cast<uint16_t>(__float_as_uint(static_cast<float>(value)) >> 16);
}

/// Where element (row, k) of an operand of 16 columns lies without a swizzle: 8×8 core matrices of 128
/// bytes, the two along k first.
__device__ inline int core_place(int row, int k) {
  return (row / 8 * 2 + k / 8) * 64 + row % 8 * 8 + k % 8;
}
/// The same for an operand of 64 columns (rows of 128 bytes) with the 128-byte swizzle.
__device__ inline int swizzled_place(int row, int k) {
  return row * 64 + (k / 8 ^ row % 8) * 8 + k % 8;
}

enum Swizzle : uint64_t { kNoSwizzle = 0, kSwizzle128 = 1, kSwizzle64 = 2, kSwizzle32 = 3 };

/// The matrix descriptor of an operand whose rows run along k: bytes between core matrices along k
/// (`leading`) and between groups of eight rows (`stride`), as core_place() puts them.
__device__ inline uint64_t descriptor(const void* shared, uint32_t leading = 128,
                                      uint32_t stride = 256, Swizzle swizzle = kNoSwizzle) {
  return (shared_address(shared) & 0x3FFFF) >> 4 | uint64_t{leading >> 4} << 16 |
         uint64_t{stride >> 4} << 32 | swizzle << 62;
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending> __device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
/// D(64×8) += A(64×16)·B(16×8), both operands in shared memory.
__device__ inline void wgmma_m64n8k16(float (&d)[4], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b)
      : "memory");
}
/// A thread's part of A(64×16) in the registers held0 to held3, which the two functions below mean too. Once a
/// kernel.
__device__ __forceinline__ void hold_fragment() {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, k = threadIdx.x % 4 * 2;
  const auto pair = [](int i, int at) {
    return uint32_t{bf16_bits(a_element(i, at))} | uint32_t{bf16_bits(a_element(i, at + 1))} << 16;
  };
  asm volatile(
      ".reg .b32 held<4>;\n"
      "mov.b32 held0, %0; mov.b32 held1, %1; mov.b32 held2, %2; mov.b32 held3, %3;" ::"r"(
          pair(row, k)),
      "r"(pair(row + 8, k)), "r"(pair(row, k + 8)), "r"(pair(row + 8, k + 8)));
}
__device__ __forceinline__ void wgmma_m64n8k16_of_held(float (&d)[4], uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, "
      "{held0, held1, held2, held3}, %4, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(b)
      : "memory");
}
__device__ __forceinline__ void clear_held() {
  asm volatile("xor.b32 held0, held0, held0; xor.b32 held1, held1, held1;" ::: "memory");
}
/// Writes a thread's part of D(64×8), row-major.
__device__ inline void store_accumulators(float* out, const float (&d)[4]) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  out[row * 8 + column] = d[0];
  out[row * 8 + column + 1] = d[1];
  out[(row + 8) * 8 + column] = d[2];
  out[(row + 8) * 8 + column + 1] = d[3];
}

/// 128 threads write A(64×16) and B(16×8) for wgmma without a swizzle.
__device__ inline void fill_operands(uint16_t* a, uint16_t* b) {
  for (int i = threadIdx.x; i < 64 * 16; i += 128) {
    a[core_place(i / 16, i % 16)] = bf16_bits(a_element(i / 16, i % 16));
  }
  for (int i = threadIdx.x; i < 8 * 16; i += 128) {
    b[core_place(i / 16, i % 16)] = bf16_bits(b_element(i % 16, i / 16));
  }
}

__device__ inline void load_matrix_x4(uint32_t (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ inline void load_matrix_x2(uint32_t (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}
__device__ inline void load_matrix_x2_turned(uint32_t (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}
/// D(16×8) += A(16×16)·B(16×8).
__device__ inline void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
