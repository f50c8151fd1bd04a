// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_options.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>

#include "cli/arguments.hpp"
#include "cli/outputs.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 4> kDevices{"auto", "cpu", "cuda", "virtual"};
constexpr std::array<std::string_view, 5> kDtypes{"f32", "f64", "f16", "bf16", "s8"};
constexpr std::array<std::string_view, 2> kOutDtypes{"f16", "f32"};
constexpr std::int64_t kMostThreads = 4096;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

using Parse = std::function<void(const std::string& text)>;

CLI::Option* add(CLI::App& command, const std::string& name, const std::string& type,
                 const std::string& help, Parse parse) {
  return command.add_option_function<std::string>(name, std::move(parse), help)->type_name(type);
}

template <std::size_t Count>
Parse choice(const std::string& name, std::string& value,
             const std::array<std::string_view, Count>& choices) {
  return
      [=, &value, &choices](const std::string& text) { value = parse_choice(name, text, choices); };
}

Parse path(const std::string& name, std::string& value) {
  return [=, &value](const std::string& text) { value = parse_path(name, text); };
}

void add_files(CLI::App& command, GemmCommand& o) {
  add(command, "A", "", "Matrix A, a .npy file of f16, f32, f64, s8, u8 or s32", path("A", o.a))
      ->required();
  add(command, "B", "", "Matrix B", path("B", o.b))->required();
  add(command, "-o,--output", "C.npy", "Where the product goes", path("--output", o.output))
      ->required();
  add(command, "--c", "C0.npy", "The C of beta·C; may be the output file", path("--c", o.c0));
  add(command, "--json", "FILE", "Write sizes, time and verdict as JSON", path("--json", o.json));
}

void add_problem(CLI::App& command, GemmCommand& o) {
  add(command, "--alpha", "X", "C = alpha·A·B + beta·C0; 1 unless given",
      [&o](const std::string& text) { o.alpha = parse_real("--alpha", text); });
  add(command, "--beta", "X", "With --c; 1 unless given",
      [&o](const std::string& text) { o.beta = parse_real("--beta", text); });
  command.add_flag("--trans-a", o.trans_a, "Multiply by the transpose of A");
  command.add_flag("--trans-b", o.trans_b, "Multiply by the transpose of B");
  add(command, "--dtype", "TYPE",
      "What A and B are multiplied as: f32, f64, f16, bf16 or s8; else the files' type",
      choice("--dtype", o.dtype, kDtypes));
  add(command, "--out-dtype", "TYPE", "Of C after f16: f32 (unless given) or f16",
      choice("--out-dtype", o.out_dtype, kOutDtypes));
}

void add_run(CLI::App& command, GemmCommand& o) {
  add(command, "--device", "WHERE", "auto or cpu; cuda and virtual are not supported yet",
      choice("--device", o.device, kDevices));
  add(command, "--threads", "N", "At most so many; else every core this process may run on",
      [&o](const std::string& text) {
        const std::int64_t value = parse_whole("--threads", text, 1);
        if (value > kMostThreads) {
          fail(fmt::format("--threads: expected at most {}, got '{}'", kMostThreads, text));
        }
        o.threads = static_cast<int>(value);
      });
  command.add_flag("--verify", o.verify,
                   "Check C before it is written: every element of a small one, a large one by a "
                   "product with a vector");
  add(command, "--blocks", "RxC", "", [&o](const std::string& text) {
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos) fail("--blocks: expected ROWSxCOLUMNS");
    o.blocks = Blocks{parse_whole("--blocks", text.substr(0, cross), 1),
                      parse_whole("--blocks", text.substr(cross + 1), 1)};
  })->group("");
}

}  // namespace

void add_gemm_options(CLI::App& command, GemmCommand& options) {
  add_files(command, options);
  add_problem(command, options);
  add_run(command, options);
}

void check_combinations(const GemmCommand& options) {
  if (options.device == "cuda" || options.device == "virtual") {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("--device {}: the library has no GPU engine yet; use --device cpu",
                            options.device));
  }
  if (options.beta.value_or(0) != 0 && options.c0.empty()) {
    fail(fmt::format("--beta {} scales the matrix of --c: --c is missing", *options.beta));
  }
  if (options.beta == 0.0 && !options.c0.empty()) {
    fail("--beta 0 does not read the matrix of --c: leave one of them out");
  }
  // A and B are read to the end while C is written; C0 may make way for C.
  check_outputs({{"--output", options.output}, {"--json", options.json}}, {options.a, options.b});
  check_outputs({{"--json", options.json}}, {options.c0});
}

}  // namespace tilewise::cli
