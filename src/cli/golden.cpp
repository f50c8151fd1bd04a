// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise golden check`: the access rules, the tensor cores' numerics, tensor maps and their copies, and
// where wgmma finds its operands, against files of what GPUs counted, computed and copied.
// `tilewise golden capture`: records such files on the GPU of this machine, or on a virtual one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>

#include "bench/capture.hpp"
#include "bench/capture_mma.hpp"
#include "bench/capture_tma.hpp"
#include "bench/capture_wgmma.hpp"
#include "bench/nsight.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/outputs.hpp"
#include "cli/self.hpp"
#include "core/file.hpp"
#include "core/programs.hpp"
#include "device/device.hpp"
#include "device/virtual/virtual_device.hpp"
#include "model/golden_access.hpp"
#include "vgpu/golden_mma.hpp"
#include "vgpu/golden_tma.hpp"

namespace tilewise::cli {
namespace {

namespace fs = std::filesystem;

struct GoldenOptions {
  std::string folder;
  std::uint64_t seed = 1;
  std::string device = "cuda", gpu = "h200";
  std::size_t first_copy = 0;
};

constexpr std::array<std::string_view, 2> kDevices{"cuda", "virtual"};
constexpr int kRecords = 60;      // of a product
constexpr int kLayoutRows = 15;   // of each spelling of wgmma
constexpr int kTensorMaps = 800;  // requests
constexpr int kTensorCopies = 340;

std::string report_text(const model::GoldenReport& report) {
  std::string out;
  for (const model::GoldenFile& file : report.files) {
    out += fmt::format("{}: {} rows, {} match", file.file.string(), file.rows, file.matches);
    const int mismatches = file.rows - file.matches - file.not_measured;
    if (mismatches > 0) out += fmt::format(", {} MISMATCH", mismatches);
    if (file.not_measured > 0) out += fmt::format(", {} not measured", file.not_measured);
    out += '\n';
  }
  for (const model::GoldenMismatch& mismatch : report.first_mismatches) {
    out += "  " + model::to_text(mismatch) + '\n';
  }
  if (report.mismatches() > static_cast<int>(report.first_mismatches.size())) {
    out += fmt::format("  … and {} more\n",
                       report.mismatches() - static_cast<int>(report.first_mismatches.size()));
  }
  for (const fs::path& file : report.not_checked) {
    out += fmt::format("{}: not checked, no rule of this version looks at it\n", file.string());
  }
  return out;
}

int finish(const model::GoldenReport& report) {
  print(report_text(report));
  if (report.mismatches() == 0) return kDone;
  complain(fmt::format("{} of {} golden rows do not match the access rules", report.mismatches(),
                       report.rows));
  return kWrongResult;
}

// "NVIDIA GeForce RTX 4070" as a folder: "nvidia_geforce_rtx_4070"; "h200" stays.
std::string folder_name(const std::string& key) {
  std::string name;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return name;
}

// The numerics of the GPU whose folder it is; Hopper's where the catalogue does not know it.
vgpu::Numerics numerics_of(const fs::path& mma_file) {
  const std::string folder = mma_file.parent_path().parent_path().filename().string();
  for (const model::Gpu& gpu : model::catalogue()) {
    if (folder_name(gpu.key) == folder && gpu.compute_major < 9) return vgpu::Numerics::kSm80;
  }
  return vgpu::Numerics::kSm90;
}

// Prints what came of a file; returns how many of its records do not match.
int show(const vgpu::GoldenRecords& outcome) {
  const int wrong = outcome.records - outcome.matches;
  std::string text = fmt::format("{}: {} records, {} match", outcome.file.string(), outcome.records,
                                 outcome.matches);
  if (wrong > 0) text += fmt::format(", {} MISMATCH", wrong);
  for (const std::string& mismatch : outcome.first_mismatches) text += "\n  " + mismatch;
  print(text + '\n');
  return wrong;
}

// Reports on the access files of `report`, on the products and on Hopper's copies and operands in `folder`.
int finish(model::GoldenReport report, const fs::path& folder) {
  int wrong_products = 0, wrong_copies = 0;
  for (const fs::path& file : vgpu::find_mma_files(folder)) {
    std::erase(report.not_checked, file);
    wrong_products += show(vgpu::check_mma_file(file, numerics_of(file)));
  }
  for (const fs::path& file : vgpu::find_tma_files(folder)) {
    std::erase(report.not_checked, file);
    wrong_copies += show(vgpu::check_tma_file(file));
  }
  const int code = finish(report);
  if (wrong_products > 0) {
    complain(fmt::format("{} golden records of tensor-core instructions do not match the numerics",
                         wrong_products));
  }
  if (wrong_copies > 0) {
    complain(
        fmt::format("{} golden records of tensor maps, their copies or wgmma's operands do "
                    "not match the virtual GPU",
                    wrong_copies));
  }
  return wrong_products + wrong_copies > 0 ? kWrongResult : code;
}

int check(const GoldenOptions& options) {
  return finish(model::check_golden(options.folder), options.folder);
}

std::vector<model::GoldenAccess> rows_of(const model::Gpu& gpu, std::uint64_t seed) {
  return bench::rows_for(model::capture_patterns(seed), gpu.compute_major);
}

void create_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("cannot create folder '{}': {}", folder.string(), failed.message()));
  }
}

