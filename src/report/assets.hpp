// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The files inside this binary that pages are made of.
#pragma once

#include <span>
#include <string_view>

namespace tilewise::report {

struct Asset {
  std::string_view name;  ///< "page.html", "chart.js", "src/kernels/ladder/09_tile_2d.cu"
  std::string_view contents;
};

std::span<const Asset> assets();

/// The contents of that asset; empty when there is none.
std::string_view find_asset(std::string_view name);

}  // namespace tilewise::report
