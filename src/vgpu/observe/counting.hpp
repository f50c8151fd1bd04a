// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Counters of a launch, from what its host threads gathered. Instructions are not counted one by one:
// a basic block counts how often it ran and with how many lanes, and each access site keeps its costs.
#pragma once

#include <vector>

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

LaunchReport make_report(const Program& program, const std::vector<Worker>& workers, bool counted);

}  // namespace tilewise::vgpu
