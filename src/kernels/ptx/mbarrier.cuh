// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// mbarrier: a barrier of one phase after the other in shared memory. A phase is complete when as many
// arrivals as it was made for have come and as many bytes as were announced have been copied.
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". sm_90.
#pragma once

#include "kernels/ptx/address.cuh"

namespace ptx {

using Barrier = unsigned long long;  // in shared memory, aligned to 8

__device__ __forceinline__ void mbarrier_init(Barrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// Makes initialised barriers known to copies and to the other blocks of the cluster; the blocks'
// threads need a barrier behind it all the same.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// The same for some threads, without a branch.
__device__ __forceinline__ void mbarrier_arrive_if(bool arrives, Barrier* barrier) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p mbarrier.arrive.shared::cta.b64 _, [%1];\n}" ::
          "r"(static_cast<unsigned>(arrives)),
      "r"(shared_address(barrier))
      : "memory");
}

// Arrives, and announces bytes that copies will bring before the phase is complete.
__device__ __forceinline__ void mbarrier_arrive_expect(Barrier* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Arrives as soon as all of this thread's cp.async so far are there; the barrier counts on it.
__device__ __forceinline__ void mbarrier_arrive_behind_copies(Barrier* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// Arrives at the barrier that lies where `barrier` does, in block `rank` of the cluster. Only for what
// needs no order of this thread's own loads and stores: that tensor cores have read what copies wrote, and
// copies may write again. With .release.cluster the machine code would wait, in each arrival, until all
// the thread ever wrote is seen by the whole GPU (MEMBAR.ALL.GPU).
__device__ __forceinline__ void mbarrier_arrive_at(unsigned remote) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
}
__device__ __forceinline__ void mbarrier_arrive_at_if(bool arrives, unsigned remote) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p mbarrier.arrive.shared::cluster.b64 _, "
      "[%1];\n}" ::"r"(static_cast<unsigned>(arrives)),
      "r"(remote)
      : "memory");
}
__device__ __forceinline__ void mbarrier_arrive_beside(Barrier* barrier, unsigned rank) {
  mbarrier_arrive_at(address_beside(barrier, rank));
}

// Whether the phase of that parity (0 for the first, 1 for the second, 0 …) is complete. It may wait a
// while for it.
__device__ __forceinline__ bool mbarrier_try_wait(Barrier* barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

__device__ __forceinline__ void mbarrier_wait(Barrier* barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

}  // namespace ptx
