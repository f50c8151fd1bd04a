// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/integer/kernel.hpp"

#include "cpu/instruction_set.hpp"
#include "cpu/integer/tables.hpp"

namespace tilewise::cpu::integer {
namespace {

const Kernel* kernels_of(KernelSet set) {
  switch (set) {
#if defined(__x86_64__)
    case KernelSet::kAvx512Vnni: return kAvx512VnniKernels;
    case KernelSet::kAvx512: return kAvx512Kernels;
    case KernelSet::kAvx2: return kAvx2Kernels;
#endif
    default: return kPortableKernels;
  }
}

}  // namespace

KernelSet kernel_set() {
  switch (instruction_set()) {
    case InstructionSet::kAvx512: return has_vnni() ? KernelSet::kAvx512Vnni : KernelSet::kAvx512;
    case InstructionSet::kAvx2: return KernelSet::kAvx2;
    case InstructionSet::kPortable: break;
  }
  return KernelSet::kPortable;
}

const Kernel& kernel_of(KernelSet set, Signs signs) {
  return kernels_of(set)[static_cast<int>(signs)];
}

}  // namespace tilewise::cpu::integer
