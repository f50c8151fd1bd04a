// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "report/format.hpp"

namespace tilewise::report {

int rung_number(const kernels::Rung& rung) {
  int number = 0;
  std::from_chars(rung.unit.data(), rung.unit.data() + rung.unit.size(), number);
  return number;
}

std::uint64_t shared_wavefronts(const Counters& counters) {
  return counters.shared_load_wavefronts + counters.shared_store_wavefronts;
}

std::uint64_t shared_conflicts(const Counters& counters) {
  return counters.shared_load_conflicts + counters.shared_store_conflicts;
}

std::uint64_t global_sectors(const Counters& counters) {
  return counters.global_load_sectors + counters.global_store_sectors;
}

std::optional<double> fma_per_wavefront(const Counters& counters) {
  const std::uint64_t wavefronts = shared_wavefronts(counters);
  if (wavefronts == 0) return std::nullopt;
  return static_cast<double>(counters.fma_threads) / 32.0 / static_cast<double>(wavefronts);
}

double compulsory_bytes(const bench::RungResult& rung, double beta) {
  const auto m = static_cast<double>(rung.m), n = static_cast<double>(rung.n),
             k = static_cast<double>(rung.k);
  const kernels::Arithmetic arithmetic = rung.rung->arithmetic;
  const auto operand = static_cast<double>(size_of(kernels::operand_dtype(arithmetic)));
  const auto result = static_cast<double>(size_of(kernels::result_dtype(arithmetic)));
  return (m * k + k * n) * operand + (beta == 0 ? 1 : 2) * m * n * result;
}

const model::Gpu* gpu_of(const bench::Context& context) {
  for (const model::Gpu& gpu : model::catalogue()) {
    if (gpu.key == context.gpu || gpu.name == context.gpu) return &gpu;
  }
  return nullptr;
}

std::string tile_text(const kernels::TileShape& tile) {
  if (tile.bm == 0) return {};
  return fmt::format("{}×{}×{}", tile.bm, tile.bn, tile.bk);
}

std::string formula_text(const bench::Context& context) {
  return fmt::format("C = {}·A·B + {}·C", context.alpha, context.beta);
}

std::string peaks_text(const bench::Context& context) {
  std::string text;
  for (const bench::FmaPeak& peak : context.fma_peaks) {
    text += text.empty()
                ? fmt::format("FMA peak, measured: {} GFLOP/s on {} thread{}",
                              gflops_text(peak.gflops), peak.threads, peak.threads == 1 ? "" : "s")
                : fmt::format(", {} on {}", gflops_text(peak.gflops), peak.threads);
  }
  return text;
}

std::string limit_text(const model::Limit& limit) {
  if (limit.caveat != model::kTooFewWarps) return limit.summary;
  return fmt::format("{}; {}", limit.summary, limit.caveat);
}

std::string small_grid_note(const bench::LadderResult& result) {
  std::size_t small = 0, limited = 0;
  for (const bench::RungResult& rung : result.rungs) {
    if (!rung.limit) continue;
    ++limited;
    if (rung.limit->caveat == model::kTooFewBlocks) ++small;
  }
  if (small == 0) return {};
  const model::Gpu* gpu = gpu_of(result.context);
  const std::string sms = gpu ? fmt::format("the {} SMs of {}", gpu->sm_count, gpu->name)
                              : std::string("the GPU's SMs");
  return fmt::format(
      "At this size {} of {} rungs have fewer blocks than {}: compare their counters, not their "
      "times.",
      small, limited, sms);
}

bool all_exact(const bench::LadderResult& result) {
  bool counted = false;
  for (const bench::RungResult& rung : result.rungs) {
    if (!rung.fidelity) continue;
    if (*rung.fidelity != "exact") return false;
    counted = true;
  }
  return counted;
}

std::vector<std::string> fidelity_notes(const bench::LadderResult& result) {
  std::map<std::string, std::string> rungs_of;  // note -> "naive, tile_1d"
  std::vector<std::string> order;
  for (const bench::RungResult& rung : result.rungs) {
    for (const std::string& note : rung.fidelity_notes) {
      std::string& rungs = rungs_of[note];
      if (rungs.empty()) order.push_back(note);
      if (!rungs.empty()) rungs += ", ";
      rungs += rung.rung->name;
    }
  }
  for (std::string& note : order) note = fmt::format("{}: {}", rungs_of[note], note);
  return order;
}

std::vector<std::string_view> wrong_rungs(const bench::LadderResult& result) {
  std::vector<std::string_view> names;
  for (const bench::RungResult& rung : result.rungs) {
    if (!rung.verified) names.push_back(rung.rung->name);
  }
  return names;
}

}  // namespace tilewise::report
