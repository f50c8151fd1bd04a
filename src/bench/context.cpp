// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/context.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <string>

#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

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

}  // namespace

Context describe_run(const device::Device& device, const LadderRequest& request) {
  Context context;
  context.tilewise_version = TILEWISE_VERSION;
  context.commit = TILEWISE_COMMIT;
  context.date = utc_now();
  context.device = device.description();
  context.gpu = device.gpu().key;
  context.is_virtual = device.is_virtual();
  context.host = fmt::format("{}, {} cores", processor_name(), available_cores());
  context.alpha = request.alpha;
  context.beta = request.beta;
  context.seed = request.seed;
  return context;
}

}  // namespace tilewise::bench
