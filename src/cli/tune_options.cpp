// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_options.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/arguments.hpp"
#include "cli/bench_gpu.hpp"
#include "gemm/gpu/tuned_load.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 2> kResults{"f32", "same"};
constexpr std::array<std::string_view, 2> kForgets{"all", "stale"};
constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};
constexpr std::int64_t kMostExtent = 1 << 30;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// An option whose word `parse` turns into a value.
template <typename Value, typename Parse>
void add(CLI::App& command, const std::string& name, const std::string& type, Value& value,
         const std::string& words, Parse parse) {
  command
      .add_option_function<std::string>(
          name, [name, &value, parse](const std::string& text) { value = parse(name, text); },
          words)
      ->type_name(type);
}

auto extent_from(std::int64_t least, std::int64_t most) {
  return [=](const std::string& name, const std::string& text) {
    return parse_whole(name, text, least, most);
  };
}

template <std::size_t count> auto one_of(const std::array<std::string_view, count>& choices) {
  return [&choices](const std::string& name, const std::string& text) {
    return parse_choice(name, text, choices);
  };
}

void add_products(CLI::App& command, TuneOptions& o) {
  BenchOptions& b = o.bench;
  add(command, "--m", "M", b.m, "Rows of C", extent_from(1, kMostExtent));
  add(command, "--n", "N", b.n, "Columns of C", extent_from(1, kMostExtent));
  add(command, "--k", "K", b.k, "Columns of A and rows of B", extent_from(1, kMostExtent));
  add(command, "--trans", "LIST", b.trans,
      "NN, NT, TN, TT: which factors are transposed, C row-major; else NN",
      [](const std::string& name, const std::string& text) {
        std::string list = parse_name(name, text);
        for (char& c : list)
          c = c == 'n' ? 'N' : c == 't' ? 'T' : c;  // as `tilewise plan` has them
        return list;
      });
  add(command, "--suite", "FILE.csv", b.suite,
      "Instead of one product: a file with many, or gpu, batch or short, parts of the program",
      parse_path);
  add(command, "--group", "LIST", b.groups, "Only these groups of the suite", parse_name);
  add(command, "--dtype", "LIST", b.dtypes, "Of A and B: f32 (the default), f64, bf16, f16",
      parse_name);
  add(command, "--mode", "LIST", b.modes, "Of f32: ieee (the default), accurate, tf32", parse_name);
  add(command, "--result", "DTYPE", b.result,
      "C of 16-bit floats: f32 (the default), or same as theirs", one_of(kResults));
  add(command, "--batch", "N", b.batch, "So many products of each shape, one behind the other",
      extent_from(1, 1 << 20));
  add(command, "--gap", "N", b.gap, "Unused elements between the rows of A, B and C; else none",
      extent_from(0, 1 << 20));
}

void add_running(CLI::App& command, TuneOptions& o) {
  add(command, "--device", "WHERE", o.device, "cuda, the only one that has times to take",
      [](const std::string& name, const std::string& text) {
        if (text == "virtual") fail("--device: the virtual GPU takes no times; expected cuda");
        if (text != "cuda") fail(fmt::format("{}: expected cuda, got '{}'", name, text));
        return text;
      });
  add(command, "--seconds", "S", o.bench.seconds,
      "Of rounds: so long for the fastest plans, and again for the last two; 0.2 unless given",
      [](const std::string& name, const std::string& text) {
        const double value = parse_real(name, text);
        if (value > 0 && value <= 1e6) return value;
        fail(fmt::format("{}: expected a number above 0, at most 1000000, got '{}'", name, text));
      });
  add(command, "--repeat", "N", o.bench.repeat,
      "Rounds; else as many as --seconds allow, 10 to 200",
      [](const std::string& name, const std::string& text) {
        return static_cast<int>(extent_from(1, 1'000'000)(name, text));
      });
  command.add_flag("--missing", o.missing, "Only products that have no plan in the file yet");
}

void add_file(CLI::App& command, TuneOptions& o) {
  add(command, "--file", "PATH", o.file, "Where plans are kept", parse_path);
  command.add_flag("--list", o.list, "Shows what the file holds, and tunes nothing");
  add(command, "--forget", "WHICH", o.forget,
      "Takes plans out of the file: all, or stale: of other GPUs and other builds",
      one_of(kForgets));
  add(command, "--json", "FILE", o.json, "Write every figure as JSON", parse_path);
  add(command, "--color", "WHEN", o.color,
      "always, never, or auto: on terminals unless NO_COLOR is set", one_of(kColors));
}

bool has_products(const BenchOptions& b) { return b.m || b.n || b.k || !b.suite.empty(); }

}  // namespace

void add_tune_options(CLI::App& command, TuneOptions& options) {
  options.bench.device = "cuda";
  add_products(command, options);
  add_running(command, options);
  add_file(command, options);
}

void check_tune_options(const TuneOptions& o) {
  if (o.list && !o.forget.empty()) fail("--list and --forget: give one or the other");
  const bool only_looks = o.list || !o.forget.empty();
  const char* const what = o.list ? "--list" : "--forget";
  if (only_looks && (has_products(o.bench) || o.missing))
    fail(fmt::format("{}: is about the whole file; expected no products beside it", what));
  if (!o.forget.empty() && !o.json.empty()) fail("--json: goes with tuning and with --list");
  if (only_looks || has_products(o.bench)) return;
  fail("which products? Expected --m, --n and --k, or --suite; see 'tilewise tune --help'");
}

bench::TuneRequest tune_request(const TuneOptions& o) {
  constexpr double kSeconds = 0.2;
  BenchOptions what = o.bench;
  if (what.dtypes.empty()) what.dtypes = "f32";
  if (what.modes.empty()) what.modes = "ieee";
  if (what.seconds <= 0) what.seconds = kSeconds;
  return {bench_gpu_request(what), o.missing};
}

std::string tune_file(const TuneOptions& o) {
  if (!o.file.empty()) return o.file;
  const gpu::TunedPlace place = gpu::tuned_place(nullptr);
  if (!place.path.empty()) return place.path;
  fail(
      "--file: expected where plans are kept, as TILEWISE_TUNED is 'none' or there is no home "
      "folder");
}

}  // namespace tilewise::cli
