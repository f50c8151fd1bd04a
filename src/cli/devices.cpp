// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise devices`: what a device query prints, for the GPUs of this machine and of the catalogue.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/outputs.hpp"
#include "core/file.hpp"
#include "device/device.hpp"
#include "model/gpu.hpp"
#include "report/format.hpp"

namespace tilewise::cli {
namespace {

using Json = nlohmann::ordered_json;
using model::Gpu;

struct DevicesOptions {
  std::string json, gpu;
};

constexpr std::size_t kIndent = 36;  // where values stand

std::string line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<{}}{}\n", name, kIndent - 2, value);
}

std::string bytes(std::uint64_t count) {
  return fmt::format("{} ({} bytes)", report::bytes_text(count), count);
}

// The peak with the factors that make it: "2 × 128 × 82 × 1.695 GHz = 35.58 TFLOP/s".
std::string peak(double flop_per_clock_and_sm, const Gpu& gpu, const std::string& factors) {
  const double rate = flop_per_clock_and_sm * gpu.sm_count * gpu.boost_clock_mhz * 1e6;
  return fmt::format("{} × {} × {:.3f} GHz = {:.2f} TFLOP/s", factors, gpu.sm_count,
                     gpu.boost_clock_mhz / 1e3, rate / 1e12);
}

// FLOP, or for integers OP, per clock and SM of each type the tensor cores know.
std::vector<std::pair<std::string_view, int>> tensor_rates(const Gpu& gpu) {
  const model::TensorRates& t = gpu.tensor;
  std::vector<std::pair<std::string_view, int>> rates;
  for (const auto& [name, rate] :
       std::initializer_list<std::pair<std::string_view, int>>{{"f64", t.f64},
                                                               {"tf32", t.tf32},
                                                               {"f16", t.f16},
                                                               {"bf16", t.bf16},
                                                               {"fp8", t.fp8},
                                                               {"s8", t.s8}}) {
    if (rate > 0) rates.emplace_back(name, rate);
  }
  return rates;
}

std::string compute_lines(const Gpu& g) {
  std::string out =
      line("Compute capability", fmt::format("{}.{}", g.compute_major, g.compute_minor));
  out += line("Multiprocessors (SMs)",
              fmt::format("{} × {} f32 lanes = {} CUDA cores", g.sm_count, g.fp32_lanes_per_sm,
                          g.sm_count * g.fp32_lanes_per_sm));
  std::string clocks =
      fmt::format("{:.0f} MHz at most, which the peaks are for", g.boost_clock_mhz);
  if (g.base_clock_mhz > 0) clocks += fmt::format("; {:.0f} MHz base", g.base_clock_mhz);
  out += line("GPU clock", clocks);
  out += line("Warp size", std::to_string(g.warp_size));
  out += line("Schedulers per SM",
              fmt::format("{}, one warp instruction each a clock", g.schedulers_per_sm));
  return out;
}

std::string memory_lines(const Gpu& g) {
  std::string out = line("Global memory", bytes(g.memory_bytes));
  if (g.memory_clock_mhz > 0) {
    out += line("Memory clock", fmt::format("{:.0f} MHz", g.memory_clock_mhz));
  }
  if (g.memory_bus_bits > 0) out += line("Memory bus", fmt::format("{} bit", g.memory_bus_bits));
  out += line("Memory bandwidth", fmt::format("{:.0f} GB/s", g.memory_bandwidth / 1e9));
  out += line("L2 cache", bytes(g.l2_bytes));
  out += line("Constant memory", bytes(g.constant_bytes));
  out += line("Shared memory per SM", bytes(g.shared_per_sm));
  out += line("Shared memory per block",
              fmt::format("{}, with opting in {}", bytes(g.shared_per_block),
                          bytes(g.shared_per_block_optin)));
  out += line("Shared memory banks", fmt::format("{} of 4 bytes", g.shared_banks));
  out += line("Registers per SM", std::to_string(g.registers_per_sm));
  out += line("Registers per block, per thread",
              fmt::format("{}, {}", g.registers_per_block, g.max_registers_per_thread));
  return out;
}

std::string limit_lines(const Gpu& g) {
  std::string out =
      line("Threads per SM, per block",
           fmt::format("{}, {}", g.max_warps_per_sm * g.warp_size, g.max_threads_per_block));
  out += line("Warps and blocks per SM",
              fmt::format("{}, {}", g.max_warps_per_sm, g.max_blocks_per_sm));
  out += line("Block at most (x, y, z)",
              fmt::format("({}, {}, {})", g.max_block_x, g.max_block_y, g.max_block_z));
  out += line("Grid at most (x, y, z)",
              fmt::format("({}, {}, {})", g.max_grid_x, g.max_grid_y, g.max_grid_z));
  return out;
}

