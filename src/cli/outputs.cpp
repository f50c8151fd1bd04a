// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>

#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const OutputFile& output, std::string_view reason) {
  throw Error(ErrorCode::kInvalidInput,
              fmt::format("{}: cannot write '{}': {}", output.option, output.path, reason));
}

// Files are written beside their place and renamed, so what counts is whether the folder takes files:
// the surest way to know is to make one.
void check_folder(const OutputFile& output, const fs::path& folder) {
  const fs::path trial = folder / fmt::format(".tilewise-{}.tmp", ::getpid());
  const int file = ::open(trial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    fail(output,
         fmt::format("folder '{}': {}", folder.string(), std::generic_category().message(errno)));
  }
  ::close(file);
  ::unlink(trial.c_str());
}

void check_output(const OutputFile& output) {
  const fs::path path = output.path;
  std::error_code ignored;
  if (!path.has_filename() || fs::is_directory(path, ignored)) fail(output, "it is a folder");
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    fail(output, "it is not a regular file");
  }
  check_folder(output, path.has_parent_path() ? path.parent_path() : fs::path("."));
}

fs::path resolved(const std::string& path) {
  std::error_code failed;
  const fs::path result = fs::weakly_canonical(path, failed);
  return failed ? fs::path(path) : result;
}

}  // namespace

void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs) {
  std::map<fs::path, std::string> taken;  // file -> what it is
  for (const std::string& input : inputs) {
    if (!input.empty()) taken[resolved(input)] = "an input";
  }
  for (const OutputFile& output : outputs) {
    if (output.path.empty()) continue;
    check_output(output);
    const auto [place, is_new] = taken.emplace(resolved(output.path), output.option + " too");
    if (!is_new) fail(output, "it is " + place->second);
  }
}

}  // namespace tilewise::cli
