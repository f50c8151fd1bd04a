// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cuda_library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

std::vector<std::string> candidates(const std::string& stem) {
  std::vector<std::string> folders{""};
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    for (const char* suffix : {".13", ".12", ".11", ""}) {
      names.push_back(folder + "lib" + stem + ".so" + suffix);
    }
  }
  return names;
}

}  // namespace

bool open_cuda_library(const std::string& stem,
                       const std::function<bool(void* library, const std::string& name)>& take) {
  for (const std::string& name : candidates(stem)) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library && take(library, name)) return true;
  }
  return false;
}

std::string not_found(const std::string& stem) {
  return fmt::format(
      "lib{}.so.13, .12 and .11 are neither known to the dynamic linker nor in $CUDA_HOME/lib64 or "
      "/usr/local/cuda/lib64",
      stem);
}

DataType data_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32: return kR32F;
    case Dtype::kF64: return kR64F;
    case Dtype::kF16: return kR16F;
    case Dtype::kBF16: return kR16BF;
    default: break;
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("dtype: expected f32, f64, bf16 or f16, got {}", name_of(dtype)));
}

ComputeType compute_type(const GpuProblem& problem) {
  if (problem.dtype == Dtype::kF64) return kCompute64F;
  return problem.mode == ComputeMode::kTf32 ? kCompute32FFastTf32 : kCompute32F;
}

std::string file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : std::string();
}

}  // namespace tilewise::bench
