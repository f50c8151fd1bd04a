// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// An integer product by a kernel of the caller's choice: what gemm_integer() does once it has chosen, and
// what the tests call to reach every instruction set of the machine.
#pragma once

#include <cstdint>

#include "cpu/caches.hpp"
#include "cpu/engine.hpp"
#include "cpu/integer/kernel.hpp"

namespace tilewise::cpu::integer {

/// A problem of which only the kernel knows whether its bytes have signs.
using ByteProblem = Problem<std::uint8_t, std::uint8_t, std::int32_t, std::int32_t>;

/// What the sizes of blocks and the number of threads are made from.
struct Limits {
  Caches caches;
  int threads = 1;
  bool even_when_small = false;  ///< use all threads even where they do not pay
};

/// Bytes of the packing buffers that a product with sizes of at least 1 takes from the engine's workspaces;
/// 0 when it packs on the stack, as it does when no size is above 64.
std::int64_t workspace_bytes(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                             const Limits& limits);

/// C = alpha·A·B + beta·C. Throws Error{kOutOfMemory} before C is written.
void multiply(Engine& engine, const Kernel& kernel, const ByteProblem& problem,
              const Limits& limits);

}  // namespace tilewise::cpu::integer
