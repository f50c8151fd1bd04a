// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/cublas.hpp"
#include "bench/own_gpu_library.hpp"
#include "cli/arguments.hpp"
#include "gemm/gpu/context.hpp"
#include "gemm/gpu/plan.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<std::string_view, 4> kOperands{"normal", "positive", "wide", "row-scaled"};
constexpr std::array<std::string_view, 2> kResults{"f32", "same"};
constexpr std::array<std::string_view, 4> kDtypes{"f32", "f64", "bf16", "f16"};
constexpr std::array<std::string_view, 2> kPeers{"cublas", "cublaslt"};
constexpr double kSeconds = 0.4;
constexpr std::array kModes{ComputeMode::kIeee, ComputeMode::kAccurate, ComputeMode::kTf32};

void add_choice(CLI::App& command, const std::string& name, const std::string& type,
                std::string& value, const std::string& help,
                std::span<const std::string_view> choices) {
  command
      .add_option_function<std::string>(
          name,
          [name, &value, choices](const std::string& text) {
            value = parse_choice(name, text, choices);
          },
          help)
      ->type_name(type);
}

void add_text(CLI::App& command, const std::string& name, const std::string& type,
              std::string& value, const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [name, &value](const std::string& text) { value = parse_name(name, text); }, help)
      ->type_name(type);
}

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

std::vector<ComputeMode> parse_modes(const std::string& list) {
  std::vector<std::string_view> names;
  for (const ComputeMode mode : kModes) names.push_back(gpu::name_of(mode));
  std::vector<ComputeMode> modes;
  for (const std::string& word : split_list(list)) {
    parse_choice("--mode", word, names);
    const ComputeMode mode =
        *std::ranges::find(kModes, word, [](ComputeMode m) { return gpu::name_of(m); });
    if (std::ranges::find(modes, mode) != modes.end()) {
      fail(fmt::format("--mode: '{}' stands there twice", word));
    }
    modes.push_back(mode);
  }
  return modes;
}

std::unique_ptr<bench::GpuLibrary> open_peer(device::Device& device, const std::string& name,
                                             std::string& why_not) {
  return name == "cublas" ? bench::open_cublas_peer(device, why_not)
                          : bench::open_cublaslt_peer(device, why_not);
}

}  // namespace

void add_bench_gpu_options(CLI::App& command, BenchOptions& o) {
  add_text(command, "--mode", "LIST", o.modes,
           "On a GPU, how f32 is multiplied: ieee, accurate, tf32; else ieee,accurate");
  add_choice(command, "--operands", "KIND", o.operands,
             "On a GPU, random numbers: normal (the default), positive, wide, row-scaled",
             kOperands);
  add_choice(command, "--result", "DTYPE", o.result,
             "On a GPU, C of 16-bit floats: f32 (the default), or same as theirs", kResults);
  add_text(command, "--gpu", "KEY", o.gpu, "The GPU that --device virtual plays; else h200");
  command
      .add_option_function<std::string>(
          "--gap",
          [&o](const std::string& text) { o.gap = parse_whole("--gap", text, 0, 1 << 20); },
          "On a GPU, unused elements between the rows of A, B and C; else none")
      ->type_name("N");
}

bench::GpuRequest bench_gpu_request(const BenchOptions& o) {
  for (const auto& [name, given] : {std::pair{"--threads", o.threads != BenchOptions().threads},
                                    {"--core", !o.cores.empty()},
                                    {"--burst", o.burst_ms != BenchOptions().burst_ms},
                                    {"--patience", o.patience != BenchOptions().patience}}) {
    if (given) fail(fmt::format("{}: is for --device cpu, not {}", name, o.device));
  }
  if (!o.gpu.empty() && o.device != "virtual") fail("--gpu: goes with --device virtual");
  bench::GpuRequest request;
  request.shapes = bench_shapes(o);
  request.suite = bench_suite_name(o);
  request.dtypes = parse_dtypes(o.dtypes.empty() ? "f32,f64,bf16,f16" : o.dtypes, kDtypes);
  request.modes = parse_modes(o.modes.empty() ? "ieee,accurate" : o.modes);
  if (!o.operands.empty()) request.operands = *bench::operand_kind_of(o.operands);
  if (request.operands == bench::OperandKind::kRowScaled) {
    for (const bench::GemmShape& shape : request.shapes)
      if (shape.batch != 1)
        fail(fmt::format("--operands row-scaled: goes with single products, not {}",
                         shape_name(shape)));
  }
  request.narrow_result = o.result == "same";
  request.gap = o.gap;
  check_scaling(o, request.dtypes);
  request.scaling = o.scaling;
  request.limits = {o.seconds > 0 ? o.seconds : kSeconds, o.repeat};
  request.seed = o.seed;
  return request;
}

GpuContext open_bench_gpu(const BenchOptions& o) {
  const device::Choice choice =
      o.device == "virtual" ? device::Choice::kVirtual : device::Choice::kCuda;
  return GpuContext::State::context_on(device::open(choice, o.gpu.empty() ? "h200" : o.gpu));
}

device::Device& device_of(GpuContext& context) { return *context.state().device; }

bench::GpuLibraries open_gpu_libraries(GpuContext& context, const BenchOptions& o) {
  device::Device& device = device_of(context);
  bench::GpuLibraries libraries;
  libraries.own = bench::open_own_gpu_library(context);
  if (o.peers == "none" || (o.peers.empty() && device.is_virtual())) return libraries;
  std::vector<std::string> names(kPeers.begin(), kPeers.end());
  if (!o.peers.empty()) names = split_list(o.peers);
  for (const std::string& name : names) {
    parse_choice("--peer", name, kPeers);
    std::string why_not;
    if (auto peer = open_peer(device, name, why_not)) {
      libraries.peers.push_back(std::move(peer));
    } else if (!o.peers.empty()) {
      throw Error(ErrorCode::kInvalidInput, fmt::format("--peer {}: {}", name, why_not));
    } else {
      libraries.left_out.push_back({name, "", why_not});
    }
  }
  return libraries;
}

}  // namespace tilewise::cli
