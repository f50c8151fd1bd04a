// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/origin.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <fstream>

namespace tilewise::bench {
namespace {

constexpr const char* kCacheFolder = "/sys/devices/system/cpu/cpu0/cache/index";

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// "32K" -> "32 KiB", "2048K" -> "2 MiB"
std::string size_text(const std::string& size) {
  if (size.empty() || size.back() != 'K') return size;
  const long kibibytes = std::strtol(size.c_str(), nullptr, 10);
  if (kibibytes >= 1024 && kibibytes % 1024 == 0) return fmt::format("{} MiB", kibibytes / 1024);
  return fmt::format("{} KiB", kibibytes);
}

}  // namespace

std::string own_version() { return TILEWISE_VERSION; }

std::string own_commit() { return TILEWISE_COMMIT; }

std::string utc_now() {
  std::tm now{};
  const std::time_t seconds = std::time(nullptr);
  gmtime_r(&seconds, &now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now);
}

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::vector<std::string> processor_caches() {
  std::vector<std::string> caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = kCacheFolder + std::to_string(index) + "/";
    const std::string type = first_line(folder + "type"), size = first_line(folder + "size");
    if (size.empty() || type == "Instruction") continue;
    const std::string sharers = first_line(folder + "shared_cpu_list");
    caches.push_back(fmt::format("L{}{} {} (cores {})", first_line(folder + "level"),
                                 type == "Data" ? "d" : "", size_text(size), sharers));
  }
  return caches;
}

}  // namespace tilewise::bench
