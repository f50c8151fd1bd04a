// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tilewise {

/// value / by, rounded up. value >= 0, by > 0.
constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// The least multiple of `step` that is not below `value`. value >= 0, step > 0.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return divide_up(value, step) * step;
}

}  // namespace tilewise
