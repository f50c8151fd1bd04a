// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "../core/temporary_folder.hpp"
#include "kernels/images.hpp"

namespace tilewise::test {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// In the child: becomes the program. Does not return.
[[noreturn]] void become(const std::vector<std::string>& arguments,
                         const Environment& environment) {
  ::unsetenv("NO_COLOR");
  ::unsetenv("TILEWISE_NCU");
  ::setenv("TILEWISE_TUNED", "none", 1);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words{const_cast<char*>("tilewise")};
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  ::execv(TILEWISE_BINARY, words.data());
  ::_exit(127);
}

void redirect(int descriptor, const std::string& file) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

Outcome run_with_files(const std::string& out, const std::string& err,
                       const std::vector<std::string>& arguments, const Environment& environment) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    redirect(STDOUT_FILENO, out);
    redirect(STDERR_FILENO, err);
    become(arguments, environment);
  }
  return {wait_for(child), {}, {}};
}

}  // namespace

Outcome run(const std::vector<std::string>& arguments, const Environment& environment) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  Outcome outcome = run_with_files(out, err, arguments, environment);
  outcome.out = contents(out);
  outcome.err = contents(err);
  return outcome;
}

Outcome run_into(const std::string& file, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const std::string err = folder / "err";
  Outcome outcome = run_with_files(file, err, arguments, {});
  outcome.err = contents(err);
  return outcome;
}

Outcome run_on_terminal(const std::vector<std::string>& arguments, int columns,
                        const Environment& environment) {
  const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty failed");
  if (child == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    become(arguments, environment);
  }
  Outcome outcome;
  char buffer[4096];
  while (true) {  // a terminal whose other end has closed reads as an error
    const ssize_t count = ::read(terminal, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    outcome.out.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(terminal);
  outcome.code = wait_for(child);
  return outcome;
}

bool has_cuda_device() {
  static const bool found = [] {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / "devices.json";
    run({"devices", "--json", file.string()});
    return !nlohmann::json::parse(contents(file)).at("devices").empty();
  }();
  return found;
}

bool has_kernels() { return !kernels::images().empty(); }

}  // namespace tilewise::test
