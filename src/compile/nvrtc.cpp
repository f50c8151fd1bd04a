// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC (https://docs.nvidia.com/cuda/nvrtc/), opened at run time.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "compile/compiler.hpp"

namespace tilewise::compile {
namespace {

namespace fs = std::filesystem;

using Program = struct OpaqueProgram*;
using Result = int;  // 0: success

/// The functions in use, by their names in the library.
struct Api {
  Result (*version)(int*, int*) = nullptr;
  Result (*create)(Program*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
  Result (*compile)(Program, int, const char* const*) = nullptr;
  Result (*destroy)(Program*) = nullptr;
  Result (*log_size)(Program, std::size_t*) = nullptr;
  Result (*log)(Program, char*) = nullptr;
  Result (*ptx_size)(Program, std::size_t*) = nullptr;
  Result (*ptx)(Program, char*) = nullptr;
  Result (*cubin_size)(Program, std::size_t*) = nullptr;
  Result (*cubin)(Program, char*) = nullptr;
  Result (*add_name)(Program, const char*) = nullptr;
  Result (*lowered_name)(Program, const char*, const char**) = nullptr;
};

template <typename Function> bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Api& api) {
  return find(library, "nvrtcVersion", api.version) &&
         find(library, "nvrtcCreateProgram", api.create) &&
         find(library, "nvrtcCompileProgram", api.compile) &&
         find(library, "nvrtcDestroyProgram", api.destroy) &&
         find(library, "nvrtcGetProgramLogSize", api.log_size) &&
         find(library, "nvrtcGetProgramLog", api.log) &&
         find(library, "nvrtcGetPTXSize", api.ptx_size) && find(library, "nvrtcGetPTX", api.ptx) &&
         find(library, "nvrtcGetCUBINSize", api.cubin_size) &&
         find(library, "nvrtcGetCUBIN", api.cubin) &&
         find(library, "nvrtcAddNameExpression", api.add_name) &&
         find(library, "nvrtcGetLoweredName", api.lowered_name);
}

// Standard headers that CUDA's own library has for device code, in namespace cuda::std.
constexpr std::array<std::string_view, 28> kStandardHeaders{
    "algorithm", "array",       "atomic",  "bit",     "cassert",    "cfloat",
    "chrono",    "climits",     "cmath",   "complex", "concepts",   "cstddef",
    "cstdint",   "cstdlib",     "cstring", "ctime",   "functional", "initializer_list",
    "iterator",  "limits",      "memory",  "numeric", "optional",   "ratio",
    "tuple",     "type_traits", "utility", "variant"};

// Headers of libraries that the host calls.
constexpr std::array<std::string_view, 13> kHostHeaders{
    "cublas.h",           "cublas_v2.h",  "cublasLt.h", "cublas_api.h",        "curand.h",
    "cusparse.h",         "cusolverDn.h", "cudnn.h",    "cuda_profiler_api.h", "nvToolsExt.h",
    "nvtx3/nvToolsExt.h", "cuda.h",       "omp.h"};

// Names that come with every host compiler, and are missing where there is none.
constexpr std::string_view kPrelude =
    "typedef unsigned char uchar;\ntypedef unsigned short ushort;\ntypedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n";
constexpr std::string_view kPreludeName = "tilewise_prelude.h";

class Nvrtc final : public Compiler {
 public:
  Nvrtc(Api api, std::vector<fs::path> folders) : api_(api), folders_(std::move(folders)) {
    int major = 0, minor = 0;
    api_.version(&major, &minor);
    version_ = fmt::format("{}.{}", major, minor);
  }

  Compilation compile(const Job& job) override {
    Program program = nullptr;
    const std::string name = job.sources->main_file().string();
    if (api_.create(&program, job.sources->main_text().c_str(), name.c_str(), 0, nullptr,
                    nullptr) != 0) {
      return {false, {}, {}, "NVRTC could not take the source", {}};
    }
    job.sources->add_header(std::string(kPreludeName), std::string(kPrelude));
    if (!job.named_kernel.empty()) api_.add_name(program, job.named_kernel.c_str());
    const std::vector<std::string> options = options_of(job);
    std::vector<const char*> words;
    for (const std::string& each : options) words.push_back(each.c_str());
    Compilation result;
    result.succeeded = api_.compile(program, static_cast<int>(words.size()), words.data()) == 0;
    result.messages = text(program, api_.log_size, api_.log);
    if (result.succeeded) {
      result.ptx = text(program, api_.ptx_size, api_.ptx);
      result.cubin = bytes(program, api_.cubin_size, api_.cubin);
      const char* mangled = nullptr;
      if (!job.named_kernel.empty() &&
          api_.lowered_name(program, job.named_kernel.c_str(), &mangled) == 0) {
        result.named_kernel = mangled;
      }
    }
    api_.destroy(&program);
    return result;
  }

  std::string description() const override { return "NVRTC " + version_; }

  std::vector<std::string> unreadable_headers() const override {
    return {kHostHeaders.begin(), kHostHeaders.end()};
  }

  std::string replacement(const std::string& header) const override {
    std::string name = header;
    if (name.ends_with(".h")) name = "c" + name.substr(0, name.size() - 2);
    for (const std::string_view known : kStandardHeaders) {
      if (known != name) continue;
      const char* prefix = header == name ? "namespace std { using namespace cuda::std; }\n"
                                          : "using namespace cuda::std;\n";
      return fmt::format(
          "#pragma once\n#include <cuda/std/{}>\nnamespace cuda {{ namespace std {{}} }}\n{}", name,
          prefix);
    }
    return {};
  }

 private:
  std::vector<std::string> options_of(const Job& job) const {
    std::vector<std::string> options{"--gpu-architecture=" + job.arch,
                                     "--std=" + job.standard,
                                     "-lineinfo",
                                     "-w",
                                     "-default-device",
                                     fmt::format("--pre-include={}", kPreludeName)};
    for (const std::string& define : job.defines) options.push_back("-D" + define);
    const auto add = [&](const std::vector<fs::path>& folders) {
      for (const fs::path& folder : folders) options.push_back("-I" + folder.string());
    };
    add(job.sources->include_folders());
    add(folders_);
    return options;
  }

  using Size = Result (*)(Program, std::size_t*);
  using Get = Result (*)(Program, char*);
  static std::string bytes(Program program, Size size, Get get) {
    std::size_t count = 0;
    if (size(program, &count) != 0 || count == 0) return {};
    std::string result(count, '\0');
    if (get(program, result.data()) != 0) return {};
    return result;
  }
  static std::string text(Program program, Size size, Get get) {
    std::string result = bytes(program, size, get);
    while (result.ends_with('\0')) result.pop_back();
    return result;
  }

  Api api_;
  std::vector<fs::path> folders_;
  std::string version_;
};

}  // namespace

std::unique_ptr<Compiler> make_nvrtc(const fs::path& library, std::vector<fs::path> folders) {
  void* opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  Api api;
  if (!opened || !find_all(opened, api)) return nullptr;
  return std::make_unique<Nvrtc>(api, std::move(folders));
}

}  // namespace tilewise::compile
