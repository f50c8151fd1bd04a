// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/toolkit.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/programs.hpp"
#include "tilewise/error.hpp"

namespace tilewise::compile {
namespace {

namespace fs = std::filesystem;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool ignores_system() {
  const std::string_view value = environment("TILEWISE_IGNORE_SYSTEM_CUDA");
  return !value.empty() && value != "0" && value != "OFF";
}

// The toolkit's folders, best first.
std::vector<fs::path> roots() {
  std::vector<fs::path> found;
  if (!ignores_system()) {
    if (const fs::path nvcc = find_on_path("nvcc"); !nvcc.empty()) {
      found.push_back(fs::weakly_canonical(nvcc).parent_path().parent_path());
    }
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
      if (!environment(name).empty()) found.emplace_back(environment(name));
    }
    found.emplace_back("/usr/local/cuda");
  }
  found.emplace_back(TILEWISE_PROJECT_CUDA);
  return found;
}

fs::path find_tool(std::string_view name) {
  for (const fs::path& root : roots()) {
    if (is_program(root / "bin" / name)) return root / "bin" / name;
  }
  return ignores_system() ? fs::path() : find_on_path(name);
}

std::vector<fs::path> header_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& root : roots()) {
    for (const char* below : {"include", "include/cccl", "targets/x86_64-linux/include"}) {
      std::error_code ignored;
      if (fs::is_directory(root / below, ignored)) folders.push_back(root / below);
    }
  }
  return folders;
}

std::unique_ptr<Compiler> find_nvrtc() {
  std::vector<fs::path> libraries;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    for (const fs::path& root : roots()) {
      for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
        std::error_code ignored;
        if (fs::exists(root / below / name, ignored)) libraries.push_back(root / below / name);
      }
    }
    if (!ignores_system()) libraries.emplace_back(name);
  }
  for (const fs::path& library : libraries) {
    if (auto compiler = make_nvrtc(library, header_folders())) return compiler;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Compiler> find_compiler() {
  const std::string_view wanted = environment("TILEWISE_COMPILER");
  if (!wanted.empty() && wanted != "nvcc" && wanted != "nvrtc") {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("TILEWISE_COMPILER: expected nvcc or nvrtc, got '{}'", wanted));
  }
  if (wanted != "nvrtc") {
    if (fs::path nvcc = find_tool("nvcc"); !nvcc.empty()) return make_nvcc(std::move(nvcc));
  }
  if (wanted != "nvcc") {
    if (auto nvrtc = find_nvrtc()) return nvrtc;
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{} found: put nvcc on PATH, set CUDA_HOME, or run "
                          "scripts/setup.sh, which installs it into {}; a .ptx file needs none",
                          wanted.empty()     ? "neither nvcc nor NVRTC was"
                          : wanted == "nvcc" ? "nvcc was not"
                                             : "NVRTC was not",
                          TILEWISE_PROJECT_CUDA));
}

Assembler find_assembler() { return Assembler(find_tool("ptxas")); }

}  // namespace tilewise::compile
