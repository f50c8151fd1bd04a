// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The most that a core can multiply and add: independent fused multiply-adds on registers, nothing else.
#pragma once

#include <string_view>

#include "core/dtype.hpp"

namespace tilewise::bench {

/// FLOP/s of `threads` threads together, measured for about `seconds`, with the vectors of the
/// instruction set "avx512", "avx2" or "portable" (compiled for the least common processor, without
/// fused instructions). f32 or f64; 0 for other dtypes.
double measure_fma_peak(std::string_view instruction_set, Dtype dtype, int threads, double seconds);

}  // namespace tilewise::bench
