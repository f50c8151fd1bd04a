// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tilewise {

/// The whole file. Throws Error{kInvalidInput} naming the file.
std::string read_file(const std::filesystem::path& path);

/// Writes to a temporary name in the same folder, then renames: readers see all of it or none.
/// On failure nothing is left behind. A path that is no regular file (a terminal, a pipe,
/// /dev/null) is written to directly. Throws Error{kInvalidInput} naming the file.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// The same for contents in several pieces, one behind the other.
void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> pieces);

}  // namespace tilewise
