// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose cubins cubin_test.cpp reads: every kind and width of access, merged loads, a stack,
// static and dynamic shared memory. How the files beside this one are made stands in README.md.
#include <cstdint>

template <class T, class Out>
__device__ void through_shared(const T* in, Out* out) {
  __shared__ T tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" __global__ void width_s8(const int8_t* in, int* out) { through_shared(in, out); }
extern "C" __global__ void width_u16(const uint16_t* in, uint16_t* out) { through_shared(in, out); }
extern "C" __global__ void width_64(const double* in, double* out) { through_shared(in, out); }
extern "C" __global__ void width_128(const float4* in, float4* out) { through_shared(in, out); }

// ptxas makes one 64-bit load of the two neighbouring scalar loads of each row.
extern "C" __global__ void merged(const float* in, float* out) {
  __shared__ float tile[8][16];
  tile[threadIdx.x / 16][threadIdx.x % 16] = in[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += tile[k][threadIdx.x % 4 * 4] * tile[k][threadIdx.x % 4 * 4 + 1];
  out[threadIdx.x] = sum;
}

extern "C" __global__ void generic(float* out, int which) {
  __shared__ float tile[32];
  tile[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  float* either = which > static_cast<int>(threadIdx.x) ? out : tile;
  either[threadIdx.x + 1] = either[threadIdx.x] + 1.0f;
}

__device__ __noinline__ float pick(const float* in, int index) {
  float local[8];
  for (int i = 0; i < 8; ++i) local[i] = in[i];
  return local[index];
}

extern "C" __global__ void stack(const float* in, float* out) {
  out[threadIdx.x] = pick(in, threadIdx.x & 7);
}

extern "C" __global__ void matrices(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t tile[256];
  extern __shared__ uint32_t more[];
  const auto to = static_cast<uint32_t>(__cvta_generic_to_shared(tile + threadIdx.x * 4));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x * 4));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  uint32_t a, b, c, d, e;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(e) : "r"(to));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(a), "=r"(b)
               : "r"(to));
  out[threadIdx.x] = a + b + e;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(to));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b));
#endif
  more[threadIdx.x] = a + b + c + d;
  __syncthreads();
  out[threadIdx.x + 32] = more[threadIdx.x ^ 3] + tile[threadIdx.x];
}
