// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_means.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tilewise::bench {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kBest = "best";

template <class T> void add_once(std::vector<T>& values, const T& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

std::optional<double> peer_gflops(const GemmResult& result, const std::string& peer) {
  if (peer == kBest) return result.best_peer();
  for (const auto& [name, timing] : result.peers) {
    if (name == peer && timing.gflops > 0) return timing.gflops;
  }
  return std::nullopt;
}

// A dtype and how it is multiplied.
using Arithmetic = std::pair<Dtype, std::string>;

GeometricMean mean_of(const std::vector<GemmResult>& results, const std::string& group,
                      const Arithmetic& arithmetic, const std::string& peer) {
  GeometricMean mean{group, arithmetic.first, arithmetic.second, peer, 0, 0, "", 0};
  double logarithms = 0;
  for (const GemmResult& result : results) {
    const std::optional<double> other = peer_gflops(result, peer);
    if (Arithmetic(result.dtype, result.mode) != arithmetic || !other || result.ours.gflops <= 0 ||
        (group != kAll && result.shape.group != group)) {
      continue;
    }
    const double ratio = result.ours.gflops / *other;
    logarithms += std::log(ratio);
    if (mean.shapes++ == 0 || ratio < mean.lowest) {
      mean.lowest = ratio;
      mean.lowest_shape = shape_name(result.shape);
    }
  }
  if (mean.shapes > 0) mean.ratio = std::exp(logarithms / static_cast<double>(mean.shapes));
  return mean;
}

}  // namespace

std::string GeometricMean::arithmetic() const {
  return std::string(name_of(dtype)) + (mode == "ieee" ? "" : " " + mode);
}

std::vector<GeometricMean> geometric_means(const std::vector<GemmResult>& results) {
  std::vector<std::string> groups, peers;
  std::vector<Arithmetic> arithmetics;
  for (const GemmResult& result : results) {
    add_once(groups, result.shape.group);
    add_once(arithmetics, {result.dtype, result.mode});
    for (const auto& [name, timing] : result.peers) add_once(peers, name);
  }
  groups.emplace_back(kAll);
  peers.emplace_back(kBest);
  std::vector<GeometricMean> means;
  for (const Arithmetic& arithmetic : arithmetics) {
    for (const std::string& group : groups) {
      for (const std::string& peer : peers) {
        GeometricMean mean = mean_of(results, group, arithmetic, peer);
        if (mean.shapes > 0) means.push_back(std::move(mean));
      }
    }
  }
  return means;
}

}  // namespace tilewise::bench
