// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Ladder results made by hand, with every awkward value that a report may meet.
#pragma once

#include "bench/ladder.hpp"

namespace tilewise::test {

/// Six rungs counted on the virtual GPU, the last one on the CPU without any figure.
bench::LadderResult virtual_result();

/// The same rungs, timed on a real GPU beside cuBLAS, with hardware counters.
bench::LadderResult cuda_result();

/// Three rungs of the CPU's ladder, the last one on two threads.
bench::LadderResult cpu_result();

}  // namespace tilewise::test
