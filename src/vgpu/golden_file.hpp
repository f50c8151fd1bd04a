// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What comes of holding the virtual GPU against one golden file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::vgpu {

struct GoldenRecords {
  std::filesystem::path file;
  int records = 0;
  int matches = 0;                            ///< records that come out as on the GPU, in every bit
  std::vector<std::string> first_mismatches;  ///< at most kMostRecordMismatches lines
};
inline constexpr std::size_t kMostRecordMismatches = 5;

}  // namespace tilewise::vgpu
