// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of 8-bit integers: exact, with sums, alpha and beta modulo 2^32. Because addition modulo 2^32
// is associative, neither blocks nor threads nor instruction sets can change a bit of the result.
#pragma once

#include "cpu/engine.hpp"

namespace tilewise::cpu {

/// The product, on at most `threads` threads (0: the engine's). The contract is that of cpu::gemm().
/// When all three sizes are at most 64, allocates nothing.
void gemm_integer(Engine& engine, const ProblemU8S8& problem, int threads);
void gemm_integer(Engine& engine, const ProblemS8U8& problem, int threads);
void gemm_integer(Engine& engine, const ProblemS8S8& problem, int threads);

}  // namespace tilewise::cpu
