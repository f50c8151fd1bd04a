// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the benchmark's tables, of the CPU and of the GPU, have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bench/gemm_bench.hpp"

namespace tilewise::report {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::size_t kWidth = 100, kPeerWidth = 8;
constexpr std::string_view kNothing = "–";  ///< where there is no figure

std::string painted(bool color, std::string_view code, const std::string& text);
/// Ends a line without spaces that a terminal does not show but a file keeps.
std::string ended(std::string line);
/// Text in lines of kWidth.
std::string lines_of(const std::string& text);
/// "0.45", "9.87", "143.2"
std::string speed(double value);
/// Of ours against the best peer: green, yellow, red.
std::string_view color_of(double ratio);
/// What the colour says, for those who do not see it: nothing, " <", " <<".
std::string_view mark_of(double ratio);
/// A line of the heading: a name, and its value in as many lines as it needs.
std::string field(std::string_view name, const std::string& value);
/// A peer's speed divided by `unit` (GFLOP/s) in its column, the fastest in bold.
std::string peer_cell(const bench::GemmResult& result, const std::string& peer, double unit,
                      bool color);

/// Heading and row of a GPU's benchmark.
std::string gpu_heading(const bench::GemmContext& context, bool color);
std::string gpu_row(const bench::GemmContext& context, const bench::GemmResult& result, bool color);

}  // namespace tilewise::report
