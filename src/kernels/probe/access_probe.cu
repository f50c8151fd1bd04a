// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One load or store of 4, 8 or 16 bytes a lane, in shared or in global memory. `global` is aligned to
// 1024 bytes; `sink` holds an element a lane.
#include "kernels/probe/probe.cuh"

namespace tilewise::probe {

__device__ inline uint4 load_shared_4(unsigned address) {
  uint4 v{};
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v.x) : "r"(address));
  return v;
}
__device__ inline uint4 load_shared_8(unsigned address) {
  uint4 v{};
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(address));
  return v;
}
__device__ inline uint4 load_shared_16(unsigned address) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
  return v;
}

__device__ inline void store_shared_4(unsigned address, unsigned value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value));
}
__device__ inline void store_shared_8(unsigned address, unsigned value) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(value));
}
__device__ inline void store_shared_16(unsigned address, unsigned value) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(value));
}

__device__ inline uint4 load_global_4(const char* address) {
  uint4 v{};
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v.x) : "l"(address));
  return v;
}
__device__ inline uint4 load_global_8(const char* address) {
  uint4 v{};
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(address));
  return v;
}
__device__ inline uint4 load_global_16(const char* address) {
  uint4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address));
  return v;
}

__device__ inline void store_global_4(char* address, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(value));
}
__device__ inline void store_global_8(char* address, unsigned value) {
  asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(address), "r"(value));
}
__device__ inline void store_global_16(char* address, unsigned value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(address), "r"(value));
}

// All of what was loaded, so that no part of the load is left out as unused.
__device__ inline unsigned folded(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

#define PROBE(name)                                                             \
  extern "C" __global__ void __launch_bounds__(32)                              \
      name(LaneOffsets offsets, unsigned active, [[maybe_unused]] char* global, \
           [[maybe_unused]] unsigned* sink)

#define SHARED_LOAD_PROBE(bytes)                                 \
  PROBE(probe_ld_shared_##bytes) {                               \
    alignas(1024) __shared__ char pool[kBytes];                  \
    const unsigned address = shared_address(pool, offsets);      \
    uint4 value{};                                               \
    if (is_active(active)) value = load_shared_##bytes(address); \
    sink[threadIdx.x] = folded(value);                           \
  }

#define SHARED_STORE_PROBE(bytes)                                      \
  PROBE(probe_st_shared_##bytes) {                                     \
    alignas(1024) __shared__ char pool[kBytes];                        \
    const unsigned address = shared_address(pool, offsets);            \
    if (is_active(active)) store_shared_##bytes(address, threadIdx.x); \
  }

#define GLOBAL_LOAD_PROBE(bytes)                                 \
  PROBE(probe_ld_global_##bytes) {                               \
    const char* address = global + own_offset(offsets);          \
    uint4 value{};                                               \
    if (is_active(active)) value = load_global_##bytes(address); \
    sink[threadIdx.x] = folded(value);                           \
  }

#define GLOBAL_STORE_PROBE(bytes)                                      \
  PROBE(probe_st_global_##bytes) {                                     \
    char* address = global + own_offset(offsets);                      \
    if (is_active(active)) store_global_##bytes(address, threadIdx.x); \
  }

SHARED_LOAD_PROBE(4)
SHARED_LOAD_PROBE(8)
SHARED_LOAD_PROBE(16)
SHARED_STORE_PROBE(4)
SHARED_STORE_PROBE(8)
SHARED_STORE_PROBE(16)
GLOBAL_LOAD_PROBE(4)
GLOBAL_LOAD_PROBE(8)
GLOBAL_LOAD_PROBE(16)
GLOBAL_STORE_PROBE(4)
GLOBAL_STORE_PROBE(8)
GLOBAL_STORE_PROBE(16)

}  // namespace tilewise::probe
