// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiled kernels inside this binary: for each compilation unit and architecture the PTX that
// nvcc made, and the cubin that ptxas made of exactly that PTX. The installed library has PTX only where a GPU's
// driver may have to compile it, and no lines of source; the programs of this project have both.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tilewise::kernels {

struct KernelImage {
  std::string_view unit;  ///< "09_tile_2d"
  std::string_view arch;  ///< "sm_80", "sm_90a"
  std::string_view ptx;
  std::span<const std::byte> cubin;
  std::string_view digest =
      {};  ///< of the library's kernels: of the code, without what tells the lines
};

/// The images of the ladder and the probes, and those of the library's kernels. Empty when this was built
/// without nvcc.
std::span<const KernelImage> images();
std::span<const KernelImage> gemm_images();

/// The image of `unit` for a device of this compute capability: the one whose cubin it runs, or else
/// one whose PTX the driver can compile for it (cubin_runs_on() tells which). Throws
/// Error{kUnsupported} that says why there is none (built without nvcc, capability too low), and
/// Error{kInvalidArgument} for a unit that does not exist.
const KernelImage& find_image(std::string_view unit, int compute_major, int compute_minor,
                              std::span<const KernelImage> among);
inline const KernelImage& find_image(std::string_view unit, int compute_major, int compute_minor) {
  return find_image(unit, compute_major, compute_minor, images());
}

/// Whether a device of this compute capability runs the machine code of `image`; if not, load the PTX.
bool cubin_runs_on(const KernelImage& image, int compute_major, int compute_minor);

}  // namespace tilewise::kernels