// The file that capture will write. Its folder is made first, so that a folder that cannot be written
// shows before the run.
fs::path prepare_file(const GoldenOptions& options, const model::Gpu& gpu) {
  const fs::path folder = fs::path(options.folder) / folder_name(gpu.key);
  create_folder(folder);
  const fs::path file = folder / "memory_access.csv";
  check_outputs({{"golden capture", file.string()}}, {});
  return file;
}

std::unique_ptr<device::Device> open_device(const GoldenOptions& options) {
  if (options.device == "cuda") {
    if (device::cuda_devices().empty()) {
      throw Error(ErrorCode::kNoDevice,
                  fmt::format("golden capture needs a CUDA device: {}", device::cuda_status()));
    }
    return device::open(device::Choice::kCuda, "");
  }
  auto device = std::make_unique<device::VirtualDevice>(model::find_gpu(options.gpu));
  vgpu::LaunchOptions launch;
  if (device->gpu().compute_major < 9) launch.numerics = vgpu::Numerics::kSm80;
  device->watch(launch);
  return device;
}

// What single tensor-core instructions compute: no profiler is needed.
void capture_products(device::Device& device, const fs::path& folder, std::uint64_t seed) {
  create_folder(folder);
  const model::Gpu& gpu = device.gpu();
  const auto write = [&](std::string_view name, const std::string& records) {
    write_file(folder / fmt::format("{}.bin", name), records);
  };
  for (const std::string_view name : bench::mma_probes(gpu.compute_major, gpu.compute_minor))
    write(name, bench::capture_mma(device, name, kRecords, seed));
  for (const std::string_view name : bench::wgmma_probes(gpu.compute_major, gpu.compute_minor))
    write(name, bench::capture_wgmma(device, name, kRecords, seed));
}

// Runs this program again for the copies behind each one that faults: a real GPU that faulted does nothing more
// for the process that asked.
std::string captured_copies(const GoldenOptions& options) {
  const ScratchFolder scratch("golden");
  const std::string file = (scratch / "copies.csv").string();
  std::string text = bench::tensor_copies_head();
  for (std::size_t done = 0; done < static_cast<std::size_t>(kTensorCopies);) {
    const ProgramOutcome outcome = run_program(
        {own_path(), "golden", "copies", file, "--seed", std::to_string(options.seed), "--device",
         options.device, "--gpu", options.gpu, "--first", std::to_string(done)},
        scratch);
    const std::string rows = outcome.code == kDone ? read_file(file) : "";
    const auto lines = static_cast<std::size_t>(std::ranges::count(rows, '\n'));
    if (lines == 0) {
      throw Error(ErrorCode::kDriver,
                  fmt::format("golden capture: copies from row {} on: {}", done, outcome.output));
    }
    text += rows;
    done += lines;
  }
  return text;
}

// What only Hopper has.
void capture_hopper(device::Device& device, const GoldenOptions& options, const fs::path& folder) {
  if (bench::wgmma_probes(device.gpu().compute_major, device.gpu().compute_minor).empty()) return;
  write_file(folder / "wgmma_layouts.csv",
             bench::capture_layouts(device, kLayoutRows, options.seed));
  write_file(folder / "tensor_maps.csv",
             bench::capture_tensor_maps(device, kTensorMaps, options.seed));
  write_file(folder / "tensor_copies.csv", captured_copies(options));
}

// The counts of each row. On a real GPU this program runs again, under ncu: it launches the probes of the same
// rows in the same order.
void capture_accesses(device::Device& device, const GoldenOptions& options,
                      std::vector<model::GoldenAccess>& rows) {
  if (device.is_virtual()) {
    const std::vector<model::AccessCounts> counts = bench::count_probes(device, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].expected = counts[i];
    return;
  }
  const bench::Nsight nsight;
  const std::set<std::string> available = nsight.query_metrics();
  const std::vector<bench::ProfiledLaunch> launches =
      nsight.profile({own_path(), "golden", "probe", "--seed", std::to_string(options.seed)},
                     bench::capture_metrics(available));
  bench::take_counts(rows, launches, available);
}

