// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise golden check`: the access rules, the tensor cores' numerics, tensor maps and their copies, and
// where wgmma finds its operands, against files of what GPUs counted, computed and copied.
// `tilewise golden capture`: records such files on the GPU of this machine.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <memory>

#include "bench/capture.hpp"
#include "bench/capture_mma.hpp"
#include "bench/nsight.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/outputs.hpp"
#include "cli/self.hpp"
#include "core/file.hpp"
#include "device/device.hpp"
#include "model/golden_access.hpp"
#include "vgpu/golden_mma.hpp"
#include "vgpu/golden_tma.hpp"

namespace tilewise::cli {
namespace {

namespace fs = std::filesystem;

struct GoldenOptions {
  std::string folder;
  std::uint64_t seed = 1;
};

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

// What single tensor-core instructions compute: no profiler is needed.
void capture_products(const fs::path& folder, std::uint64_t seed) {
  constexpr int kRecords = 60;
  create_folder(folder);
  const std::unique_ptr<device::Device> device = device::open(device::Choice::kCuda, "");
  const model::Gpu& gpu = device->gpu();
  for (const std::string_view name : bench::mma_probes(gpu.compute_major, gpu.compute_minor)) {
    write_file(folder / fmt::format("{}.bin", name),
               bench::capture_mma(*device, name, kRecords, seed));
  }
}

int capture(const GoldenOptions& options) {
  const std::vector<model::Gpu> gpus = device::cuda_devices();
  if (gpus.empty()) {
    throw Error(ErrorCode::kNoDevice,
                fmt::format("golden capture needs a CUDA device: {}", device::cuda_status()));
  }
  const fs::path file = prepare_file(options, gpus.front());
  capture_products(file.parent_path() / "mma", options.seed);
  const bench::Nsight nsight;
  const std::set<std::string> available = nsight.query_metrics();

  // This program again, under ncu: it launches the probes of the same rows in the same order.
  std::vector<model::GoldenAccess> rows = rows_of(gpus.front(), options.seed);
  const std::vector<bench::ProfiledLaunch> launches =
      nsight.profile({own_path(), "golden", "probe", "--seed", std::to_string(options.seed)},
                     bench::capture_metrics(available));
  bench::take_counts(rows, launches, available);
  write_file(file, model::to_csv(rows));

  model::GoldenReport report;
  model::check_rows(rows, file, report);
  return finish(std::move(report), file.parent_path());
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
  captured->footer(
      "Writes DIR/<gpu>/memory_access.csv and, of mma.sync, DIR/<gpu>/mma/*.bin; wgmma and TMA are "
      "not recorded. Example:\n  tilewise golden capture golden");
  captured->callback([options, &action] { action = [options] { return capture(*options); }; });

  // What runs under ncu: launches the probes and prints nothing.
  CLI::App* probed = golden->add_subcommand("probe")->group("");
  add_seed(*probed, options);
  probed->callback([options, &action] { action = [options] { return probe(*options); }; });
}

}  // namespace tilewise::cli
