// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {

/// PTX leaves it undefined what a matrix instruction does when lanes are missing: it faults.
inline void expect_all_lanes(const Warp& w, const Op& op) {
  if (w.active != 0xFFFFFFFFu) fault(w, op, Fault::kPartialWarp, w.first_lane(), w.active, 0);
}

}  // namespace tilewise::vgpu
