// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// elect.sync: one lane of a warp. PTX ISA, "Parallel Synchronization and Communication Instructions: elect.sync".
// sm_90.
#pragma once

namespace ptx {

// Whether this lane is the one that a whole warp elects. What it guards the compiler knows to be run by one lane. Behind
// threadIdx.x == 0 it does not, and puts each request of TMA into a loop over lanes (ELECT, UTMALDG, BRA.U.ANY).
__device__ __forceinline__ bool elect_one() {
  unsigned is_elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xFFFFFFFF;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(is_elected));
  return is_elected != 0;
}

}  // namespace ptx
