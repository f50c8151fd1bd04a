// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Many results in one figure: geometric means of the speed against each peer.
#pragma once

#include <string>
#include <vector>

#include "bench/gemm_bench.hpp"

namespace tilewise::bench {

/// Our GFLOP/s over a peer's, over all shapes of a group, dtype and mode that both have a time for.
struct GeometricMean {
  std::string group;  ///< "all": every group
  Dtype dtype = Dtype::kF32;
  std::string mode = "ieee";
  std::string peer;  ///< "best": the fastest peer of each shape
  double ratio = 0;
  double lowest = 0;         ///< the smallest ratio
  std::string lowest_shape;  ///< and where
  std::size_t shapes = 0;

  /// "f32", "f32 accurate": what tables and JSON call it.
  std::string arithmetic() const;
};

/// Group by group in the order of the results, "all" at last; peers in their order, "best" at last. Means of
/// no shape are left out.
std::vector<GeometricMean> geometric_means(const std::vector<GemmResult>& results);

}  // namespace tilewise::bench
