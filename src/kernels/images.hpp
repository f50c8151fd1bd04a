// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiled kernels inside this binary: for each compilation unit and architecture the PTX that nvcc made, and the
// cubin that ptxas made of exactly that PTX, for two kinds of readers. A GPU's driver takes a fatbin, compressed, of the
// cubin and, where it may have to compile for a GPU that came later, the PTX without its lines of source; the installed
// library has nothing else. The programs of this project have both as well as the compilers made them, lines of
// source included, for the virtual GPU and whoever else reads them, compressed by zstd (listing.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tilewise::kernels {

struct KernelImage {
  std::string_view unit;  ///< "09_tile_2d"
  std::string_view arch;  ///< "sm_80", "sm_90a"
  std::span<const std::byte> fatbin =
      {};  ///< for drivers; of PTX written at run time there is none
  std::string_view digest =
      {};  ///< of the library's kernels: of the code, without what tells the lines
  std::span<const std::byte> packed_ptx = {}, packed_cubin = {};  ///< zstd; empty in the library
  std::string_view text = {};  ///< PTX written at run time: all that there is of such an image
};

/// The images of the ladder and the probes, and those of the library's kernels. Empty when this was built
/// without nvcc.
std::span<const KernelImage> images();
std::span<const KernelImage> gemm_images();

/// The image of `unit` for a device of this compute capability: the one whose machine code it runs, or else
/// one whose PTX the driver can compile for it. Throws
/// Error{kUnsupported} that says why there is none (built without nvcc, capability too low), and
/// Error{kInvalidArgument} for a unit that does not exist.
const KernelImage& find_image(std::string_view unit, int compute_major, int compute_minor,
                              std::span<const KernelImage> among);
inline const KernelImage& find_image(std::string_view unit, int compute_major, int compute_minor) {
  return find_image(unit, compute_major, compute_minor, images());
}

/// Whether a device of this compute capability runs the machine code of `image`.
bool cubin_runs_on(const KernelImage& image, int compute_major, int compute_minor);
/// Whether it does, or its driver can compile the PTX: that of a plain architecture for every later GPU, that of one with
/// a letter (sm_90a) for no other.
bool runs_on(const KernelImage& image, int compute_major, int compute_minor);

}  // namespace tilewise::kernels
