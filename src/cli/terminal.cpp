// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "report/format.hpp"

namespace tilewise::cli {
namespace {

constexpr int kWidest = 100;

bool set_and_not_empty(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

// A terminal that understands escape sequences.
bool is_capable_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) && !(kind && std::string_view(kind) == "dumb");
}

}  // namespace

int table_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidest;
  return std::min<int>(kWidest, size.ws_col);
}

bool wants_color(std::string_view choice) {
  if (choice != "auto") return choice == "always";
  return is_capable_terminal(STDOUT_FILENO) && !set_and_not_empty("NO_COLOR");
}

Progress::Progress()
    : shown_(is_capable_terminal(STDERR_FILENO)), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::step(std::size_t index, std::size_t count, std::string_view name) {
  if (!shown_ || index >= count) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string line = fmt::format("[{:>2}/{}] {}", index + 1, count, name);
  if (index > 0) {
    const double each = seconds / static_cast<double>(index);
    line += fmt::format("  {} so far, about {} left", report::duration_text(seconds),
                        report::duration_text(each * static_cast<double>(count - index)));
  }
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace tilewise::cli
