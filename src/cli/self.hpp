// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tilewise::cli {

/// The path of the running program, to run it again under a profiler.
std::string own_path();

}  // namespace tilewise::cli
