// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/kernels.hpp"

#include "cpu/instruction_set.hpp"

namespace tilewise::cpu {

#if defined(__x86_64__)
template <> const Kernels<float>& kernels<float>() {
  static const Kernels<float>& chosen = []() -> const Kernels<float>& {
    switch (instruction_set()) {
      case InstructionSet::kAvx512: return *avx512_kernels_f32();
      case InstructionSet::kAvx2: return *avx2_kernels_f32();
      case InstructionSet::kPortable: break;
    }
    return *portable_kernels_f32();
  }();
  return chosen;
}

template <> const Kernels<double>& kernels<double>() {
  static const Kernels<double>& chosen = []() -> const Kernels<double>& {
    switch (instruction_set()) {
      case InstructionSet::kAvx512: return *avx512_kernels_f64();
      case InstructionSet::kAvx2: return *avx2_kernels_f64();
      case InstructionSet::kPortable: break;
    }
    return *portable_kernels_f64();
  }();
  return chosen;
}
#else
template <> const Kernels<float>& kernels<float>() { return *portable_kernels_f32(); }
template <> const Kernels<double>& kernels<double>() { return *portable_kernels_f64(); }
#endif

}  // namespace tilewise::cpu
