// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Records golden files of tensor-core instructions: launches a probe (src/kernels/probe/mma_probe.cu) on
// random operands and writes operands and results down. Format: tests/golden/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace tilewise::bench {

/// The instructions there are probes for that a GPU of this compute capability runs:
/// "mma_m16n8k16_f32_bf16", …
std::vector<std::string_view> mma_probes(int compute_major, int compute_minor);

/// The contents of one file: `records` records. Styles of operands take turns, as the README has them.
/// Throws Error{kUnsupported} for a name that mma_probes() does not know.
std::string capture_mma(device::Device& device, std::string_view name, int records,
                        std::uint64_t seed);

}  // namespace tilewise::bench
