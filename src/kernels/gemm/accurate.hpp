// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What accurate f32 kernels are told besides GemmArguments, the same for host and device.
#pragma once

namespace tilewise::kernels {

/// What the pass before left (split_f32.hpp). The halves themselves come by tensor maps.
struct AccurateFactors {
  const float* unscale_rows;     ///< [m]
  const float* unscale_columns;  ///< [n]
  const unsigned* suspect_rows;  ///< [⌈k / kSplitK⌉][⌈m / kSplitX⌉]
  const unsigned* suspect_columns;
  int a_along_k, b_along_k;  ///< how A and B lie in memory, for tiles that halves do not do for
};

}  // namespace tilewise::kernels
