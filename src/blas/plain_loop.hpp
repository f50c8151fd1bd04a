// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The product without any memory of its own: what is left when there is none for packing buffers. A BLAS
// name has no way to report that, so the result must come all the same.
#pragma once

#include "cpu/engine.hpp"

namespace tilewise::blas {

void plain_loop(const cpu::ProblemF32& problem) noexcept;
void plain_loop(const cpu::ProblemF64& problem) noexcept;

}  // namespace tilewise::blas
