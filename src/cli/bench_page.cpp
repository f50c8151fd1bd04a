// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise bench page FILE.json PAGE.html`: the page of a run of which only the figures are there.
#include "cli/bench_page.hpp"

#include <memory>

#include "cli/exit.hpp"
#include "cli/outputs.hpp"
#include "core/file.hpp"
#include "report/bench.hpp"

namespace tilewise::cli {

void add_bench_page(CLI::App& bench, Action& action) {
  struct PageOptions {
    std::string json, html;
  };
  const auto options = std::make_shared<PageOptions>();
  CLI::App* command = bench.add_subcommand(
      "page", "A JSON file of 'tilewise bench', from the CPU or a GPU, as a page with charts");
  command->add_option("FILE.json", options->json, "The measurement")->required();
  command->add_option("PAGE.html", options->html, "The page to write")->required();
  command->callback([options, &action] {
    action = [options] {
      check_outputs({{"PAGE.html", options->html}}, {options->json});
      write_file(options->html, report::bench_html(read_file(options->json), options->json));
      return kDone;
    };
  });
}

}  // namespace tilewise::cli
