// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels as each file of an instruction set defines them, in the order of Signs.
#pragma once

#include "cpu/integer/kernel.hpp"

namespace tilewise::cpu::integer {

extern const Kernel kPortableKernels[3];
#if defined(__x86_64__)
extern const Kernel kAvx2Kernels[3];
extern const Kernel kAvx512Kernels[3];
extern const Kernel kAvx512VnniKernels[3];
#endif

}  // namespace tilewise::cpu::integer
