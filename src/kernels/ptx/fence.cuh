// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Fences between the ways to shared memory. PTX ISA, "membar / fence", "Async proxy". sm_90.
#pragma once

namespace ptx {

// What this thread stored to shared memory before becomes visible to copies and tensor cores (the
// async proxy) that a barrier later lets go.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace ptx
