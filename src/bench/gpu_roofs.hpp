// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/gpu_product.hpp"
#include "model/gpu.hpp"

namespace tilewise::bench {

/// FLOP/s that the GPU's units could do at its highest clock, by its datasheet: of its f32 lanes for f32 ieee,
/// of its tensor cores for all else; for accurate, whose products are three of f16, a third of f16's. 0: the
/// catalogue does not know.
double peak_of(const model::Gpu& gpu, Dtype dtype, ComputeMode mode);

}  // namespace tilewise::bench