// What needs a profiler comes last: without one, the rest is there.
int capture(const GoldenOptions& options) {
  const std::unique_ptr<device::Device> device = open_device(options);
  const fs::path file = prepare_file(options, device->gpu());
  const fs::path folder = file.parent_path();
  capture_products(*device, folder / "mma", options.seed);
  capture_hopper(*device, options, folder);
  std::vector<model::GoldenAccess> rows = rows_of(device->gpu(), options.seed);
  capture_accesses(*device, options, rows);
  write_file(file, model::to_csv(rows));

  model::GoldenReport report;
  model::check_rows(rows, file, report);
  return finish(std::move(report), folder);
}

// Lines of tensor_copies.csv from one row on, up to the first that faults.
int copies(const GoldenOptions& options) {
  const std::unique_ptr<device::Device> device = open_device(options);
  write_file(options.folder,
             bench::capture_copies(*device, bench::tensor_copies(kTensorCopies, options.seed),
                                   options.first_copy));
  return kDone;
}

int probe(const GoldenOptions& options) {
  const std::unique_ptr<device::Device> device = device::open(device::Choice::kCuda, "");
  bench::launch_probes(*device, rows_of(device->gpu(), options.seed));
  return kDone;
}

void add_folder(CLI::App& command, const std::shared_ptr<GoldenOptions>& options) {
  command
      .add_option_function<std::string>(
          "DIR", [options](const std::string& text) { options->folder = parse_path("DIR", text); },
          "Folder of golden files, one folder a GPU")
      ->type_name("")
      ->required();
}

void add_device(CLI::App& command, const std::shared_ptr<GoldenOptions>& options) {
  command
      .add_option_function<std::string>(
          "--device",
          [options](const std::string& text) {
            options->device = parse_choice("--device", text, kDevices);
          },
          "cuda or virtual, which shows how it goes but not what hardware does; else cuda")
      ->type_name("WHERE");
  command
      .add_option_function<std::string>(
          "--gpu", [options](const std::string& text) { options->gpu = parse_name("--gpu", text); },
          "What the virtual GPU plays (see 'tilewise devices'); else h200")
      ->type_name("KEY");
}

void add_seed(CLI::App& command, const std::shared_ptr<GoldenOptions>& options) {
  command
      .add_option_function<std::string>(
          "--seed",
          [options](const std::string& text) {
            options->seed = static_cast<std::uint64_t>(parse_whole("--seed", text));
          },
          "Of the random patterns; 1 unless given")
      ->type_name("N");
}

}  // namespace

void add_golden(CLI::App& app, Action& action) {
  const auto options = std::make_shared<GoldenOptions>();
  CLI::App* golden = app.add_subcommand(
      "golden", "Files of what GPUs counted and computed: check the rules, record new ones");
  golden->footer(
      "Examples:\n  tilewise golden check tests/golden\n  tilewise golden capture golden");

  CLI::App* checked = golden->add_subcommand(
      "check", "Hold access rules, tensor cores' numerics, TMA and wgmma against golden files");
  add_folder(*checked, options);
  checked->footer("Example:\n  tilewise golden check tests/golden");
  checked->callback([options, &action] { action = [options] { return check(*options); }; });

  CLI::App* captured = golden->add_subcommand(
      "capture",
      "Record golden files on this machine's GPU; accesses are counted by Nsight Compute's ncu");
  add_folder(*captured, options);
  add_seed(*captured, options);
  add_device(*captured, options);
  captured->footer(
      "Writes DIR/<gpu>/memory_access.csv and, of mma.sync and wgmma, DIR/<gpu>/mma/*.bin; of a "
      "Hopper "
      "GPU wgmma_layouts.csv, tensor_maps.csv and tensor_copies.csv too. Example:\n"
      "  tilewise golden capture golden");
  captured->callback([options, &action] { action = [options] { return capture(*options); }; });

  // What runs under ncu: launches the probes and prints nothing.
  CLI::App* probed = golden->add_subcommand("probe")->group("");
  add_seed(*probed, options);
  probed->callback([options, &action] { action = [options] { return probe(*options); }; });

  // One process' part of the copies of tensors.
  CLI::App* copied = golden->add_subcommand("copies")->group("");
  add_folder(*copied, options);
  add_seed(*copied, options);
  add_device(*copied, options);
  copied->add_option_function<std::string>("--first", [options](const std::string& text) {
    options->first_copy = static_cast<std::size_t>(parse_whole("--first", text));
  });
  copied->callback([options, &action] { action = [options] { return copies(*options); }; });
}

}  // namespace tilewise::cli
