// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise gemm`: multiplies matrices of .npy files into a .npy file. All of them stay in their files,
// mapped into memory.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/product_check.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/gemm_operands.hpp"
#include "cli/gemm_options.hpp"
#include "cli/gemm_product.hpp"
#include "cli/gemm_signals.hpp"
#include "cli/terminal.hpp"
#include "core/file.hpp"
#include "core/npy_header.hpp"
#include "core/random.hpp"
#include "report/format.hpp"

namespace tilewise::cli {
namespace {

constexpr const char* kExamples =
    "C has the shape, the order and, for one type of floats, the type that numpy's A @ B has; f16 "
    "and\n"
    "bf16 give f32, 8-bit integers give s32. An existing C.npy is replaced when C is complete.\n\n"
    "Examples:\n"
    "  tilewise gemm A.npy B.npy -o C.npy\n"
    "  tilewise gemm A.npy B.npy -o C.npy --trans-a --dtype bf16 --verify\n"
    "  tilewise gemm A.npy B.npy --c C.npy -o C.npy --alpha -1     C = C - A·B, in place\n"
    "  tilewise gemm A.npy B.npy -o C.npy --threads 8 --json run.json";

/// What is said about a run.
struct GemmRun {
  double seconds = 0;  ///< of the product, reading and writing pages included
  int threads = 0;
  std::string instruction_set;
  bool checked = false;
  bench::ProductVerdict verdict;
};

double gflops(const GemmOperands& operands, double seconds) {
  const double products = static_cast<double>(operands.m) * static_cast<double>(operands.n) *
                          static_cast<double>(operands.k);
  return seconds > 0 ? 2 * products / seconds * 1e-9 : 0;
}

// "f16 -> f32", or "f32" where C has the type of A and B.
std::string dtype_text(const GemmOperands& operands) {
  const Dtype a = operands.a.matrix.dtype, b = operands.b.matrix.dtype, c = operands.out.dtype;
  std::string text(name_of(a));
  if (a != b) text += fmt::format("×{}", name_of(b));
  return a == b && b == c ? text : fmt::format("{} -> {}", text, name_of(c));
}

std::string verdict_text(const GemmRun& run) {
  if (!run.checked) return "not verified";
  const bench::ProductVerdict& verdict = run.verdict;
  if (!verdict.verified) return "WRONG";
  if (verdict.complete) return fmt::format("verified (every element, error {:.1e})", verdict.error);
  return fmt::format("verified (C·t, and {} rows in full, error {:.1e})", verdict.rows,
                     verdict.error);
}

std::string line(const GemmCommand& options, const GemmOperands& operands, const GemmRun& run) {
  return fmt::format("{}: {}×{} of depth {}, {}, {}, {:.1f} GFLOP/s ({}, {} thread{}), {}\n",
                     options.output, operands.m, operands.n, operands.k, dtype_text(operands),
                     report::time_text(run.seconds * 1e3), gflops(operands, run.seconds),
                     run.instruction_set, run.threads, run.threads == 1 ? "" : "s",
                     verdict_text(run));
}

std::string to_json(const GemmCommand& options, const GemmOperands& operands, const GemmRun& run) {
  nlohmann::json value{{"a", options.a},
                       {"b", options.b},
                       {"c", options.output},
                       {"m", operands.m},
                       {"n", operands.n},
                       {"k", operands.k},
                       {"trans_a", options.trans_a},
                       {"trans_b", options.trans_b},
                       {"alpha", operands.alpha},
                       {"beta", operands.beta},
                       {"dtype_a", name_of(operands.a.matrix.dtype)},
                       {"dtype_b", name_of(operands.b.matrix.dtype)},
                       {"dtype_c", name_of(operands.out.dtype)},
                       {"shape_c", operands.out.shape},
                       {"device", "cpu"},
                       {"instruction_set", run.instruction_set},
                       {"threads", run.threads},
                       {"seconds", run.seconds},
                       {"gflops", gflops(operands, run.seconds)}};
  if (!options.c0.empty()) value["c0"] = options.c0;
  if (run.checked) {
    value["verified"] = run.verdict.verified;
    value["verified_rows"] = run.verdict.rows;
    value["error"] = run.verdict.error;
    value["largest_error"] = run.verdict.largest_error;
    if (!run.verdict.verified) value["wrong"] = run.verdict.wrong;
  }
  return value.dump(2) + "\n";
}

void compute(Context& context, const GemmCommand& options, const GemmOperands& operands,
             void* elements, GemmRun& run) {
  const Blocks blocks = options.blocks.value_or(default_blocks(operands));
  Progress progress;
  const auto start = std::chrono::steady_clock::now();
  multiply(context, operands, blocks, elements, [&](std::size_t index, std::size_t count) {
    if (count > 1) progress.step(index, count, "blocks of C");
  });
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bench::ProductVerdict check(const GemmOperands& operands, void* elements) {
  bench::Product product{operands.alpha,    operands.beta, operands.a.matrix,
                         operands.b.matrix, operands.c0,   result_matrix(operands, elements)};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return bench::check_product(product, mix64(static_cast<std::uint64_t>(now)));
}

int run(const GemmCommand& options) {
  // Everything that can be wrong with the command line, the files and the disk shows before the work.
  check_combinations(options);
  GemmRun run;
  run.instruction_set = cpu_instruction_set();
  Context context({.threads = options.threads});
  run.threads = context.threads();
  GemmOperands operands = open_operands(options);
  SignalGuard guard;
  guard.watch(options.a, operands.a.file.pages());
  guard.watch(options.b, operands.b.file.pages());
  if (operands.c0_file) guard.watch(options.c0, operands.c0_file->pages());
  convert_factors(operands);
  const std::unique_ptr<npy::MappedOutput> output = guard.create(options.output, operands.out);

  compute(context, options, operands, output->elements(), run);
  if (options.verify) {
    run.checked = true;
    run.verdict = check(operands, output->elements());
  }
  if (run.verdict.verified) output->commit();
  if (!options.json.empty()) write_file(options.json, to_json(options, operands, run));
  print(line(options, operands, run));
  if (run.verdict.verified) return kDone;
  complain(fmt::format("'{}' was not written: {}", options.output, run.verdict.wrong));
  return kWrongResult;
}

}  // namespace

void add_gemm(CLI::App& app, Action& action) {
  const auto options = std::make_shared<GemmCommand>();
  CLI::App* command =
      app.add_subcommand("gemm", "Multiply matrices of .npy files: C = alpha·A·B + beta·C0");
  add_gemm_options(*command, *options);
  command->footer(kExamples);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
