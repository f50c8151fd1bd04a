// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// setmaxnreg: a warpgroup gives registers back to the pool of its block, or takes some from it. PTX
// ISA, "Miscellaneous Instructions: setmaxnreg". sm_90a.
#pragma once

namespace ptx {

// kRegisters a thread from here on: a multiple of 8. All warps of the warpgroup execute it.
template <int kRegisters> __device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters> __device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace ptx
