// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tilewise {

/// Cores this process may run on (its affinity mask), at least 1.
int available_cores();

/// Calls `body(worker, index)` once for every index in [0, count), handing out indices in order to
/// `threads` workers (0: one a core). The caller is worker 0. The first exception a body throws stops
/// the handing out and is thrown again here.
void parallel_for(std::uint64_t count, int threads,
                  const std::function<void(int worker, std::uint64_t index)>& body);

}  // namespace tilewise
