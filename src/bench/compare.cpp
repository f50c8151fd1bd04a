// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "bench/timing.hpp"

namespace tilewise::bench {
namespace {

std::vector<std::string> common_peers(const ComparedResult& before, const ComparedResult& after) {
  std::vector<std::string> names;
  for (const auto& [name, gflops] : before.peers) {
    if (after.peers.contains(name)) names.push_back(name);
  }
  return names;
}

double peer_spread(const ComparedResult& result, const std::string& name) {
  const auto found = result.peer_spreads.find(name);
  return found == result.peer_spreads.end() ? 0 : found->second;
}

// How much faster the peers were in the second file, and the squared error of that, in percent.
struct PeerChange {
  double ratio = 1, error_square = 0;
};

// The median, so that one peer that changed, or was disturbed, does not decide.
PeerChange change_of_peers(const ComparedResult& before, const ComparedResult& after,
                           const std::vector<std::string>& names) {
  PeerChange change;
  std::vector<double> ratios;
  const auto count = static_cast<double>(names.size());
  for (const std::string& name : names) {
    ratios.push_back(after.peers.at(name) / before.peers.at(name));
    for (const ComparedResult* result : {&before, &after}) {
      const double error = median_error(peer_spread(*result, name), result->samples) / count;
      change.error_square += error * error;
    }
  }
  change.ratio = median(std::move(ratios));
  return change;
}

ComparedRow compare_results(const ComparedResult& before, const ComparedResult& after,
                            double floor_percent) {
  constexpr double kStandardErrors = 3;
  ComparedRow row{after.group,  after.key(), before.gflops, after.gflops, 0,
                  std::nullopt, 0,           Change::kSame};
  row.ratio = after.gflops / before.gflops;
  double square = 0;
  for (const ComparedResult* result : {&before, &after}) {
    const double error = median_error(result->spread, result->samples);
    square += error * error;
  }
  if (const std::vector<std::string> names = common_peers(before, after); !names.empty()) {
    const PeerChange peers = change_of_peers(before, after, names);
    row.peer_ratio = row.ratio / peers.ratio;
    square += peers.error_square;
  }
  row.noise = std::max(floor_percent, kStandardErrors * std::sqrt(square));
  const double factor = 1 + row.noise / 100;
  if (row.judged() * factor < 1) row.change = Change::kSlower;
  if (row.judged() > factor) row.change = Change::kFaster;
  return row;
}

void count(Comparison& comparison) {
  double logarithms = 0, both = 0;
  for (const ComparedRow& row : comparison.rows) {
    switch (row.change) {
      case Change::kNew: ++comparison.added; continue;
      case Change::kMissing: ++comparison.missing; continue;
      case Change::kSlower: ++comparison.slower; break;
      case Change::kFaster: ++comparison.faster; break;
      case Change::kSame: break;
    }
    logarithms += std::log(row.judged());
    both += 1;
  }
  if (both > 0) comparison.mean_ratio = std::exp(logarithms / both);
}

}  // namespace

double median_error(double spread, std::size_t samples) {
  const double count = samples > 0 ? static_cast<double>(samples) : 10;
  return 1.2533 * spread / 1.349 / std::sqrt(count);
}

std::string ComparedResult::key() const {
  const bool narrow = (dtype == "bf16" || dtype == "f16") && c_dtype == dtype;
  return fmt::format(
      "{} {}x{}x{} {}{}{}{}{}{}{}", dtype, m, n, k, trans_a ? 'T' : 'N', trans_b ? 'T' : 'N',
      mode == "ieee" ? "" : " " + mode, batch == 1 ? "" : fmt::format(", {} times", batch),
      scaling == Scaling{} ? "" : ", " + scaling_name(scaling),
      threads == 1 ? "" : fmt::format(", {} threads", threads), narrow ? ", C " + c_dtype : "");
}

Comparison compare(const ComparedFile& before, const ComparedFile& after, double floor_percent) {
  Comparison comparison{before.name, after.name, before.machine, after.machine, {}, 0, 0, 0, 0, 0};
  std::map<std::string, const ComparedResult*> left;
  for (const ComparedResult& result : before.results) left[result.key()] = &result;
  for (const ComparedResult& result : after.results) {
    const auto found = left.find(result.key());
    if (found == left.end()) {
      comparison.rows.push_back({result.group, result.key(), std::nullopt, result.gflops, 0,
                                 std::nullopt, 0, Change::kNew});
      continue;
    }
    comparison.rows.push_back(compare_results(*found->second, result, floor_percent));
    left.erase(found);
  }
  for (const ComparedResult& result : before.results) {
    if (!left.contains(result.key())) continue;
    comparison.rows.push_back({result.group, result.key(), result.gflops, std::nullopt, 0,
                               std::nullopt, 0, Change::kMissing});
  }
  count(comparison);
  return comparison;
}

}  // namespace tilewise::bench
