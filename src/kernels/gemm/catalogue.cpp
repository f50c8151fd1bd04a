// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/catalogue.hpp"

#include <algorithm>

namespace tilewise::kernels {
namespace {

// entries[A along k][B along k] of a kernel whose four versions end in _xx, _xk, _kx, _kk.
#define TILEWISE_FOUR_ORDERS(name)                         \
  {                                                        \
    {                                                      \
      {name "_xx", name "_xk"}, { name "_kx", name "_kk" } \
    }                                                      \
  }

constexpr std::array kKernels{
    GemmKernel{.name = "simt_f32_128x128",
               .unit = "simt_f32_128x128",
               .entries = TILEWISE_FOUR_ORDERS("gemm_simt_f32_128x128"),
               .bm = 128,
               .bn = 128,
               .bk = 8,
               .stages = 3,
               .threads = 128,
               .blocks_per_sm = 2,
               .efficiency = 0.78,
               .efficiency_alone = 0.6},
    GemmKernel{.name = "simt_f32_64x64",
               .unit = "simt_f32_64x64",
               .entries = TILEWISE_FOUR_ORDERS("gemm_simt_f32_64x64"),
               .bm = 64,
               .bn = 64,
               .bk = 16,
               .stages = 3,
               .threads = 128,
               .blocks_per_sm = 4,
               .efficiency = 0.6,
               .efficiency_alone = 0.3},
    GemmKernel{.name = "simt_f32_32x32",
               .unit = "simt_f32_32x32",
               .entries = TILEWISE_FOUR_ORDERS("gemm_simt_f32_32x32"),
               .bm = 32,
               .bn = 32,
               .bk = 16,
               .stages = 4,
               .threads = 64,
               .blocks_per_sm = 10,
               .efficiency = 0.4,
               .efficiency_alone = 0.1},
};

}  // namespace

std::span<const GemmKernel> gemm_kernels() { return kKernels; }

const GemmKernel* find_gemm_kernel(std::string_view name) {
  const auto found = std::ranges::find(kKernels, name, &GemmKernel::name);
  return found == kKernels.end() ? nullptr : &*found;
}

}  // namespace tilewise::kernels
