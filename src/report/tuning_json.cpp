// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "report/tuning.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

Json value_of(const bench::TuneResult& result) {
  const bench::GpuProblem& problem = result.problem;
  Json value{{"group", problem.shape.group},
             {"m", problem.shape.m},
             {"n", problem.shape.n},
             {"k", problem.shape.k},
             {"trans_a", problem.shape.trans_a ? "T" : "N"},
             {"trans_b", problem.shape.trans_b ? "T" : "N"},
             {"batch", problem.shape.batch},
             {"dtype", name_of(problem.dtype)},
             {"c_dtype", name_of(problem.result)},
             {"mode", gpu::name_of(problem.mode)}};
  if (!result.trouble.empty()) value["trouble"] = result.trouble;
  if (!result.is_tuned) return value;
  value.update({{"planner", result.planner},
                {"planner_us", rounded(result.planner_us)},
                {"winner", result.winner},
                {"winner_us", rounded(result.winner_us)},
                {"gain", rounded(result.gain())},
                {"noise_percent", rounded(result.noise)},
                {"plans", Json::array()}});
  for (const bench::MeasuredPlan& plan : result.plans) {
    value["plans"].push_back({{"plan", plan.plan},
                              {"estimate_us", rounded(plan.estimate)},
                              {"measured_us", rounded(plan.microseconds)},
                              {"in_rounds", plan.is_finalist}});
  }
  return value;
}

}  // namespace

std::string tuning_json(const bench::TuneReport& report) {
  const bench::TuneContext& c = report.context;
  const bench::TuneSummary summary = bench::summary_of(report);
  Json value{{"context",
              {{"tilewise", c.version},
               {"commit", c.commit},
               {"date", c.date},
               {"processor", c.device},
               {"gpu", c.gpu},
               {"suite", c.suite},
               {"seed", c.seed},
               {"file", c.file},
               {"kernels", c.kernels}}},
             {"results", Json::array()},
             {"summary",
              {{"tuned", summary.tuned},
               {"changed", summary.changed},
               {"failed", summary.failed},
               {"left_alone", report.left_alone},
               {"interrupted", report.was_stopped},
               {"mean_gain", rounded(summary.mean_gain)},
               {"mean_regret", rounded(summary.mean_regret)}}}};
  for (const bench::TuneResult& result : report.results)
    value["results"].push_back(value_of(result));
  return value.dump(2) + "\n";
}

std::string tuned_json(const gpu::TunedFile::Rows& rows, const std::vector<gpu::TunedOn>& here) {
  Json list = Json::array();
  for (const gpu::TunedRow& row : rows.rows) {
    list.push_back({{"gpu", row.on.gpu},
                    {"compute_capability", row.on.capability},
                    {"multiprocessors", row.on.multiprocessors},
                    {"kernels", row.on.kernels},
                    {"used_here", std::ranges::find(here, row.on) != here.end()},
                    {"dtype", name_of(row.key.operand)},
                    {"c_dtype", name_of(row.key.result)},
                    {"mode", gpu::name_of(row.key.mode)},
                    {"trans", row.key.trans()},
                    {"m", row.key.m},
                    {"n", row.key.n},
                    {"k", row.key.k},
                    {"batch", row.key.count},
                    {"a", gpu::text_of(row.key.a)},
                    {"b", gpu::text_of(row.key.b)},
                    {"plan", row.tuned.plan},
                    {"microseconds", row.tuned.microseconds},
                    {"planner", row.tuned.planner},
                    {"planner_microseconds", row.tuned.planner_microseconds},
                    {"processor", row.tuned.device},
                    {"tilewise", row.tuned.version},
                    {"date", row.tuned.date}});
  }
  return list.dump(2) + "\n";
}

}  // namespace tilewise::report
