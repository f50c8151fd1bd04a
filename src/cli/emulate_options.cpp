// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/emulate_options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <functional>

#include "cli/arguments.hpp"
#include "core/suggest.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 3> kNumerics{"sm80", "sm90", "f32"};
constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};
constexpr std::array<std::string_view, 5> kChecks{"races", "bounds", "uninitialized", "sync",
                                                  "partial-copies"};
constexpr std::int64_t kMostSharedBytes = 1 << 20;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

using Parse = std::function<void(const std::string&)>;

CLI::Option* add(CLI::App& command, const std::string& name, const std::string& type,
                 const std::string& help, Parse parse) {
  return command.add_option_function<std::string>(name, std::move(parse), help)->type_name(type);
}

// An option that may stand several times, one word each time.
void add_repeated(CLI::App& command, const std::string& name, const std::string& type,
                  const std::string& help, const Parse& parse) {
  command
      .add_option_function<std::vector<std::string>>(
          name,
          [parse](const std::vector<std::string>& words) {
            for (const std::string& word : words) parse(word);
          },
          help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void parse_async(EmulateOptions& o, const std::string& text) {
  constexpr std::string_view kRandom = "random:";
  if (text == "earliest") {
    o.async_order = vgpu::AsyncOrder::kEarliest;
  } else if (text == "soon") {
    o.async_order = vgpu::AsyncOrder::kSoon;
  } else if (text == "latest") {
    o.async_order = vgpu::AsyncOrder::kLatest;
  } else if (text == "random" || text.starts_with(kRandom)) {
    o.async_order = vgpu::AsyncOrder::kRandom;
    o.async_seed = text == "random" ? 1
                                    : static_cast<std::uint64_t>(parse_whole(
                                          "--async random", text.substr(kRandom.size())));
  } else {
    fail(fmt::format("--async: expected earliest, soon, latest or random:SEED, got '{}'", text));
  }
}

std::string parse_arch(const std::string& text) {
  const std::string_view digits =
      std::string_view(text).substr(std::min<std::size_t>(3, text.size()));
  const std::size_t end = digits.find_first_not_of("0123456789");
  const std::string_view rest = digits.substr(std::min(end, digits.size()));
  if (!text.starts_with("sm_") || digits.size() - rest.size() < 2 ||
      !(rest.empty() || rest == "a" || rest == "f")) {
    fail(fmt::format("--arch: expected an architecture such as sm_80, sm_90 or sm_90a, got '{}'",
                     text));
  }
  return text;
}

void add_launch(CLI::App& command, EmulateOptions& o) {
  add(command, "--kernel", "NAME",
      "The kernel: its name, with template arguments where it has any ('gemm<128, 8>')",
      [&o](const std::string& text) { o.kernel = parse_name("--kernel", text); })
      ->required();
  add(command, "--grid", "X[,Y[,Z]]", "Blocks of the grid", [&o](const std::string& text) {
    o.grid = parse_extents("--grid", text);
  })->required();
  add(command, "--block", "X[,Y[,Z]]", "Threads of a block", [&o](const std::string& text) {
    o.block = parse_extents("--block", text);
  })->required();
  add(command, "--cluster", "X[,Y[,Z]]", "Blocks of a cluster; else what the kernel asks for",
      [&o](const std::string& text) { o.cluster = parse_extents("--cluster", text); });
  add(command, "--shared", "BYTES", "Dynamic shared memory of a block; 0 unless given",
      [&o](const std::string& text) {
        const std::int64_t bytes = parse_whole("--shared", text);
        if (bytes > kMostSharedBytes) fail("--shared: no block has so much: " + text);
        o.shared_bytes = static_cast<std::uint32_t>(bytes);
      });
  add_repeated(command, "--arg", "TYPE:VALUE", "The kernel's arguments, one each time, in order",
               [&o](const std::string& text) {
                 o.arguments.push_back(parse_argument(text, o.arguments.size() + 1));
               });
}

void add_compiling(CLI::App& command, EmulateOptions& o) {
  add(command, "--arch", "SM", "Compile for it; else sm_90, or sm_90a where the source needs it",
      [&o](const std::string& text) { o.arch = parse_arch(text); });
  add_repeated(command, "--include", "DIR", "Look for headers there too; may stand several times",
               [&o](const std::string& text) {
                 o.include_folders.push_back(parse_path("--include", text));
               });
  add_repeated(
      command, "--define", "NAME=VALUE", "Define a macro; may stand several times",
      [&o](const std::string& text) { o.defines.push_back(parse_name("--define", text)); });
}

void add_running(CLI::App& command, EmulateOptions& o) {
  add(command, "--check", "LIST",
      "Look for mistakes: all, none, or some of races,bounds,uninitialized,sync; also "
      "partial-copies, which are right but memcheck reports; else none",
      [&o](const std::string& text) { o.checks = parse_checks(text); });
  add(command, "--async", "ORDER",
      "When asynchronous copies take effect: earliest, soon, latest or random:SEED; else soon",
      [&o](const std::string& text) { parse_async(o, text); });
  add(command, "--numerics", "WHOSE", "Tensor cores as of sm80, sm90 or f32; else the GPU's",
      [&o](const std::string& text) { o.numerics = parse_choice("--numerics", text, kNumerics); });
  add(command, "--keep", "DIR", "Write the PTX that ran, and its cubin, into this folder",
      [&o](const std::string& text) { o.keep = parse_path("--keep", text); });
  add(command, "--json", "FILE", "Write every figure as JSON",
      [&o](const std::string& text) { o.json = parse_path("--json", text); });
  add(command, "--color", "WHEN", "always, never, or auto: on terminals unless NO_COLOR is set",
      [&o](const std::string& text) { o.color = parse_choice("--color", text, kColors); });
}

}  // namespace

Dim3 parse_extents(const std::string& option, const std::string& text) {
  Dim3 dim;
  std::uint32_t* const parts[] = {&dim.x, &dim.y, &dim.z};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::uint32_t value = 0;
    const auto [stop, failed] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (failed != std::errc() || stop != text.data() + end || value == 0 || count == 3) {
      fail(fmt::format("{}: expected X, X,Y or X,Y,Z, each at least 1, got '{}'", option, text));
    }
    *parts[count++] = value;
    begin = end + 1;
  }
  return dim;
}

vgpu::Checks parse_checks(const std::string& text) {
  if (text == "all") return vgpu::Checks::all();
  vgpu::Checks checks;
  if (text == "none") return checks;
  bool* const members[] = {&checks.races, &checks.bounds, &checks.uninitialized, &checks.sync,
                           &checks.partial_copies};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = std::string_view(text).substr(begin, end - begin);
    bool known = false;
    for (std::size_t i = 0; i < kChecks.size(); ++i) {
      if (word == kChecks[i]) known = *members[i] = true;
    }
    if (!known) {
      fail(fmt::format("--check: expected all, none, or some of {}, got '{}'{}",
                       fmt::join(kChecks, ", "), word, did_you_mean(word, kChecks)));
    }
    begin = end + 1;
  }
  return checks;
}

void add_emulate_options(CLI::App& command, EmulateOptions& o) {
  add(command, "SOURCE", "", "A .cu or .ptx file", [&o](const std::string& text) {
    o.source = parse_path("SOURCE", text);
  })->required();
  add_launch(command, o);
  add_compiling(command, o);
  add_running(command, o);
}

}  // namespace tilewise::cli
