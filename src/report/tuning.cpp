// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/bench_text.hpp"

namespace tilewise::report {
namespace {

constexpr std::size_t kMostShown = 6;

// "1.31 times as fast", from where that says something.
std::string times_as_fast(double gain) { return fmt::format("{:.2f} times as fast", gain); }

std::string verdict(const bench::TuneResult& result, bool color) {
  if (!result.is_tuned) return painted(color, kYellow, "not tuned: " + result.trouble);
  if (!result.trouble.empty()) return painted(color, kRed, result.trouble);
  if (result.changed())
    return painted(
        color, kGreen,
        fmt::format("{}, {} as the planner's choice", result.winner, times_as_fast(result.gain())));
  return "the planner's choice, " + result.planner;
}

std::string note(const bench::TuneResult& result, const bench::MeasuredPlan& plan) {
  const bool is_planners = plan.plan == result.planner;
  if (result.changed() && plan.plan == result.winner) {
    return fmt::format("  tuned: {:+.1f} %, noise {:.1f} %",
                       (result.winner_us / result.planner_us - 1) * 100, result.noise);
  }
  if (is_planners) return "  the planner's";
  return plan.is_finalist ? "" : "  shortest of a few runs";
}

std::string product_of(const gpu::TunedKey& key) {
  std::string trans = key.trans();
  std::ranges::transform(trans, trans.begin(), [](char c) { return c == 'n' ? 'N' : 'T'; });
  const std::string_view mode =
      key.mode == ComputeMode::kIeee ? std::string_view() : gpu::name_of(key.mode);
  return fmt::format("{}{}{}{} {}x{}x{} {}{}", name_of(key.operand),
                     key.result == key.operand ? "" : fmt::format("->{}", name_of(key.result)),
                     mode.empty() ? "" : " ", mode, key.m, key.n, key.k, trans,
                     key.count == 1 ? "" : fmt::format(", {} times", key.count));
}

}  // namespace

std::string tuning_of(const bench::TuneResult& result, bool color) {
  std::string out =
      fmt::format("{}: {}\n", painted(color, kBold, result.problem.name()), verdict(result, color));
  if (result.plans.empty()) return out;
  out += fmt::format("  {:<44}{:>12}{:>12}\n", "plan", "estimate us", "measured us");
  std::size_t shown = 0, hidden = 0;
  for (const bench::MeasuredPlan& plan : result.plans) {
    if (shown >= kMostShown && plan.plan != result.planner) {
      ++hidden;
      continue;
    }
    ++shown;
    out += ended(fmt::format("  {:<44}{:>12.2f}{:>12.2f}{}", plan.plan, plan.estimate,
                             plan.microseconds, note(result, plan)));
  }
  if (hidden > 0) out += fmt::format("  and {} more\n", hidden);
  return out;
}

std::string tuning_summary(const bench::TuneReport& report) {
  const bench::TuneSummary summary = bench::summary_of(report);
  std::string out = fmt::format("{} product{} tuned", summary.tuned, summary.tuned == 1 ? "" : "s");
  if (summary.tuned > 0) {
    out += fmt::format(": {} keep{} the planner's choice", summary.tuned - summary.changed,
                       summary.tuned - summary.changed == 1 ? "s" : "");
  }
  if (summary.changed > 0) {
    out += fmt::format(", {} take{} another plan, in the geometric mean {} (most: {:.2f}, {})",
                       summary.changed, summary.changed == 1 ? "s" : "",
                       times_as_fast(summary.mean_gain), summary.most->gain(),
                       summary.most->problem.name());
  }
  out += "\n";
  if (summary.tuned > 0) {
    out += fmt::format("The planner's regret: {:.1f} % in the geometric mean over all of them\n",
                       (summary.mean_regret - 1) * 100);
  }
  if (report.left_alone > 0)
    out += fmt::format("{} had a tuned plan already and were left alone\n", report.left_alone);
  if (report.was_stopped) out += "Interrupted: what is listed above is kept\n";
  return out;
}

std::string tuned_table(const gpu::TunedFile::Rows& rows, const std::vector<gpu::TunedOn>& here) {
  std::string out =
      fmt::format("{:<34}{:<42}{:>10}{:>8}  {}\n", "product", "plan", "us", "gain", "measured");
  std::size_t others = 0;
  for (const gpu::TunedRow& row : rows.rows) {
    const bool is_used = std::ranges::find(here, row.on) != here.end();
    others += is_used ? 0 : 1;
    const gpu::TunedPlan& tuned = row.tuned;
    out += fmt::format("{:<34}{:<42}{:>10.2f}{:>8}  {} on {}{}\n", product_of(row.key), tuned.plan,
                       tuned.microseconds,
                       tuned.plan == tuned.planner
                           ? std::string(kNothing)
                           : fmt::format("{:.2f}", tuned.planner_microseconds / tuned.microseconds),
                       tuned.date.substr(0, 10), row.on.gpu, is_used ? "" : " *");
  }
  out += fmt::format("\n{} plan{}\n", rows.rows.size(), rows.rows.size() == 1 ? "" : "s");
  if (others > 0) {
    out +=
        "* of another GPU than there is here, or of other kernels than this program's: not "
        "used\n";
  }
  for (const std::string& reason : rows.refused) out += fmt::format("ignored: {}\n", reason);
  return out;
}

}  // namespace tilewise::report
