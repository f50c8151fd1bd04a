// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "core/suggest.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// "tilewise golden check"
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent ? full_name(*parent) + " " + app.get_name() : app.get_name();
}

// Hidden ones stand in no group: they are never suggested.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return did_you_mean(word, candidates);
}

// What CLI11 could not place: an unknown option, an unknown subcommand, or a word too many.
void reject_unknown(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (word.starts_with("-") && word.size() > 1) {
      const std::string option = word.substr(0, word.find('='));
      fail(fmt::format("unknown option '{}' of '{}'{}", option, full_name(app),
                       suggestion(option, option_names(app))));
    }
    const std::vector<std::string> names = subcommand_names(app);
    if (!names.empty() && app.get_subcommands().empty()) {
      fail(fmt::format("'{}' has no subcommand '{}'; there are: {}{}", full_name(app), word,
                       fmt::join(names, ", "), suggestion(word, names)));
    }
    fail(fmt::format("'{}' takes no argument '{}'; see '{} --help'", full_name(app), word,
                     full_name(app)));
  }
  for (const CLI::App* command : app.get_subcommands()) reject_unknown(*command);
}

// A subcommand with options of its own (besides --help) does something without a further one.
bool works_alone(const CLI::App& app) { return app.get_parent() && app.get_options().size() > 1; }

void require_subcommand(const CLI::App& app) {
  const std::vector<std::string> names = subcommand_names(app);
  if (names.empty() || (app.get_subcommands().empty() && works_alone(app))) return;
  if (app.get_subcommands().empty()) {
    fail(fmt::format("'{}' needs a subcommand: {}; see '{} --help'", full_name(app),
                     fmt::join(names, ", "), full_name(app)));
  }
  require_subcommand(*app.get_subcommands().front());
}

// Unknown words are collected, to be rejected with a suggestion; one subcommand at a time.
void prepare(CLI::App& app) {
  app.allow_extras();
  app.require_subcommand(0, 1);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    prepare(*command);
  }
}

// A word of its own: not nothing, and not the next option.
std::string parse_word(std::string_view option, const std::string& text,
                       std::string_view expected) {
  if (text.empty() || text.starts_with("--")) {
    fail(fmt::format("{}: expected {}, got '{}'", option, expected, text));
  }
  return text;
}

template <typename Number> std::optional<Number> number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  prepare(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {  // --help, --version
    return app.exit(answered);
  } catch (const CLI::ParseError& error) {
    fail(error.what());
  }
  reject_unknown(app);
  require_subcommand(app);
  return std::nullopt;
}

std::int64_t parse_whole(std::string_view option, const std::string& text, std::int64_t least,
                         std::int64_t most) {
  const std::optional<std::int64_t> value = number<std::int64_t>(text);
  if (!value || *value < least || *value > most) {
    fail(fmt::format("{}: expected a whole number from {} to {}, got '{}'", option, least, most,
                     text));
  }
  return *value;
}

double parse_real(std::string_view option, const std::string& text) {
  const std::optional<double> value = number<double>(text);
  if (!value || !std::isfinite(*value)) {
    fail(fmt::format("{}: expected a finite number, got '{}'", option, text));
  }
  return *value;
}

std::string parse_choice(std::string_view option, const std::string& text,
                         std::span<const std::string_view> choices) {
  for (const std::string_view choice : choices) {
    if (choice == text) return text;
  }
  fail(fmt::format("{}: expected {}, got '{}'{}", option, fmt::join(choices, ", "), text,
                   did_you_mean(text, choices)));
}

std::string parse_path(std::string_view option, const std::string& text) {
  return parse_word(option, text, "a file name");
}

std::string parse_name(std::string_view option, const std::string& text) {
  return parse_word(option, text, "a name");
}

}  // namespace tilewise::cli
