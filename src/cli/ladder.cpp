// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise ladder`: runs the rungs, checks, counts or times them, and writes what was asked for.
#include <fmt/format.h>

#include <memory>

#include "bench/cpu_ladder.hpp"
#include "bench/nsight.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/ladder_options.hpp"
#include "cli/self.hpp"
#include "cli/terminal.hpp"
#include "core/file.hpp"
#include "core/npy.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "model/gpu.hpp"
#include "report/report.hpp"

namespace tilewise::cli {
namespace {

constexpr std::int64_t kVirtualSize = 256;
constexpr std::int64_t kRealSize = 4096;
constexpr std::int64_t kCpuSize = 1024;
// Up to 512×512×512 a real GPU's rungs are counted on the virtual one too: seconds for the whole ladder.
constexpr std::int64_t kCountedProducts = std::int64_t{1} << 27;
constexpr std::string_view kDefaultGpu = "h200";

constexpr const char* kExamples =
    "Examples:\n"
    "  tilewise ladder\n"
    "  tilewise ladder --size 512 --rungs naive,tile_2d..final --html report.html\n"
    "  tilewise ladder --a A.npy --b B.npy --save-c C.npy\n"
    "  tilewise ladder --gpu rtx3090 --m 1000 --n 500 --k 300 --json result.json\n"
    "  tilewise ladder --device cuda --size 8192 --repeat 20 --counters\n"
    "  tilewise ladder --dtype bf16,f16 --size 512\n"
    "  tilewise ladder --device cpu --rungs registers..engine";

/// The matrices of --a and --b.
struct Inputs {
  npy::Array a, b;
  bool given = false;
};

Inputs read_inputs(const LadderOptions& options) {
  if (options.a.empty()) return {};
  Inputs inputs{npy::read(options.a), npy::read(options.b), true};
  if (inputs.a.columns != inputs.b.rows) {
    throw Error(
        ErrorCode::kInvalidInput,
        fmt::format("A ({}, {}×{}) and B ({}, {}×{}) do not multiply: A's columns must be as "
                    "many as B's rows",
                    options.a, inputs.a.rows, inputs.a.columns, options.b, inputs.b.rows,
                    inputs.b.columns));
  }
  return inputs;
}

// --gpu asks for the virtual GPU, also on a machine that has a real one.
std::unique_ptr<device::Device> open_device(const LadderOptions& options) {
  device::Choice choice = device::Choice::kAuto;
  if (options.device == "cuda") choice = device::Choice::kCuda;
  if (options.device == "virtual" || !options.gpu.empty()) choice = device::Choice::kVirtual;
  return device::open(choice, options.gpu.empty() ? kDefaultGpu : std::string_view(options.gpu));
}

// What only a real GPU can do was asked for, and --device auto found none.
void check_ability(const device::Device& device, const LadderOptions& options) {
  const std::string_view asked_for = options.counters ? "--counters"
                                     : options.repeat ? "--repeat"
                                     : options.rest   ? "--rest"
                                                      : "";
  if (!device.is_virtual() || asked_for.empty()) return;
  throw Error(ErrorCode::kNoDevice,
              fmt::format("{} needs a CUDA device: {}", asked_for, device::cuda_status()));
}

// The rungs that --rungs names. Names of the other ladder, where it has them all, get a hint.
std::vector<const kernels::Rung*> find_rungs(const LadderOptions& options) {
  const std::span<const kernels::Rung> gpu = kernels::ladder(), cpu = bench::cpu_ladder();
  const bool on_cpu = options.device == "cpu";
  try {
    return kernels::select_rungs(options.rungs, on_cpu ? cpu : gpu);
  } catch (const Error& error) {
    try {
      kernels::select_rungs(options.rungs, on_cpu ? gpu : cpu);
    } catch (const Error&) {
      throw error;
    }
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("--rungs {}: that is on the {}", options.rungs,
                            on_cpu ? "GPU's ladder: --device auto, cuda or virtual"
                                   : "CPU's ladder: --device cpu"));
  }
}

// All rungs, unless named; without kernels in this build, those that need none.
std::vector<const kernels::Rung*> choose_rungs(const LadderOptions& options) {
  std::vector<const kernels::Rung*> rungs = find_rungs(options);
  if (options.rungs.empty() && kernels::images().empty()) {
    std::erase_if(rungs, [](const kernels::Rung* rung) { return !rung->on_cpu; });
  }
  if (!options.dtypes.empty()) {
    rungs = kernels::select_dtypes(std::move(rungs), options.dtypes);
  }
  return rungs;
}

// Takes out the rungs that the device has no instructions for, and returns their names. Those asked for
// by name stay, and running them says what they lack.
std::vector<std::string_view> leave_out(std::vector<const kernels::Rung*>& rungs,
                                        const device::Device& device,
                                        const LadderOptions& options) {
  const model::Gpu& gpu = device.gpu();
  std::vector<std::string_view> names;
  if (!options.rungs.empty()) return names;
  std::erase_if(rungs, [&](const kernels::Rung* rung) {
    const bool cannot = !kernels::can_run_on(*rung, gpu.compute_major, gpu.compute_minor);
    if (cannot) names.push_back(rung->name);
    return cannot;
  });
  return names;
}

bench::LadderRequest make_request(const LadderOptions& options, const Inputs& inputs,
                                  std::int64_t default_size,
                                  std::vector<const kernels::Rung*> rungs) {
  bench::LadderRequest request;
  const std::int64_t size = options.size.value_or(default_size);
  request.m = options.m.value_or(size);
  request.n = options.n.value_or(size);
  request.k = options.k.value_or(size);
  if (inputs.given) {
    request.m = inputs.a.rows;
    request.n = inputs.b.columns;
    request.k = inputs.a.columns;
    request.a = &inputs.a;
    request.b = &inputs.b;
  }
  request.alpha = options.alpha;
  request.beta = options.beta;
  request.seed = options.seed;
  request.repeat = options.repeat.value_or(0);
  request.rest_ms = options.rest.value_or(0);
  request.count_up_to = kCountedProducts;
  request.rungs = std::move(rungs);
  request.keep_c = !options.save_c.empty();
  return request;
}

// `device` is nullptr for the CPU's ladder.
bench::LadderResult climb(device::Device* device, const bench::LadderRequest& request,
                          const LadderOptions& options) {
  Progress line;
  const bench::LadderProgress progress = [&](std::size_t index, std::size_t count,
                                             const kernels::Rung* next) {
    line.step(index, count, next ? next->name : std::string_view());
  };
  bench::LadderResult result = device ? bench::run_ladder(*device, request, progress)
                                      : bench::run_cpu_ladder(request, progress);
  result.context.a_file = options.a;
  result.context.b_file = options.b;
  return result;
}

// This program again, told to launch each rung once: the command line that ncu profiles.
std::vector<std::string> profiled_command(const bench::LadderRequest& request) {
  std::vector<std::string_view> names;
  for (const kernels::Rung* rung : request.rungs) names.push_back(rung->name);
  return {own_path(),     "ladder",
          "--device",     "cuda",
          "--m",          std::to_string(request.m),
          "--n",          std::to_string(request.n),
          "--k",          std::to_string(request.k),
          "--alpha",      fmt::format("{}", request.alpha),
          "--beta",       fmt::format("{}", request.beta),
          "--seed",       std::to_string(request.seed),
          "--rungs",      fmt::format("{}", fmt::join(names, ",")),
          "--launch-once"};
}

/// Nsight Compute, found and asked for its metrics before the long run begins.
struct CounterReader {
  bench::Nsight nsight;
  std::vector<bench::MetricChoice> choices = bench::ladder_metrics(nsight.query_metrics());

