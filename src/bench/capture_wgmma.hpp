// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Records golden files of wgmma: what it computes (wgmma_*.bin), and where it finds its operands in shared
// memory (wgmma_layouts.csv). Formats: tests/golden/README.md. The kernels are src/kernels/probe/hopper_ptx.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace tilewise::bench {

/// The files that a GPU of this compute capability can fill: "wgmma_m64n8k16_f32_bf16", …; none unless it
/// is 9.0.
std::vector<std::string_view> wgmma_probes(int compute_major, int compute_minor);

/// The contents of one of them: `records` records. Throws Error{kUnsupported} for another name.
std::string capture_wgmma(device::Device& device, std::string_view name, int records,
                          std::uint64_t seed);

/// A wgmma_layouts.csv: all element types, both majors, A in shared memory and in registers, each spelling
/// with columns by chance and `rows_each` rows of random descriptors.
std::string capture_layouts(device::Device& device, int rows_each, std::uint64_t seed);

}  // namespace tilewise::bench
