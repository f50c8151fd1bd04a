// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From words of the command line to values. Every error names the option, what stood there and what
// was expected.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewise::cli {

/// Parses the command line. Returns the exit code where --help or --version has been answered.
/// Throws Error{kInvalidArgument} for what is not understood, with the nearest name.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// A whole number from `least` to `most`, in decimal digits.
std::int64_t parse_whole(std::string_view option, const std::string& text, std::int64_t least = 0,
                         std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// A finite number.
double parse_real(std::string_view option, const std::string& text);

/// One of `choices`.
std::string parse_choice(std::string_view option, const std::string& text,
                         std::span<const std::string_view> choices);

/// The name of a file or folder: not empty, and not an option that took its place.
std::string parse_path(std::string_view option, const std::string& text);

/// A name (of a GPU, of rungs), under the same conditions.
std::string parse_name(std::string_view option, const std::string& text);

}  // namespace tilewise::cli