  void read(bench::LadderResult& result, const bench::LadderRequest& request) const {
    bench::add_hardware_counters(
        result, choices, nsight.profile(profiled_command(request), bench::metrics_of(choices)));
  }
};

void write_outputs(const bench::LadderResult& result, const LadderOptions& options) {
  if (!options.json.empty()) write_file(options.json, report::ladder_json(result));
  if (!options.csv.empty()) write_file(options.csv, report::ladder_csv(result));
  if (!options.html.empty()) write_file(options.html, report::ladder_html(result));
  if (!options.save_c.empty()) npy::write(options.save_c, result.c);
}

int verdict(const bench::LadderResult& result) {
  std::vector<std::string_view> wrong;
  for (const bench::RungResult& rung : result.rungs) {
    if (!rung.verified) wrong.push_back(rung.rung->name);
  }
  if (wrong.empty()) return kDone;
  complain(fmt::format("{} of {} rungs gave a wrong result: {}", wrong.size(), result.rungs.size(),
                       fmt::join(wrong, ", ")));
  return kWrongResult;
}

// Writes the files, prints the table, returns the exit code.
int show(const bench::LadderResult& result, const LadderOptions& options) {
  write_outputs(result, options);
  print(report::ladder_table(result, table_columns(), wants_color(options.color)));
  return verdict(result);
}

int run(const LadderOptions& options) {
  // Everything that can be wrong with the command line shows before anything runs.
  check_combinations(options);
  std::vector<const kernels::Rung*> rungs = choose_rungs(options);
  if (!options.gpu.empty()) model::find_gpu(options.gpu);
  const Inputs inputs = read_inputs(options);
  check_outputs(options.outputs(), {options.a, options.b});

  if (options.device == "cpu") {
    const auto request = make_request(options, inputs, kCpuSize, std::move(rungs));
    return show(climb(nullptr, request, options), options);
  }
  const std::unique_ptr<device::Device> device = open_device(options);
  check_ability(*device, options);
  const std::vector<std::string_view> left_out = leave_out(rungs, *device, options);
  const bench::LadderRequest request = make_request(
      options, inputs, device->is_virtual() ? kVirtualSize : kRealSize, std::move(rungs));
  if (options.launch_once) {
    bench::launch_each_once(*device, request);
    return kDone;
  }
  std::optional<CounterReader> counters;
  if (options.counters) counters.emplace();

  bench::LadderResult result = climb(device.get(), request, options);
  if (counters) counters->read(result, request);
  const int code = show(result, options);
  if (kernels::images().empty() && options.rungs.empty()) {
    complain("this build has no GPU kernels (nvcc was missing): only the host's rungs ran");
  } else if (!left_out.empty()) {
    complain(fmt::format("{} has no instructions for {}: left out", device->gpu().name,
                         fmt::join(left_out, ", ")));
  }
  return code;
}

}  // namespace

void add_ladder(CLI::App& app, Action& action) {
  const auto options = std::make_shared<LadderOptions>();
  CLI::App* command = app.add_subcommand(
      "ladder", "Run every step of GEMM optimisation: verified, measured, explained");
  add_ladder_options(*command, *options);
  command->footer(kExamples);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
