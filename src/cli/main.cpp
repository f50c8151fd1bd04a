// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise`: the command line. This file is the plan; the work stands in the files of the subcommands.
#include <fmt/core.h>

#include <optional>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"

namespace {

using namespace tilewise;

int run(int argc, char** argv) {
  // 1. What the program understands. Each subcommand brings its options, its help and its examples.
  CLI::App app("Matrix multiplication on GPUs, rung by rung, with or without a GPU.", "tilewise");
  cli::Action action;
  cli::add_ladder(app, action);
  cli::add_devices(app, action);
  cli::add_golden(app, action);
  cli::add_gemm(app, action);
  cli::add_bench(app, action);
  cli::add_emulate(app, action);
  cli::add_plan(app, action);
  cli::add_tune(app, action);
  app.set_version_flag("--version", "tilewise " TILEWISE_VERSION);
  app.footer(
      "Examples:\n"
      "  tilewise ladder                    every rung on a GPU, real or virtual\n"
      "  tilewise ladder --help             its options\n"
      "  tilewise devices                   the GPUs there are, and those that can be played\n"
      "  tilewise golden check tests/golden the access rules against what GPUs counted\n"
      "  tilewise gemm A.npy B.npy -o C.npy multiply matrices of your own\n"
      "  tilewise bench                     the CPU's speed beside other libraries\n"
      "  tilewise emulate --help            run a CUDA kernel of your own on the virtual GPU\n"
      "  tilewise plan --m 64 --n 64 --k 64 which GPU kernel a product would run on, and why\n"
      "  tilewise tune --help               measure which GPU kernel is fastest, and keep it\n\n"
      "Exit codes: 0 done, 1 a result was wrong, 2 bad usage or input, 3 no such device.");

  // 2. What the user asked for. --help and --version are answered here.
  if (const std::optional<int> answered = cli::parse(app, argc, argv)) return *answered;

  // 3. Do it, and make sure that what was printed has arrived.
  const int code = action();
  cli::flush_output();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // Whatever fails ends in one line on stderr and the exit code of its kind.
  return tilewise::cli::guarded([&] { return run(argc, argv); });
}
