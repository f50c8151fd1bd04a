// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a result says of where it comes from.
#pragma once

#include "bench/ladder.hpp"

namespace tilewise::bench {

/// Versions, commit, time, machine and the request's scalars. `cublas` stays empty.
Context describe_run(const device::Device& device, const LadderRequest& request);

/// The same for the CPU's ladder, without `fma_peaks`. Throws Error of cpu::instruction_set().
Context describe_cpu_run(const LadderRequest& request);

}  // namespace tilewise::bench
