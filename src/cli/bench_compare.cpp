// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise bench compare OLD.json NEW.json`: what became slower?
#include "cli/bench_compare.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "bench/compare.hpp"
#include "cli/arguments.hpp"
#include "cli/exit.hpp"
#include "cli/terminal.hpp"
#include "core/file.hpp"
#include "report/bench.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};
constexpr double kNoisePercent = 5;  // shared machines drift by this much between runs

struct CompareOptions {
  std::string before, after, color = "auto";
  double noise = kNoisePercent;
};

double parse_percent(const std::string& text) {
  const double value = parse_real("--noise", text);
  if (value < 0 || value > 1000) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("--noise: expected percent from 0 to 1000, got '{}'", text));
  }
  return value;
}

int run(const CompareOptions& options) {
  const bench::ComparedFile before =
      report::read_bench_json(read_file(options.before), options.before);
  const bench::ComparedFile after =
      report::read_bench_json(read_file(options.after), options.after);
  const bench::Comparison comparison = bench::compare(before, after, options.noise);
  if (comparison.mean_ratio == 0) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("{} and {} have no shape in common", options.before, options.after));
  }
  print(report::comparison_table(comparison, wants_color(options.color)));
  return comparison.slower > 0 ? kWrongResult : kDone;
}

}  // namespace

void add_bench_compare(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      bench.add_subcommand("compare", "Two JSON files of 'tilewise bench': what became slower?");
  command->add_option("OLD.json", options->before, "The measurement before")->required();
  command->add_option("NEW.json", options->after, "The measurement after")->required();
  command
      ->add_option_function<std::string>(
          "--noise", [options](const std::string& text) { options->noise = parse_percent(text); },
          "Changes up to this are never flagged; 5 unless given. Spreads may ask for more")
      ->type_name("PERCENT");
  command
      ->add_option_function<std::string>(
          "--color",
          [options](const std::string& text) {
            options->color = parse_choice("--color", text, kColors);
          },
          "always, never, or auto: on terminals unless NO_COLOR is set")
      ->type_name("WHEN");
  command->footer("Exit codes: 0 nothing became slower, 1 something did, 2 a file is malformed.");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