std::string peak_lines(const Gpu& g) {
  std::string out = line(
      "Peak f32", peak(2.0 * g.fp32_lanes_per_sm, g, fmt::format("2 × {}", g.fp32_lanes_per_sm)));
  if (g.fp64_lanes_per_sm > 0) {
    out += line("Peak f64",
                peak(2.0 * g.fp64_lanes_per_sm, g, fmt::format("2 × {}", g.fp64_lanes_per_sm)));
  }
  for (const auto& [name, rate] : tensor_rates(g)) {
    std::string text = peak(rate, g, std::to_string(rate));
    if (name == "s8") text.replace(text.find("FLOP"), 4, "OP");
    out += line(fmt::format("Peak {}, tensor cores", name), text);
  }
  return out;
}

std::string describe(const std::string& head, const Gpu& gpu) {
  std::string out =
      head + '\n' + compute_lines(gpu) + memory_lines(gpu) + limit_lines(gpu) + peak_lines(gpu);
  std::string_view name = "Figures from";
  for (const std::string& source : gpu.sources) {
    for (const std::string& part : report::wrap(source, 100 - kIndent)) {
      out += line(std::exchange(name, ""), part);
    }
  }
  return out + '\n';
}

Json describe_json(const Gpu& g) {
  Json tensor = Json::object();
  for (const auto& [name, rate] : tensor_rates(g)) tensor[std::string(name)] = rate;
  return {{"key", g.key},
          {"name", g.name},
          {"compute_capability", fmt::format("{}.{}", g.compute_major, g.compute_minor)},
          {"sm_count", g.sm_count},
          {"fp32_lanes_per_sm", g.fp32_lanes_per_sm},
          {"fp64_lanes_per_sm", g.fp64_lanes_per_sm},
          {"schedulers_per_sm", g.schedulers_per_sm},
          {"tensor_flop_per_clock_and_sm", tensor},
          {"base_clock_mhz", g.base_clock_mhz},
          {"boost_clock_mhz", g.boost_clock_mhz},
          {"memory_clock_mhz", g.memory_clock_mhz},
          {"memory_bus_bits", g.memory_bus_bits},
          {"memory_bandwidth", g.memory_bandwidth},
          {"memory_bytes", g.memory_bytes},
          {"l2_bytes", g.l2_bytes},
          {"constant_bytes", g.constant_bytes},
          {"warp_size", g.warp_size},
          {"max_threads_per_block", g.max_threads_per_block},
          {"max_warps_per_sm", g.max_warps_per_sm},
          {"max_blocks_per_sm", g.max_blocks_per_sm},
          {"registers_per_sm", g.registers_per_sm},
          {"registers_per_block", g.registers_per_block},
          {"max_registers_per_thread", g.max_registers_per_thread},
          {"shared_per_sm", g.shared_per_sm},
          {"shared_per_block", g.shared_per_block},
          {"shared_per_block_optin", g.shared_per_block_optin},
          {"shared_banks", g.shared_banks},
          {"max_block", {g.max_block_x, g.max_block_y, g.max_block_z}},
          {"max_grid", {g.max_grid_x, g.max_grid_y, g.max_grid_z}},
          {"peak_f32", g.peak_f32()},
          {"peak_f64", g.peak_f64()},
          {"sources", g.sources}};
}

std::string to_json(const std::vector<Gpu>& real, std::span<const Gpu> catalogue) {
  Json value{
      {"cuda", device::cuda_status()}, {"devices", Json::array()}, {"catalogue", Json::array()}};
  for (const Gpu& gpu : real) value["devices"].push_back(describe_json(gpu));
  for (const Gpu& gpu : catalogue) value["catalogue"].push_back(describe_json(gpu));
  return value.dump(2) + "\n";
}

int run(const DevicesOptions& options) {
  const Gpu* chosen = options.gpu.empty() ? nullptr : &model::find_gpu(options.gpu);
  const std::span<const Gpu> catalogue =
      chosen ? std::span<const Gpu>(chosen, 1) : model::catalogue();
  check_outputs({{"--json", options.json}}, {});

  const std::vector<Gpu> real = chosen ? std::vector<Gpu>() : device::cuda_devices();
  std::string out;
  if (!chosen) out += fmt::format("CUDA: {}\n\n", device::cuda_status());
  for (std::size_t i = 0; i < real.size(); ++i) {
    out += describe(fmt::format("Device {}: \"{}\"", i, real[i].name), real[i]);
  }
  if (!chosen) out += "The catalogue: GPUs that the virtual GPU can play (--gpu KEY).\n\n";
  for (const Gpu& gpu : catalogue)
    out += describe(fmt::format("{}: \"{}\"", gpu.key, gpu.name), gpu);
  if (!options.json.empty()) write_file(options.json, to_json(real, catalogue));
  print(out);
  return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DevicesOptions>();
  CLI::App* command =
      app.add_subcommand("devices", "What is known of the GPUs here and in the catalogue");
  command
      ->add_option_function<std::string>(
          "--gpu", [options](const std::string& text) { options->gpu = parse_name("--gpu", text); },
          "Only this GPU of the catalogue")
      ->type_name("KEY");
  command
      ->add_option_function<std::string>(
          "--json",
          [options](const std::string& text) { options->json = parse_path("--json", text); },
          "Write every figure as JSON")
      ->type_name("FILE");
  command->footer(
      "Examples:\n  tilewise devices\n  tilewise devices --gpu rtx3090 --json gpu.json");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
