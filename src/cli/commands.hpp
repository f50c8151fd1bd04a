// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The subcommands, one file each.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace tilewise::cli {

/// What the chosen subcommand does once the command line is understood: returns the exit code.
using Action = std::function<int()>;

/// Each adds its subcommand to `app`; when the command line names it, `action` becomes its work.
void add_ladder(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_golden(CLI::App& app, Action& action);
void add_gemm(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_emulate(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);

}  // namespace tilewise::cli
