// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One cp.async of 4, 8 or 16 bytes a lane. The offsets are those of its one side; the other side is
// 32 neighbours from an aligned base on, so that what is counted on a side is that side's own cost. The
// probes called both have offsets of their own on either side: what one side costs depends on the other.
#include "kernels/probe/probe.cuh"

namespace tilewise::probe {

template <int kSize, bool kBypassesL1>
__device__ inline void copy(unsigned to, const char* from, unsigned active) {
  if (is_active(active)) {
    if constexpr (kBypassesL1) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kSize)
                   : "memory");
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

#define PROBE(name)                                \
  extern "C" __global__ void __launch_bounds__(32) \
      name(LaneOffsets offsets, unsigned active, char* global, [[maybe_unused]] unsigned* sink)

#define COPY_PROBES(name, size, bypasses_l1)                                                     \
  PROBE(probe_##name##_shared) {                                                                 \
    alignas(1024) __shared__ char pool[kBytes];                                                  \
    copy<size, bypasses_l1>(shared_address(pool, offsets), global + threadIdx.x * size, active); \
  }                                                                                              \
  PROBE(probe_##name##_global) {                                                                 \
    alignas(1024) __shared__ char pool[kBytes];                                                  \
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(pool));                 \
    copy<size, bypasses_l1>(base + threadIdx.x * size, global + own_offset(offsets), active);    \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(32)                                               \
      probe_##name##_both(LaneOffsets offsets, unsigned active, char* global,                    \
                          [[maybe_unused]] unsigned* sink, LaneOffsets from) {                   \
    alignas(1024) __shared__ char pool[kBytes];                                                  \
    copy<size, bypasses_l1>(shared_address(pool, offsets), global + own_offset(from), active);   \
  }

COPY_PROBES(cp_async_ca_4, 4, false)
COPY_PROBES(cp_async_ca_8, 8, false)
COPY_PROBES(cp_async_ca_16, 16, false)
COPY_PROBES(cp_async_cg_16, 16, true)

}  // namespace tilewise::probe
