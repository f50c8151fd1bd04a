// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden files of Hopper's copies and operands: which tensor maps the driver accepts, what TMA copies,
// where wgmma finds its operands. Formats: tests/golden/README.md.
#pragma once

#include <filesystem>
#include <vector>

#include "vgpu/golden_file.hpp"

namespace tilewise::vgpu {

/// Does again what each row of a tensor_maps.csv, tensor_copies.csv or wgmma_layouts.csv says. Throws
/// Error{kInvalidInput} for another name, and for a row that cannot be read, with its line.
GoldenRecords check_tma_file(const std::filesystem::path& file);

/// Files of these names in `folder` and one level down, by name; none is no error.
std::vector<std::filesystem::path> find_tma_files(const std::filesystem::path& folder);

}  // namespace tilewise::vgpu
