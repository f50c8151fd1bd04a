// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that follow each other in a stream, where the launch allows them to overlap: the second may start
// while the first still runs, as far as it needs nothing of it. PTX ISA, "griddepcontrol". sm_90.
#pragma once

namespace ptx {

// Waits until the kernels before have ended, and all that they wrote is there. Not for __ldg(), which the
// compiler may move up here: it takes what it reads for constant as long as the kernel runs.
__device__ __forceinline__ void wait_for_previous_grid() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The kernel behind may start once every block has come here or ended.
__device__ __forceinline__ void let_next_grid_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace ptx
