// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise tune`: measures the plans of products on the GPU at hand and keeps the fastest in a file that the library
// looks into.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "bench/tuning.hpp"
#include "cli/bench_gpu.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/interruption.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_options.hpp"
#include "core/file.hpp"
#include "gemm/gpu/context.hpp"
#include "gemm/gpu/tuned_load.hpp"
#include "report/tuning.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr const char* kExamples =
    "Measures the plans by which a product could be computed on the GPU at hand, and keeps the "
    "fastest in a file. From then on the library takes that plan for such products, instead of the "
    "one that it estimates to be the fastest.\n"
    "The file is a SQLite database: --file, else what TILEWISE_TUNED names, else "
    "~/.cache/tilewise/tuned.sqlite, which the library reads by itself.\n"
    "A plan counts for the same sizes, types, orders and alignment, on the same kind of GPU, with "
    "the same build of the library; all else is planned as always.\n"
    "Ctrl-C ends after the measurement at hand; what was finished is kept.\n\n"
    "Examples:\n"
    "  tilewise tune --m 64 --n 4096 --k 7168 --dtype bf16 --trans NT   one product\n"
    "  tilewise tune --suite shapes.csv --dtype f32 --mode accurate     those your program "
    "computes\n"
    "  tilewise tune --suite gpu --group skinny --missing               those without a plan yet\n"
    "  tilewise tune --list                                             what the file holds\n"
    "  tilewise tune --forget stale                                     plans of other builds "
    "go\n\n"
    "shapes.csv begins with the line group,trans_a,trans_b,m,n,k and has a line a product, such as "
    "mine,N,T,64,4096,7168.\n\n"
    "Exit codes: 0 done, 1 a plan computed a wrong result, 2 bad usage or a file that cannot be "
    "used, 3 no GPU.";

void print_now(const std::string& text) {
  print(text);
  flush_output();
}

// What throws in `use` names the file.
template <class Use> auto with_file(const std::string& path, Use&& use) {
  try {
    return use();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidInput) throw;
    throw Error(ErrorCode::kInvalidInput, fmt::format("tuned plans '{}': {}", path, error.what()));
  }
}

std::vector<gpu::TunedOn> here() {
  std::vector<gpu::TunedOn> all;
  for (const model::Gpu& gpu : device::cuda_devices()) all.push_back(gpu::tuned_on(gpu));
  return all;
}

int list(const TuneOptions& options) {
  const std::string path = tune_file(options);
  const gpu::TunedFile::Rows rows =
      with_file(path, [&] { return gpu::TunedFile::to_read(path).rows(); });
  print(fmt::format("{}\n\n{}", path, report::tuned_table(rows, here())));
  if (!options.json.empty()) write_file(options.json, report::tuned_json(rows, here()));
  return kDone;
}

// "stale": what this program cannot use on the GPU there is; without a GPU nobody can say what that is.
int forget(const TuneOptions& options) {
  const std::string path = tune_file(options);
  const std::vector<gpu::TunedOn> used = here();
  if (options.forget == "stale" && used.empty())
    throw Error(ErrorCode::kNoDevice, "--forget stale: no GPU here whose plans would be kept");
  const std::int64_t gone = with_file(path, [&] {
    gpu::TunedFile::to_read(path);  // one that is not there is not made
    gpu::TunedFile file = gpu::TunedFile::to_write(path);
    return options.forget == "all" ? file.forget() : file.forget(used.front());
  });
  print(fmt::format("{}: {} plan{} forgotten\n", path, gone, gone == 1 ? "" : "s"));
  return kDone;
}

std::string closing_words(const std::string& path) {
  const gpu::TunedPlace place = gpu::tuned_place(nullptr);
  std::error_code failure;
  const bool is_read =
      !place.path.empty() && std::filesystem::equivalent(place.path, path, failure);
  return fmt::format("Stored in {}: {}\n", path,
                     is_read ? "the library reads it"
                             : fmt::format("TILEWISE_TUNED={} makes the library read it", path));
}

int verdict(const bench::TuneReport& report) {
  for (const bench::TuneResult& result : report.results)
    if (result.is_tuned && !result.trouble.empty()) return kWrongResult;
  return kDone;
}

int tune(const TuneOptions& options) {
  const bench::TuneRequest request = tune_request(options);
  const std::string path = tune_file(options);
  const bool color = wants_color(options.color);
  GpuContext gpu =
      GpuContext::State::context_on(device::open(device::Choice::kCuda, ""), {.tuned_plans = ""});
  device::Device& device = device_of(gpu);
  const auto stream = device.create_stream();
  Interruption interruption;
  Progress progress;
  bench::TuneListener listener;
  listener.next = [&](std::size_t index, std::size_t count, const std::string& what) {
    progress.step(index, count, what);
  };
  listener.done = [&](const bench::TuneResult& result) {
    progress.clear();
    print_now(report::tuning_of(result, color) + "\n");
  };
  listener.stopped = [&] { return interruption.happened(); };

  bench::TuneReport report = with_file(path, [&] {
    gpu::TunedFile file = gpu::TunedFile::to_write(path);
    print_now(fmt::format("{}\n\n", device.description()));
    const auto clock = bench::device_clock(device, *stream, request.what.limits, request.what.seed);
    return bench::run_tune(gpu, *stream, file, request, *clock, listener);
  });
  progress.clear();
  report.context.file = path;
  if (!options.json.empty()) write_file(options.json, report::tuning_json(report));
  print_now(report::tuning_summary(report) + closing_words(path));
  interruption.pass_on();
  return verdict(report);
}

int run(const TuneOptions& options) {
  check_outputs({{"--json", options.json}}, {options.bench.suite});
  check_tune_options(options);
  if (options.list) return list(options);
  if (!options.forget.empty()) return forget(options);
  return tune(options);
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  const auto options = std::make_shared<TuneOptions>();
  CLI::App* command =
      app.add_subcommand("tune", "Measure which plan of a GPU product is fastest, and keep it");
  add_tune_options(*command, *options);
  command->footer(kExamples);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
