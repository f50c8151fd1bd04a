// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Records golden access files: launches a probe (src/kernels/probe/) for each instruction and reads
// what the device counted for it.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/nsight.hpp"
#include "device/device.hpp"
#include "model/golden_access.hpp"

namespace tilewise::bench {

/// The kernel that executes one access of a kind and width.
struct Probe {
  std::string_view unit;   ///< "access_probe"
  std::string_view entry;  ///< "probe_ld_shared_8"
};

/// Throws Error{kUnsupported} for an access that no probe makes.
Probe probe_for(const model::GoldenAccess& row);

/// The rows that a GPU of this compute capability can execute: stmatrix needs 9.0.
std::vector<model::GoldenAccess> rows_for(std::vector<model::GoldenAccess> rows, int compute_major);

/// Launches the probe of each row once, in order.
void launch_probes(device::Device& device, std::span<const model::GoldenAccess> rows);

/// What a device that counts (the virtual GPU) counts for each row. Throws Error{kUnsupported} for a
/// device that does not.
std::vector<model::AccessCounts> count_probes(device::Device& device,
                                              std::span<const model::GoldenAccess> rows);

/// Every metric that any row needs and `available` has.
std::vector<std::string> capture_metrics(const std::set<std::string>& available);

/// Fills in `expected` of each row from its launch; a count that no metric stands for stays absent.
/// Throws Error{kDriver} when the launches are not those of the rows, or when a probe made more or
/// fewer than one access.
void take_counts(std::span<model::GoldenAccess> rows, std::span<const ProfiledLaunch> launches,
                 const std::set<std::string>& available);

}  // namespace tilewise::bench
