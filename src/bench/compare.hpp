// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two result files of `tilewise bench`: what became slower, beyond the noise?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/suite.hpp"

namespace tilewise::bench {

/// One result of a file, as far as it is compared. Speeds in GFLOP/s, spreads in percent.
struct ComparedResult {
  std::string group, dtype, mode;
  bool trans_a = false, trans_b = false;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  Scaling scaling;
  int threads = 1;
  std::string c_dtype;  ///< dtype of C, where the file says it
  double gflops = 0, spread = 0;
  std::size_t samples = 0;  ///< behind gflops; 0: not known
  std::map<std::string, double> peers, peer_spreads;

  /// What identifies it: "f32 64x64x64 NN accurate", "bf16 64x64x64 NN, 16 times, alpha 1, beta 1, C bf16".
  std::string key() const;
};

struct ComparedFile {
  std::string name;  ///< what errors and tables call it
  std::string date, commit, machine;
  std::vector<ComparedResult> results;
};

enum class Change { kSame, kFaster, kSlower, kNew, kMissing };

/// One shape in both files, or in one of them.
struct ComparedRow {
  std::string group, key;
  std::optional<double> old_gflops, new_gflops;
  double ratio = 0;  ///< new over old
  /// The same over the median of the peers' ratios, of those that both files have: what remains when one
  /// machine, or one hour, is faster than the other.
  std::optional<double> peer_ratio;
  double noise =
      0;  ///< percent by which `ratio`, or `peer_ratio` where there is one, may differ from 1
  Change change = Change::kSame;

  /// The ratio that is judged.
  double judged() const { return peer_ratio.value_or(ratio); }
};

struct Comparison {
  std::string old_name, new_name, old_machine, new_machine;
  std::vector<ComparedRow> rows;  ///< in the order of the new file, missing ones at the end
  double mean_ratio = 0;          ///< geometric mean of judged() over rows in both; 0: none
  std::size_t slower = 0, faster = 0, added = 0, missing = 0;
};

/// The standard error of a median of so many samples (0: ten) that spread so far, both in percent of it: 1.2533
/// standard deviations over the root of the samples, of which the middle half of a normal distribution spans 1.349.
double median_error(double spread, std::size_t samples);

/// A row is slower or faster when its ratio is off 1 by more than the noise: `floor_percent`, or more where
/// the spreads of the speeds that went into the ratio say so (their root of squares, each the standard
/// error of a median times three).
Comparison compare(const ComparedFile& before, const ComparedFile& after, double floor_percent);

}  // namespace tilewise::bench
