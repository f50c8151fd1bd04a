// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/driver_api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "core/phrase.hpp"

namespace tilewise::device::cuda {
namespace {

template <class Function> void bind(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  if (!function) {
    throw Error(ErrorCode::kNoDevice,
                phrase("libcuda.so.1 has no {}: the NVIDIA driver is too old", symbol));
  }
}

DriverApi open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    throw Error(ErrorCode::kNoDevice, phrase("no NVIDIA driver on this machine: {}",
                                             reason ? reason : "libcuda.so.1 not opened"));
  }
  DriverApi api;
#define TILEWISE_BIND(member, symbol, parameters) bind(library, symbol, api.member);
  TILEWISE_DRIVER_FUNCTIONS(TILEWISE_BIND)
#undef TILEWISE_BIND
#define TILEWISE_BIND_NEWER(member, symbol, parameters) \
  api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, symbol));
  TILEWISE_NEWER_DRIVER_FUNCTIONS(TILEWISE_BIND_NEWER)
#undef TILEWISE_BIND_NEWER
  // Since CUDA 12.8 there is a finer measurement under a new name; older drivers keep the first one.
  if (void* finer = dlsym(library, "cuEventElapsedTime_v2")) {
    api.event_elapsed_time = reinterpret_cast<decltype(api.event_elapsed_time)>(finer);
  }
  check(api, api.init(0), "cuInit(0)");
  return api;
}

// NVML names the driver where /proc does not (containers that hide it).
std::string version_from_nvml() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return {};
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto shutdown = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
  const auto version =
      reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
  std::array<char, 96> text{};
  if (init && shutdown && version && init() == 0) {
    if (version(text.data(), text.size() - 1) != 0) text[0] = '\0';
    shutdown();
  }
  dlclose(library);
  return text.data();
}

std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string version = parse_kernel_module_version(text);
  return version.empty() ? version_from_nvml() : version;
}

}  // namespace

const DriverApi& driver() {
  static const DriverApi api = open_driver();  // a failed opening is tried again at the next call
  return api;
}

void throw_driver_error(const DriverApi& api, Result result, std::string_view call) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.get_error_name(result, &name) != Result::kSuccess || !name) name = "unknown error";
  if (api.get_error_string(result, &text) != Result::kSuccess || !text) text = "no description";
  const ErrorCode code = result == Result::kOutOfMemory ? ErrorCode::kOutOfMemory
                         : result == Result::kNoDevice  ? ErrorCode::kNoDevice
                                                        : ErrorCode::kDriver;
  throw Error(code, phrase("{}: {} ({})", call, name, text));
}

std::string cuda_version_text(int version) {
  return phrase("{}.{}", version / 1000, version % 1000 / 10);
}

std::string parse_kernel_module_version(std::string_view text) {
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release Build (...)": the
  // first word of digits and dots alone.
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with("NVRM version:")) return {};
  std::size_t begin = 0;
  while ((begin = line.find_first_not_of(" \t", begin)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    if (word.find_first_not_of("0123456789.") == std::string_view::npos &&
        word.find('.') != std::string_view::npos) {
      return std::string(word);
    }
    begin = end;
  }
  return {};
}

std::string driver_description() {
  const DriverApi& api = driver();
  int cuda = 0;
  check(api, api.driver_get_version(&cuda), "cuDriverGetVersion()");
  const std::string module = kernel_module_version();
  const std::string cuda_text = phrase("CUDA {}", cuda_version_text(cuda));
  return module.empty() ? cuda_text : phrase("driver {}, {}", module, cuda_text);
}

}  // namespace tilewise::device::cuda
