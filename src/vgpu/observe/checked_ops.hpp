// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {

/// `ops` with a handler around every vectorised load and store of shared and global memory that tells
/// the block's Checker where it went, and around all that touches registers of wgmma. Worker::checked_ops and unchecked_ops must point at the result and
/// at `ops`.
std::vector<Op> checked_ops(const LaunchChecker& launch, const Op* ops);

}  // namespace tilewise::vgpu
