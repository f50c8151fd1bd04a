// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about strips (strip.cuh): the shape of the kernel that adds up parts of k.
#pragma once

namespace tilewise::kernels {

inline constexpr int kStripSumsOfBlock = 128;  ///< elements of C that one of its blocks adds up
inline constexpr int kStripSumThreads = 512;

}  // namespace tilewise::kernels
