// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of operations, one set for each instruction-set level, and what their modes mean.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

struct HandlerSpan {
  const HandlerEntry* entries;
  std::size_t count;
};

struct HandlerTables {
  HandlerSpan arithmetic, counted_accesses, plain_accesses;
};

HandlerTables handlers_avx512();
HandlerTables handlers_avx2();
HandlerTables handlers_portable();
/// What runs lane by lane on every machine.
HandlerSpan handlers_float();     ///< rounding directions, halves, conversions, approximations
HandlerTables handlers_memory();  ///< parameters, local and generic memory, atomics
HandlerTables handlers_async();   ///< cp.async, mbarriers, clusters
HandlerSpan handlers_calls();     ///< printf and assert
HandlerSpan handlers_bulk();      ///< cp.async.bulk and its tensor forms
HandlerSpan handlers_remote();    ///< st.async, red.async
HandlerSpan handlers_wgmma();
HandlerSpan handlers_tensormap();  ///< tensormap.replace and its like
HandlerSpan handlers_warp();       ///< special registers, shuffles, votes
HandlerTables handlers_matrix();   ///< tensor cores, ldmatrix and its like
HandlerTables handlers_wmma();     ///< loads and stores of fragments

/// Op::mode of the carry operations.
enum CarryMode : std::uint8_t { kCarryIn = 1, kCarryOut = 2, kCarrySubtract = 4 };

/// Runs `op.body` for the active lanes whose guard holds.
void run_guarded(Warp& warp, const Op& op);

/// Names the first lane that is off its alignment; `pattern` is relative to `first`, the first lane's address.
[[noreturn]] void fault_misaligned(const Warp& warp, const Op& op, std::uint64_t first,
                                   const AccessPattern& pattern);
[[noreturn]] void fault_bounds(const Warp& warp, const Op& op, const std::uint32_t* addresses);
[[noreturn]] void fault_bounds(const Warp& warp, const Op& op, const std::uint64_t* addresses);

}  // namespace tilewise::vgpu
