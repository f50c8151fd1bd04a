// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/ladder_options.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>

#include "cli/arguments.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 4> kDevices{"auto", "cuda", "virtual", "cpu"};
constexpr std::int64_t kLongestRest = 10000;  // milliseconds
constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// An option whose word `parse` turns into a value.
template <typename Value, typename Parse>
void add(CLI::App& command, const std::string& name, const std::string& type, Value& value,
         const std::string& help, Parse parse) {
  command
      .add_option_function<std::string>(
          name, [name, &value, parse](const std::string& text) { value = parse(name, text); }, help)
      ->type_name(type);
}

void add_problem(CLI::App& command, LadderOptions& o) {
  const auto whole = [](const std::string& name, const std::string& text) {
    return parse_whole(name, text);
  };
  add(command, "--size", "N", o.size,
      "m = n = k = N; else 256 (virtual GPU), 4096 (real one), 1024 (CPU)", whole);
  add(command, "--m", "M", o.m, "Rows of C, together with --n and --k", whole);
  add(command, "--n", "N", o.n, "Columns of C", whole);
  add(command, "--k", "K", o.k, "Columns of A and rows of B", whole);
  add(command, "--a", "A.npy", o.a, "Matrix A (f16, f32 or f64), together with --b", parse_path);
  add(command, "--b", "B.npy", o.b, "Matrix B", parse_path);
  add(command, "--alpha", "X", o.alpha, "C = alpha·A·B + beta·C; 1 unless given", parse_real);
  add(command, "--beta", "X", o.beta, "0 unless given", parse_real);
  add(command, "--seed", "N", o.seed, "Of the random matrices; 1 unless given",
      [](const std::string& name, const std::string& text) {
        return static_cast<std::uint64_t>(parse_whole(name, text));
      });
}

void add_device(CLI::App& command, LadderOptions& o) {
  add(command, "--device", "WHERE", o.device,
      "auto (a GPU, real or virtual), cuda, virtual, or cpu: its own ladder",
      [](const std::string& name, const std::string& text) {
        return parse_choice(name, text, kDevices);
      });
  add(command, "--gpu", "KEY", o.gpu,
      "What the virtual GPU plays (see 'tilewise devices'); else h200", parse_name);
  add(command, "--rungs", "LIST", o.rungs, "Names and ranges: a,b,first..last; else all",
      parse_name);
  add(command, "--dtype", "LIST", o.dtypes, "Only rungs in f16, bf16, tf32, f32, f64; else all",
      parse_name);
  add(command, "--repeat", "N", o.repeat, "Timed runs a rung on a real GPU or the CPU",
      [](const std::string& name, const std::string& text) {
        const std::int64_t value = parse_whole(name, text, 1);
        if (value > std::numeric_limits<int>::max()) fail(name + ": too many: " + text);
        return static_cast<int>(value);
      });
  add(command, "--rest", "MS", o.rest, "Idle a real GPU so long before each timed run",
      [](const std::string& name, const std::string& text) {
        const std::int64_t value = parse_whole(name, text, 1);
        if (value > kLongestRest) fail(fmt::format("{}: at most {}: {}", name, kLongestRest, text));
        return static_cast<int>(value);
      });
  command.add_flag("--counters", o.counters,
                   "Also read a real GPU's counters, through Nsight Compute's ncu");
  command.add_flag("--launch-once", o.launch_once)->group("");
}

void add_outputs(CLI::App& command, LadderOptions& o) {
  add(command, "--json", "FILE", o.json, "Write every figure as JSON", parse_path);
  add(command, "--csv", "FILE", o.csv, "Write a line a rung as CSV", parse_path);
  add(command, "--html", "FILE", o.html, "Write a page with tables and charts", parse_path);
  add(command, "--save-c", "C.npy", o.save_c, "Write the last rung's result", parse_path);
  add(command, "--color", "WHEN", o.color,
      "always, never, or auto: on terminals unless NO_COLOR is set",
      [](const std::string& name, const std::string& text) {
        return parse_choice(name, text, kColors);
      });
}

void check_sizes(const LadderOptions& o) {
  const bool any_extent = o.m || o.n || o.k;
  if (o.size && any_extent) {
    fail("--size sets m, n and k at once: give either --size or --m, --n and --k");
  }
  if (any_extent && !(o.m && o.n && o.k)) {
    fail(fmt::format("--m, --n and --k go together: {} is missing",
                     !o.m ? "--m" : (!o.n ? "--n" : "--k")));
  }
  if (o.a.empty() != o.b.empty()) {
    fail(o.a.empty() ? "--b needs --a: both matrices come from files, or none"
                     : "--a needs --b: both matrices come from files, or none");
  }
  if (!o.a.empty() && (o.size || any_extent)) {
    fail(fmt::format("{}: the sizes are those of the files of --a and --b",
                     o.size ? "--size" : "--m, --n, --k"));
  }
}

void check_device(const LadderOptions& o) {
  if (o.device == "cuda" && !o.gpu.empty()) {
    fail(
        fmt::format("--gpu {} chooses what the virtual GPU plays; --device cuda is the GPU of this "
                    "machine",
                    o.gpu));
  }
  if (o.device == "cpu" && !o.gpu.empty()) {
    fail(fmt::format("--gpu {} chooses what the virtual GPU plays; --device cpu runs without one",
                     o.gpu));
  }
  if (o.device == "cpu" && (o.counters || o.launch_once)) {
    fail("--counters reads a real GPU; --device cpu runs without one");
  }
  if (o.device == "cpu" && o.rest) {
    fail("--rest idles a real GPU; --device cpu runs without one");
  }
  const bool is_virtual = o.device == "virtual" || !o.gpu.empty();
  if (is_virtual && o.counters) {
    fail("--counters reads a real GPU; the virtual GPU counts always: leave it out");
  }
  if (is_virtual && o.repeat) {
    fail("--repeat sets the timed runs on a real GPU; the virtual GPU counts and is not timed");
  }
  if (is_virtual && o.rest) {
    fail("--rest idles a real GPU; the virtual GPU counts and is not timed");
  }
}

}  // namespace

std::vector<OutputFile> LadderOptions::outputs() const {
  return {{"--json", json}, {"--csv", csv}, {"--html", html}, {"--save-c", save_c}};
}

void add_ladder_options(CLI::App& command, LadderOptions& options) {
  add_device(command, options);
  add_problem(command, options);
  add_outputs(command, options);
}

void check_combinations(const LadderOptions& options) {
  check_sizes(options);
  check_device(options);
}

}  // namespace tilewise::cli
