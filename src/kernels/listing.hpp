// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the compilers made of a kernel, for those who read it: the virtual GPU, which runs the PTX and takes registers from the
// cubin, and tests. Only programs of this project have it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/images.hpp"

namespace tilewise::kernels {

struct Listing {
  std::string ptx;               ///< with lines of source
  std::vector<std::byte> cubin;  ///< of exactly this PTX; empty where that was written at run time
};

/// Unpacks it, anew at each call. Throws Error{kInternal} where this binary holds what was not packed by zstd.
Listing listing_of(const KernelImage& image);

}  // namespace tilewise::kernels
