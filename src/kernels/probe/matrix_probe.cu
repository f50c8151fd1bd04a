// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One ldmatrix or stmatrix of 1, 2 or 4 matrices: lane i gives the address of row i (16 bytes). Apart
// from access_probe.cu, so that a device that runs plain loads only can load that one.
#include "kernels/probe/probe.cuh"

namespace tilewise::probe {

__device__ inline uint4 load_matrix_1(unsigned row) {
  uint4 v{};
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v.x) : "r"(row));
  return v;
}
__device__ inline uint4 load_matrix_2(unsigned row) {
  uint4 v{};
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(v.x), "=r"(v.y)
               : "r"(row));
  return v;
}
__device__ inline uint4 load_matrix_4(unsigned row) {
  uint4 v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(row));
  return v;
}

// stmatrix came with compute capability 9.0.
#if __CUDA_ARCH__ >= 900
__device__ inline void store_matrix_1(unsigned row, unsigned value) {
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(value));
}
__device__ inline void store_matrix_2(unsigned row, unsigned value) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(row), "r"(value));
}
__device__ inline void store_matrix_4(unsigned row, unsigned value) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(row),
               "r"(value));
}
#endif

#define PROBE(name)                                                                              \
  extern "C" __global__ void __launch_bounds__(32)                                               \
      name(LaneOffsets offsets, [[maybe_unused]] unsigned active, [[maybe_unused]] char* global, \
           [[maybe_unused]] unsigned* sink)

#define LOAD_PROBE(matrices)                                               \
  PROBE(probe_ldmatrix_x##matrices) {                                      \
    alignas(1024) __shared__ char pool[kBytes];                            \
    const uint4 v = load_matrix_##matrices(shared_address(pool, offsets)); \
    sink[threadIdx.x] = v.x ^ v.y ^ v.z ^ v.w;                             \
  }

#define STORE_PROBE(matrices)                                            \
  PROBE(probe_stmatrix_x##matrices) {                                    \
    alignas(1024) __shared__ char pool[kBytes];                          \
    store_matrix_##matrices(shared_address(pool, offsets), threadIdx.x); \
  }

LOAD_PROBE(1)
LOAD_PROBE(2)
LOAD_PROBE(4)
#if __CUDA_ARCH__ >= 900
STORE_PROBE(1)
STORE_PROBE(2)
STORE_PROBE(4)
#endif

}  // namespace tilewise::probe
