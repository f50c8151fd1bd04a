// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/self.hpp"

#include <filesystem>

namespace tilewise::cli {

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace tilewise::cli
