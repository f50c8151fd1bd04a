// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise bench`: products on the CPU or a GPU beside other libraries; `bench compare`: two such runs.
#include "report/bench.hpp"

#include <fmt/format.h>

#include <memory>

#include "bench/gemm_bench.hpp"
#include "bench/gemm_worker.hpp"
#include "cli/bench_compare.hpp"
#include "cli/bench_gpu.hpp"
#include "cli/bench_options.hpp"
#include "cli/bench_page.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/interruption.hpp"
#include "cli/terminal.hpp"
#include "core/file.hpp"

namespace tilewise::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  tilewise bench                                        the suite 'cpu', every peer there is\n"
    "  tilewise bench --group skinny --dtype f32 --seconds 3 one group, more rounds\n"
    "  tilewise bench --m 64 --n 64 --k 64 --trans NN,NT     one size, two transpositions\n"
    "  tilewise bench --peer openblas,mine=./libmine.so      these peers only\n"
    "  tilewise bench --device cuda --dtype bf16             the suite 'gpu', beside cuBLAS\n"
    "  tilewise bench --json new.json && tilewise bench compare old.json new.json";

// Rows appear when they are measured, also where stdout is a file.
void print_now(const std::string& text) {
  print(text);
  flush_output();
}

int verdict(const bench::GemmReport& report) {
  std::size_t wrong = 0;
  for (const bench::GemmResult& result : report.results) wrong += result.verified ? 0 : 1;
  if (wrong == 0) return kDone;
  complain(fmt::format("{} of {} results were wrong", wrong, report.results.size()));
  return kWrongResult;
}

// Measures where --device says.
bench::GemmReport measure(const BenchOptions& options, const bench::GemmListener& listener) {
  if (options.device == "cpu") return bench::run_gemm_bench(bench_request(options), listener);
  const bench::GpuRequest request = bench_gpu_request(options);
  GpuContext gpu = open_bench_gpu(options);
  return bench::run_gpu_bench(device_of(gpu), open_gpu_libraries(gpu, options), request, listener);
}

int run(const BenchOptions& options) {
  check_outputs(options.outputs(), {options.suite});
  const bool color = wants_color(options.color);
  Interruption interruption;
  Progress progress;
  bench::GemmListener listener;
  listener.ready = [&](const bench::GemmContext& context) {
    print_now(report::bench_heading(context, color));
  };
  listener.next = [&](std::size_t index, std::size_t count, const std::string& what) {
    progress.step(index, count, what);
  };
  listener.done = [&](const bench::GemmContext& context, const bench::GemmResult& result) {
    progress.clear();
    print_now(report::bench_row(context, result, color));
  };
  listener.stopped = [&] { return interruption.happened(); };
  const bench::GemmReport report = measure(options, listener);
  progress.clear();
  if (report.results.empty() && report.was_stopped) {
    complain("interrupted before anything was measured: nothing is written");
    interruption.pass_on();
  }
  const std::string json = report::bench_json(report);
  if (!options.json.empty()) write_file(options.json, json);
  if (!options.html.empty()) write_file(options.html, report::bench_html(json, "the results"));
  if (!options.csv.empty()) write_file(options.csv, report::bench_csv(report));
  print_now(report::bench_summary(report, color));
  interruption.pass_on();
  return verdict(report);
}

// The hidden subcommand that the workers run.
void add_worker(CLI::App& app, Action& action) {
  const auto options = std::make_shared<bench::WorkerOptions>();
  CLI::App* command = app.add_subcommand("bench-worker")->group("");
  command->add_option("--threads", options->threads);
  command->add_option("--library", options->libraries);
  command->callback([options, &action] {
    action = [options] {
      bench::serve_gemm(*options);
      return kDone;
    };
  });
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure products on the CPU or a GPU, beside other libraries");
  add_bench_options(*command, *options);
  add_bench_gpu_options(*command, *options);
  command->footer(kExamples);
  command->callback([command, options, &action] {
    if (command->get_subcommands().empty()) action = [options] { return run(*options); };
  });
  add_bench_compare(*command, action);
  add_bench_page(*command, action);
  add_worker(app, action);
}

}  // namespace tilewise::cli
