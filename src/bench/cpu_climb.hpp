// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the rungs of the CPU's ladder have in common (operands and reference), and how one of them
// is run, checked and timed.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/cpu_ladder.hpp"
#include "bench/operands.hpp"
#include "bench/reference.hpp"

namespace tilewise::bench {

class CpuClimb {
 public:
  /// Makes the operands and the reference. What it is given must outlive it.
  CpuClimb(const LadderRequest& request, const Sizes& sizes, const CpuMultiply& multiply);

  /// `whole_result`: all rows, however long that takes.
  RungResult run(const kernels::Rung& rung, int threads, bool whole_result);

  /// C of the rung that ran last, row-major.
  npy::Array last_result() const;

 private:
  // The first `rows` rows of C, into `c`. Returns the seconds of the product alone.
  double multiply(const kernels::Rung& rung, int threads, const Operands<float>& operands,
                  std::int64_t rows, std::vector<float>& c) const;
  std::int64_t rows_to_run(const kernels::Rung& rung, int threads);
  void check(RungResult& row, std::int64_t rows);
  void time(RungResult& row, std::int64_t rows, double first_seconds);

  const LadderRequest& request_;
  Sizes sizes_;
  const CpuMultiply& multiply_;
  Operands<float> operands_, integers_;
  Reference reference_;
  std::vector<float> c_;  // of the last rung
};

}  // namespace tilewise::bench
