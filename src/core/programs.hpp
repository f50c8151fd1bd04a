// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Other programs: finding them, running them without a shell, and a place for what they write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// A folder of our own below the system's temporary one; gone with its object.
class ScratchFolder {
 public:
  /// `purpose` stands in its name. Throws Error{kInvalidInput} when it cannot be made.
  explicit ScratchFolder(std::string_view purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Whether `path` is a file that may be executed.
bool is_program(const std::filesystem::path& path);

/// The program of that name in the folders of PATH; empty when there is none.
std::filesystem::path find_on_path(std::string_view name);

struct ProgramOutcome {
  int code = 0;        ///< exit code; 128 + the signal that ended it
  std::string output;  ///< stdout and stderr together
};

/// Runs command[0] (a path) with the rest as its arguments and waits for it; stdin is empty. What it
/// prints is kept in `folder` meanwhile. Throws Error{kInvalidInput} when it cannot be started.
ProgramOutcome run_program(const std::vector<std::string>& command, const ScratchFolder& folder);

}  // namespace tilewise
