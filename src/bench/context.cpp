// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/context.hpp"

#include <fmt/core.h>

#include "bench/origin.hpp"
#include "core/thread_pool.hpp"
#include "cpu/instruction_set.hpp"

namespace tilewise::bench {
namespace {

// What every run says, wherever it ran.
Context describe(const LadderRequest& request) {
  Context context;
  context.tilewise_version = own_version();
  context.commit = own_commit();
  context.date = utc_now();
  context.host = fmt::format("{}, {} cores", processor_name(), available_cores());
  context.alpha = request.alpha;
  context.beta = request.beta;
  context.seed = request.seed;
  context.rest_ms = request.rest_ms;
  return context;
}

}  // namespace

Context describe_run(const device::Device& device, const LadderRequest& request) {
  Context context = describe(request);
  context.device = device.description();
  context.gpu = device.gpu().key;
  context.is_virtual = device.is_virtual();
  return context;
}

Context describe_cpu_run(const LadderRequest& request) {
  Context context = describe(request);
  context.on_cpu = true;
  context.instruction_set = cpu::name_of(cpu::instruction_set());
  context.device = fmt::format("{}, {}", context.host, context.instruction_set);
  context.caches = processor_caches();
  return context;
}

}  // namespace tilewise::bench
