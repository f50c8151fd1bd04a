// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One warp multiplies A (16×16, f16) by B (16×8 or 16×16, f16) into C (f32), through ldmatrix, mma.sync and
// stmatrix, and through wmma. matrix_test.cpp runs what nvcc makes of it.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

// Rows of A are 32 bytes apart, so that two of every eight share their banks; rows of B 48.
extern "C" __global__ void with_mma(const __half* a, const __half* b, __half* d) {
  __shared__ __align__(128) __half rows_a[16 * 16];
  __shared__ __align__(128) __half columns_b[8 * 24];
  __shared__ __align__(128) __half rows_d[16 * 8];
  for (int i = threadIdx.x; i < 256; i += 32) rows_a[i] = a[i];
  for (int i = threadIdx.x; i < 128; i += 32) columns_b[i / 16 * 24 + i % 16] = b[i];
  __syncwarp();
  const int lane = threadIdx.x;
  uint32_t fa[4], fb[2], fd[2];
  auto shared = [](const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); };
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
               : "r"(shared(rows_a + lane % 16 * 16 + lane / 16 * 8)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(fb[0]), "=r"(fb[1])
               : "r"(shared(columns_b + lane % 8 * 24 + lane / 8 % 2 * 8)));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
               "{%8, %8};"
               : "=r"(fd[0]), "=r"(fd[1])
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]), "r"(0));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(
                   shared(rows_d + lane % 16 * 8)),
               "r"(fd[0]), "r"(fd[1])
               : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 128; i += 32) d[i] = rows_d[i];
}

extern "C" __global__ void with_wmma(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  __shared__ __align__(128) __half tile[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];
  __syncwarp();
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  load_matrix_sync(fa, tile, 16);
  load_matrix_sync(fb, b, 16);
  load_matrix_sync(fc, c, 16, mem_row_major);
  mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
  store_matrix_sync(c, fc, 16, mem_row_major);
}
