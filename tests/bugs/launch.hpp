// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a planted bug or its twin on the virtual GPU with every check on.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cases.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::bugs {

/// Whether this build has the kernels: it needs nvcc.
bool images_exist();

/// When asynchronous operations take effect, and what to call that.
struct Order {
  std::string name;
  vgpu::AsyncOrder order = vgpu::AsyncOrder::kEarliest;
  std::uint64_t seed = 0;
};
const std::vector<Order>& orders();

struct Seen {
  std::vector<vgpu::Finding> findings;
  std::string error;  ///< of a kernel that could not go on, when no finding says why
  std::vector<std::uint32_t> result;  ///< what is in the result's buffer afterwards
};
Seen launch(const Case& bug, bool fixed, const Order& order);

/// The line of the case's source file that a place stands for; 0: none. Code of the headers beside it
/// stands for the line that calls it.
int line_in(const Case& bug, const vgpu::Finding::Place& place);
/// The lines of the case's source file that the PTX has code for.
std::set<int> lines_with_code(const Case& bug);

}  // namespace tilewise::bugs
