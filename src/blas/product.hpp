// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A call with right arguments, computed.
#pragma once

#include "blas/call.hpp"

namespace tilewise::blas {

/// Always computes: what the engine cannot do for want of memory, or because the environment asks it for
/// something impossible, a plain loop does.
void compute(const Call<float>& call) noexcept;
void compute(const Call<double>& call) noexcept;

}  // namespace tilewise::blas
