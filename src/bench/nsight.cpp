// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of ncu: https://docs.nvidia.com/nsight-compute/NsightComputeCli/
#include "bench/nsight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "core/file.hpp"
#include "core/programs.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

namespace fs = std::filesystem;

// The toolkit's folder, and the newest of the versions that NVIDIA's own packages install side by
// side: their names sort by version.
std::vector<fs::path> usual_folders() {
  std::vector<fs::path> versions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/opt/nvidia/nsight-compute", ignored)) {
    versions.push_back(entry.path());
  }
  std::sort(versions.rbegin(), versions.rend());
  versions.insert(versions.begin(), "/usr/local/cuda/bin");
  return versions;
}

fs::path find_program() {
  if (const char* named = std::getenv("TILEWISE_NCU")) {
    if (is_program(named)) return named;
    throw Error(ErrorCode::kUnsupported,
                fmt::format("TILEWISE_NCU names '{}', which is not a program", named));
  }
  if (const fs::path program = find_on_path("ncu"); !program.empty()) return program;
  for (const fs::path& folder : usual_folders()) {
    if (is_program(folder / "ncu")) return folder / "ncu";
  }
  throw Error(
      ErrorCode::kUnsupported,
      "Nsight Compute's ncu was not found: install it (it is part of the CUDA toolkit; Debian: "
      "nsight-compute in non-free), put it on PATH, or name it in TILEWISE_NCU");
}

// A profiler that does not start is the driver's trouble, not bad input.
ProgramOutcome run_ncu(const std::vector<std::string>& command, const ScratchFolder& folder) {
  try {
    return run_program(command, folder);
  } catch (const Error& error) {
    throw Error(ErrorCode::kDriver, error.what());
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// ncu's own words for what went wrong, the first of them; empty when it has none, or only says that
// the program failed, which that one says better itself.
std::string_view error_line(std::string_view text) {
  for (const std::string_view mark : {"==ERROR== ", "==WARNING== No kernels"}) {
    for (const std::string_view line : lines_of(text)) {
      if (line.find("application returned an error code") != std::string_view::npos) return {};
      if (line.starts_with(mark)) return line.substr(line.find(' ') + 1);
    }
  }
  return {};
}

// The last line of a program's output: for most, why it ended.
std::string_view last_line(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->empty() && !line->starts_with("==PROF==")) return *line;
  }
  return "no output";
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[++i];
      else quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// "1,234,567" or "12.50"; nothing for "n/a" and the like.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return value;
}

ProfiledLaunch read_row(const std::vector<std::string>& header, const std::vector<std::string>& row,
                        const std::vector<std::string>& wanted) {
  ProfiledLaunch launch;
  for (std::size_t i = 0; i < header.size() && i < row.size(); ++i) {
    if (header[i] == "Kernel Name") launch.kernel = row[i];
    for (const std::string& name : wanted) {
      if (header[i] != name + ".sum") continue;
      if (const std::optional<double> value = number(row[i])) launch.values[name] = *value;
    }
  }
  return launch;
}

}  // namespace

Nsight::Nsight() : program_(find_program()) {}

std::set<std::string> Nsight::query_metrics() const {
  const ScratchFolder scratch("ncu");
  const auto [code, text] = run_ncu({program_.string(), "--query-metrics"}, scratch);
  std::set<std::string> names = parse_metric_names(text);
  if (code != 0 || names.empty()) {
    const std::string_view reason = error_line(text);
    throw Error(ErrorCode::kDriver, fmt::format("ncu --query-metrics failed (exit code {}): {}",
                                                code, reason.empty() ? last_line(text) : reason));
  }
  return names;
}

std::vector<ProfiledLaunch> Nsight::profile(const std::vector<std::string>& command,
                                            const std::vector<std::string>& metrics) const {
  const ScratchFolder scratch("ncu");
  const fs::path report = scratch / "report.csv";
  // Clocks and caches stay as they are: counts do not depend on them, and replays are faster.
  std::vector<std::string> arguments{program_.string(),
                                     "--csv",
                                     "--page",
                                     "raw",
                                     "--print-units",
                                     "base",
                                     "--print-kernel-base",
                                     "mangled",
                                     "--clock-control",
                                     "none",
                                     "--cache-control",
                                     "none",
                                     "--target-processes",
                                     "all",
                                     "--log-file",
                                     report.string(),
                                     "--metrics",
                                     fmt::format("{}.sum", fmt::join(metrics, ".sum,"))};
  arguments.insert(arguments.end(), command.begin(), command.end());
  const auto [code, output] = run_ncu(arguments, scratch);
  const std::string text = fs::exists(report) ? read_file(report) : output;
  if (code != 0) {
    const std::string_view reason = error_line(text);
    throw Error(ErrorCode::kDriver, fmt::format("ncu failed (exit code {}): {}", code,
                                                reason.empty() ? last_line(output) : reason));
  }
  return parse_launches(text, metrics);
}

std::set<std::string> parse_metric_names(std::string_view text) {
  std::set<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (word.find("__") != std::string_view::npos) names.emplace(word);
  }
  return names;
}

std::vector<ProfiledLaunch> parse_launches(std::string_view text,
                                           const std::vector<std::string>& wanted) {
  std::vector<std::string> header;
  std::vector<ProfiledLaunch> launches;
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with('"')) continue;  // ==PROF== and other words of ncu
    const std::vector<std::string> row = csv_fields(line);
    if (header.empty()) {
      header = row;
    } else if (!row[0].empty()) {  // the row of units has no ID
      launches.push_back(read_row(header, row, wanted));
    }
  }
  if (launches.empty()) {
    const std::string_view reason = error_line(text);
    throw Error(ErrorCode::kDriver, fmt::format("ncu profiled no kernel: {}",
                                                reason.empty() ? last_line(text) : reason));
  }
  return launches;
}

}  // namespace tilewise::bench
