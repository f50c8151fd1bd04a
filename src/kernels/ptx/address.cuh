// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory addresses as PTX takes them: 32 bits within the block's window.
#pragma once

namespace ptx {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Where block `rank` of the cluster has in its shared memory what this one has at `own`, in the cluster's addresses.
__device__ __forceinline__ unsigned address_beside(const void* own, unsigned rank) {
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(shared_address(own)), "r"(rank));
  return remote;
}

}  // namespace ptx
