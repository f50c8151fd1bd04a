// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_options.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cli/arguments.hpp"
#include "cli/self.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 3> kDevices{"cpu", "cuda", "virtual"};
constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};
constexpr std::array<std::string_view, 4> kTranspositions{"NN", "NT", "TN", "TT"};
constexpr std::array kDtypes{Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16, Dtype::kS8};
constexpr std::array<std::string_view, 5> kCpuDtypes{"f32", "f64", "bf16", "f16", "s8"};

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

int parse_count(const std::string& name, const std::string& text) {
  return static_cast<int>(parse_whole(name, text, 1, 1'000'000));
}

std::int64_t parse_extent(const std::string& name, const std::string& text) {
  return parse_whole(name, text, 1, 1 << 30);
}

std::int64_t parse_batch(const std::string& name, const std::string& text) {
  return parse_whole(name, text, 1, 1 << 20);
}

double parse_positive(const std::string& name, const std::string& text) {
  const double value = parse_real(name, text);
  if (!(value > 0 && value <= 1e6)) {
    fail(fmt::format("{}: expected a number above 0, at most 1000000, got '{}'", name, text));
  }
  return value;
}

void add_problem(CLI::App& command, BenchOptions& o) {
  add(command, "--suite", "FILE.csv", o.suite,
      "What to measure: a file, or cpu, gpu (the defaults), batch or short, parts of the program",
      parse_path);
  add(command, "--group", "LIST", o.groups, "Only these groups of the suite", parse_name);
  add(command, "--m", "M", o.m, "Instead of a suite: rows of C, together with --n and --k",
      parse_extent);
  add(command, "--n", "N", o.n, "Columns of C", parse_extent);
  add(command, "--k", "K", o.k, "Columns of A and rows of B", parse_extent);
  add(command, "--trans", "LIST", o.trans, "NN, NT, TN, TT: which factors are transposed; else NN",
      parse_name);
  add(command, "--batch", "N", o.batch,
      "So many products of each shape, one behind the other; else what the suite says, or 1",
      parse_batch);
  add(command, "--dtype", "LIST", o.dtypes,
      "f32, f64, bf16, f16, s8; else f32,f64, on a GPU all but s8", parse_name);
  add(command, "--alpha", "X", o.scaling.alpha, "C = alpha A B + beta C; 1 unless given",
      parse_real);
  add(command, "--beta", "X", o.scaling.beta,
      "0 unless given; else every product adds to what C was", parse_real);
  add(command, "--seed", "N", o.seed, "Of the random matrices; 1 unless given",
      [](const std::string& name, const std::string& text) {
        return static_cast<std::uint64_t>(parse_whole(name, text));
      });
}

void add_running(CLI::App& command, BenchOptions& o) {
  add(command, "--device", "WHERE", o.device,
      "cpu (the default), cuda, or virtual: a GPU without times, for small shapes",
      [](const std::string& name, const std::string& text) {
        return parse_choice(name, text, kDevices);
      });
  add(command, "--peer", "LIST", o.peers,
      "openblas, blis, onednn, mkl, PATH, NAME=PATH; of a GPU cublas, cublaslt; or none. Else "
      "those "
      "that are installed",
      parse_name);
  add(command, "--threads", "N", o.threads, "1 unless given", parse_count);
  add(command, "--core", "LIST", o.cores, "Cores to run on; else the last ones", parse_name);
  add(command, "--repeat", "N", o.repeat,
      "Rounds a shape; else as many as --seconds allow, 10 to 100, on a GPU to 200", parse_count);
  add(command, "--seconds", "S", o.seconds,
      "Time for a shape and dtype; 1 unless given, on a GPU 0.4", parse_positive);
  add(command, "--burst", "MS", o.burst_ms, "A library's turn, or one product; 3 unless given",
      parse_positive);
  add(command, "--patience", "S", o.patience,
      "After which a library counts as hanging; 60 unless given", parse_positive);
}

void add_outputs(CLI::App& command, BenchOptions& o) {
  add(command, "--json", "FILE", o.json, "Write every figure as JSON", parse_path);
  add(command, "--csv", "FILE", o.csv, "Write a line a result as CSV", parse_path);
  add(command, "--html", "FILE", o.html, "Write a page with charts", parse_path);
  add(command, "--color", "WHEN", o.color,
      "always, never, or auto: on terminals unless NO_COLOR is set",
      [](const std::string& name, const std::string& text) {
        return parse_choice(name, text, kColors);
      });
}

// The cores that this program may use.
std::vector<int> allowed_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

// The last ones: the first take most interrupts.
std::vector<int> choose_cores(const BenchOptions& o) {
  const std::vector<int> allowed = allowed_cores();
  const auto threads = static_cast<std::size_t>(o.threads);
  if (threads > allowed.size()) {
    fail(fmt::format("--threads: expected at most the {} cores of this machine, got {}",
                     allowed.size(), o.threads));
  }
  if (o.cores.empty()) return {allowed.end() - o.threads, allowed.end()};
  std::vector<int> cores;
  for (const std::string& word : split_list(o.cores)) {
    const std::int64_t core = parse_whole("--core", word);
    if (std::ranges::find(allowed, core) == allowed.end()) {
      fail(fmt::format("--core: expected cores among {}, got {}", fmt::join(allowed, ","), core));
    }
    cores.push_back(static_cast<int>(core));
  }
  if (cores.size() != threads) {
    fail(fmt::format("--core: expected {} cores, one a thread, got '{}'", o.threads, o.cores));
  }
  return cores;
}

