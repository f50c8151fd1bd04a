// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_means.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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
    if (name == peer) return timing.gflops;
  }
  return std::nullopt;
}

GeometricMean mean_of(const std::vector<GemmResult>& results, const std::string& group, Dtype dtype,
                      const std::string& peer) {
  GeometricMean mean{group, dtype, peer, 0, 0, "", 0};
  double logarithms = 0;
  for (const GemmResult& result : results) {
    const std::optional<double> other = peer_gflops(result, peer);
    if (result.dtype != dtype || !other || (group != kAll && result.shape.group != group)) continue;
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

std::vector<GeometricMean> geometric_means(const std::vector<GemmResult>& results) {
  std::vector<std::string> groups, peers;
  std::vector<Dtype> dtypes;
  for (const GemmResult& result : results) {
    add_once(groups, result.shape.group);
    add_once(dtypes, result.dtype);
    for (const auto& [name, timing] : result.peers) add_once(peers, name);
  }
  groups.emplace_back(kAll);
  peers.emplace_back(kBest);
  std::vector<GeometricMean> means;
  for (const Dtype dtype : dtypes) {
    for (const std::string& group : groups) {
      for (const std::string& peer : peers) {
        GeometricMean mean = mean_of(results, group, dtype, peer);
        if (mean.shapes > 0) means.push_back(std::move(mean));
      }
    }
  }
  return means;
}

}  // namespace tilewise::bench
