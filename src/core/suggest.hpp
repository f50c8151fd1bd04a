// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilewise {

/// The candidate with the smallest edit distance to `word`, or empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'tile_2d'?" or an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tilewise