std::vector<bench::GemmShape> shapes_of_sizes(const BenchOptions& o) {
  if (!(o.m && o.n && o.k)) {
    fail(fmt::format("--m, --n and --k go together: {} is missing",
                     !o.m ? "--m" : (!o.n ? "--n" : "--k")));
  }
  if (!o.suite.empty()) fail("--suite and --m, --n, --k: give one or the other");
  if (!o.groups.empty()) fail("--group chooses from a suite; --m, --n and --k are none");
  std::vector<bench::GemmShape> shapes;
  for (const std::string& word : split_list(o.trans.empty() ? "NN" : o.trans)) {
    parse_choice("--trans", word, kTranspositions);
    shapes.push_back({"given", word[0] == 'T', word[1] == 'T', *o.m, *o.n, *o.k, 1});
  }
  return shapes;
}

std::vector<bench::GemmShape> shapes_of_suite(const BenchOptions& o) {
  if (!o.trans.empty()) fail("--trans goes with --m, --n and --k; a suite says it line by line");
  std::vector<bench::GemmShape> shapes = bench::load_suite(bench_suite_name(o));
  if (o.groups.empty()) return shapes;
  std::vector<std::string_view> names;
  for (const bench::GemmShape& shape : shapes) {
    if (std::ranges::find(names, shape.group) == names.end()) names.push_back(shape.group);
  }
  std::vector<bench::GemmShape> chosen;
  for (const std::string& group : split_list(o.groups)) {
    parse_choice("--group", group, names);
    std::ranges::copy_if(shapes, std::back_inserter(chosen),
                         [&](const bench::GemmShape& shape) { return shape.group == group; });
  }
  return chosen;
}

bool has_sizes(const BenchOptions& o) { return o.m || o.n || o.k; }

}  // namespace

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<Dtype> parse_dtypes(const std::string& list, std::span<const std::string_view> known) {
  std::vector<Dtype> dtypes;
  for (const std::string& word : split_list(list)) {
    parse_choice("--dtype", word, known);
    const Dtype dtype = *std::ranges::find(kDtypes, word, [](Dtype d) { return name_of(d); });
    if (std::ranges::find(dtypes, dtype) != dtypes.end()) {
      fail(fmt::format("--dtype: '{}' stands there twice", word));
    }
    dtypes.push_back(dtype);
  }
  return dtypes;
}

void check_scaling(const BenchOptions& o, std::span<const Dtype> dtypes) {
  for (const Dtype dtype : dtypes) {
    if (dtype == Dtype::kS8 && o.scaling != bench::Scaling{})
      fail(fmt::format("--dtype s8: goes with alpha 1 and beta 0, not {}",
                       bench::scaling_name(o.scaling)));
    const bench::Scaling taken = bench::rounded_to(o.scaling, dtype);
    if (!std::isfinite(taken.alpha) || !std::isfinite(taken.beta))
      fail(fmt::format("--dtype {}: takes alpha and beta in f32, which ends before {}",
                       name_of(dtype), bench::scaling_name(o.scaling)));
  }
}

std::vector<bench::GemmShape> bench_shapes(const BenchOptions& o) {
  std::vector<bench::GemmShape> shapes = has_sizes(o) ? shapes_of_sizes(o) : shapes_of_suite(o);
  if (o.batch)
    for (bench::GemmShape& shape : shapes) shape.batch = *o.batch;
  return shapes;
}

std::string bench_suite_name(const BenchOptions& o) {
  if (has_sizes(o)) return "command line";
  if (!o.suite.empty()) return o.suite;
  return o.device == "cpu" ? "cpu" : "gpu";
}

std::vector<OutputFile> BenchOptions::outputs() const {
  return {{"--json", json}, {"--csv", csv}, {"--html", html}};
}

void add_bench_options(CLI::App& command, BenchOptions& options) {
  add_problem(command, options);
  add_running(command, options);
  add_outputs(command, options);
}

bench::GemmRequest bench_request(const BenchOptions& o) {
  bench::GemmRequest request;
  for (const auto& [name, value] : {std::pair{"--mode", o.modes},
                                    {"--operands", o.operands},
                                    {"--result", o.result},
                                    {"--gpu", o.gpu}}) {
    if (!value.empty()) fail(fmt::format("{}: is for --device cuda or virtual, not cpu", name));
  }
  if (o.gap != 0) fail("--gap: is for --device cuda or virtual, not cpu");
  request.shapes = bench_shapes(o);
  request.suite = bench_suite_name(o);
  request.scaling = o.scaling;
  request.dtypes = parse_dtypes(o.dtypes.empty() ? "f32,f64" : o.dtypes, kCpuDtypes);
  check_scaling(o, request.dtypes);
  for (const bench::GemmShape& shape : request.shapes) {
    if (shape.batch != 1 && std::ranges::find(request.dtypes, Dtype::kS8) != request.dtypes.end())
      fail(fmt::format("--dtype s8: goes with single products, not {}", shape_name(shape)));
  }
  request.peers = o.peers.empty() ? bench::known_peers() : bench::parse_peers(o.peers);
  request.worker = {own_path(), "bench-worker"};
  request.threads = o.threads;
  request.cores = choose_cores(o);
  request.repeat = o.repeat;
  request.seconds = o.seconds > 0 ? o.seconds : 1;
  request.burst_seconds = o.burst_ms / 1e3;
  request.patience_seconds = o.patience;
  request.seed = o.seed;
  return request;
}

}  // namespace tilewise::cli
