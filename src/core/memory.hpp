// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tilewise {

/// Bytes this process can still take without swapping, by the kernel's estimate and the limit of
/// its control group. Asked before large allocations: Linux grants them and kills the process
/// later.
std::uint64_t available_memory();

}  // namespace tilewise
