// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise emulate`: compiles a user's kernel, runs it on the virtual GPU, and says what it costs and
// what is wrong with it.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "bench/emulation.hpp"
#include "cli/commands.hpp"
#include "cli/emulate_options.hpp"
#include "cli/exit.hpp"
#include "cli/outputs.hpp"
#include "cli/terminal.hpp"
#include "compile/image.hpp"
#include "core/file.hpp"
#include "report/emulation.hpp"

namespace tilewise::cli {
namespace {

constexpr const char* kExamples =
    "Arguments (--arg), one for each parameter of the kernel:\n"
    "  i8: u8: i16: u16: i32: u32: i64: u64:VALUE     a whole number, decimal or 0x\n"
    "  f16: bf16: f32: f64:VALUE                      a number\n"
    "  in:FILE.npy[:TYPE]                             an array of a file, as TYPE where given\n"
    "  inout:FILE.npy[:TYPE]                          and written back after the run\n"
    "  out:FILE.npy:TYPE:512x512                      all NaN before the run, written after it\n"
    "  random:TYPE:512x512[:SEED]  zeros:TYPE:512x512 an array made here\n"
    "  tensormap:64x64[:swizzle=128B]:ARRAY           a tensor map of one of these, with its box;\n"
    "  tensormap:64x64[:swizzle=128B]:arg=2           or of the second argument's array\n"
    "TYPE: f16, bf16 (in files: f32), f32, f64, s8, u8, s32.\n\n"
    "Examples:\n"
    "  tilewise emulate sgemm.cu --kernel 'sgemm<32>' --grid 16,16 --block 1024\n"
    "    --arg i32:512 --arg i32:512 --arg i32:512 --arg f32:1\n"
    "    --arg random:f32:512x512 --arg random:f32:512x512 --arg f32:0 --arg "
    "out:c.npy:f32:512x512\n"
    "  tilewise emulate kernel.ptx --kernel scale --grid 1 --block 32 --arg inout:x.npy --check "
    "all";

struct CheckName {
  bool vgpu::Checks::*member;
  const char* name;
};
constexpr CheckName kCheckNames[] = {{&vgpu::Checks::races, "races"},
                                     {&vgpu::Checks::bounds, "bounds"},
                                     {&vgpu::Checks::uninitialized, "uninitialized"},
                                     {&vgpu::Checks::sync, "sync"},
                                     {&vgpu::Checks::partial_copies, "partial-copies"}};

compile::Image compile_source(const EmulateOptions& options) {
  compile::Request request;
  request.source = options.source;
  request.kernel = options.kernel;
  request.arch = options.arch;
  request.include_folders.assign(options.include_folders.begin(), options.include_folders.end());
  request.defines = options.defines;
  return compile::build(request);
}

vgpu::Numerics numerics_of(const EmulateOptions& options, const model::Gpu& gpu) {
  if (options.numerics == "f32") return vgpu::Numerics::kF32;
  if (options.numerics.empty()) {
    return gpu.compute_major < 9 ? vgpu::Numerics::kSm80 : vgpu::Numerics::kSm90;
  }
  return options.numerics == "sm80" ? vgpu::Numerics::kSm80 : vgpu::Numerics::kSm90;
}

std::string name_of(vgpu::Numerics numerics) {
  switch (numerics) {
    case vgpu::Numerics::kSm80: return "sm80";
    case vgpu::Numerics::kSm90: return "sm90";
    case vgpu::Numerics::kF32: break;
  }
  return "f32";
}

std::string name_of(vgpu::AsyncOrder order, std::uint64_t seed) {
  switch (order) {
    case vgpu::AsyncOrder::kEarliest: return "earliest";
    case vgpu::AsyncOrder::kSoon: return "soon";
    case vgpu::AsyncOrder::kLatest: return "latest";
    case vgpu::AsyncOrder::kRandom: break;
  }
  return fmt::format("random:{}", seed);
}

bench::EmulationRequest make_request(const EmulateOptions& options, const compile::Image& image) {
  bench::EmulationRequest request;
  request.ptx = image.ptx;
  request.cubin = image.cubin;
  request.source_name = options.source.ends_with(".ptx") ? options.source : options.source + ".ptx";
  request.kernel = image.kernel;
  request.gpu = bench::gpu_for(image.arch);
  request.grid = options.grid;
  request.block = options.block;
  request.dynamic_shared_bytes = options.shared_bytes;
  request.arguments = options.arguments;
  request.options.cluster = options.cluster;
  request.options.checks = options.checks;
  request.options.async_order = options.async_order;
  request.options.async_seed = options.async_seed;
  request.options.numerics = numerics_of(options, request.gpu);
  request.options.print = print;
  return request;
}

bench::EmulationContext describe(const EmulateOptions& options, const compile::Image& image,
                                 const bench::EmulationRequest& request) {
  bench::EmulationContext context = bench::describe_emulation(request.gpu);
  context.source = options.source;
  context.arch = image.arch;
  context.compiler = image.compiler;
  context.notes = image.notes;
  for (const CheckName& check : kCheckNames) {
    if (options.checks.*check.member) context.checks.emplace_back(check.name);
  }
  context.async_order = name_of(options.async_order, options.async_seed);
  context.numerics = name_of(request.options.numerics);
  return context;
}

void check_files(const EmulateOptions& options) {
  std::vector<OutputFile> outputs{{"--json", options.json}};
  std::vector<std::string> inputs{options.source};
  for (const bench::KernelArgument& argument : options.arguments) {
    const bool is_input = argument.source == bench::ArraySource::kFile;
    if (argument.is_output) outputs.push_back({"--arg", argument.file.string()});
    if (is_input && !argument.is_output) inputs.push_back(argument.file.string());
  }
  check_outputs(outputs, inputs);
}

void keep_image(const std::string& folder, const compile::Image& image) {
  const std::filesystem::path path = folder;
  std::error_code ignored;  // writing tells what is wrong with the folder
  std::filesystem::create_directories(path, ignored);
  write_file(path / "kernel.ptx", image.ptx);
  if (!image.cubin.empty()) write_file(path / "kernel.cubin", image.cubin);
}

int run(const EmulateOptions& options) {
  // Everything that can be wrong with the command line shows before anything is compiled.
  check_files(options);
  if (!options.arch.empty()) bench::gpu_for(options.arch);

  const compile::Image image = compile_source(options);
  if (!options.keep.empty()) keep_image(options.keep, image);
  const bench::EmulationRequest request = make_request(options, image);
  bench::Emulation emulation;
  emulation.context = describe(options, image, request);
  emulation.kernels.push_back(bench::emulate(request));
  emulation.kernels.back().name = image.demangled;

  if (!options.json.empty()) write_file(options.json, report::emulation_json(emulation));
  print(report::emulation_text(emulation, table_columns(), wants_color(options.color)));
  return emulation.kernels.back().findings.empty() ? kDone : kWrongResult;
}

}  // namespace

void add_emulate(CLI::App& app, Action& action) {
  const auto options = std::make_shared<EmulateOptions>();
  CLI::App* command =
      app.add_subcommand("emulate", "Run a CUDA kernel of your own on the virtual GPU");
  add_emulate_options(*command, *options);
  command->footer(kExamples);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
