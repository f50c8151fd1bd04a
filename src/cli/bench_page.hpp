// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

namespace tilewise::cli {

/// Adds `page` below `tilewise bench`.
void add_bench_page(CLI::App& bench, Action& action);

}  // namespace tilewise::cli
