// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of 16-bit floats to f32 and back.
#pragma once

#include <cstdint>

#include "tilewise/gemm.hpp"

namespace tilewise::cpu {

/// to[i] = from[i], exact; NaN becomes quiet and keeps its sign and payload.
void to_f32(const Float16* from, float* to, std::int64_t count);
void to_f32(const BFloat16* from, float* to, std::int64_t count);

/// to[i] = the nearest value of the type to from[i], ties to even; NaN stays NaN.
void from_f32(const float* from, Float16* to, std::int64_t count);
void from_f32(const float* from, BFloat16* to, std::int64_t count);

}  // namespace tilewise::cpu
