// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gemm/gpu/tuned.hpp"

namespace tilewise::gpu {

/// What TILEWISE_VERBOSE shows of a product: "gpu gemm f32 accurate nn m=64 n=64 k=64: simt_f32_64x64, tuned".
std::string line_of(const Problem& problem, const Choice& choice);

}  // namespace tilewise::gpu
