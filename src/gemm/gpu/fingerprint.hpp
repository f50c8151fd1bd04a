// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "kernels/gemm/catalogue.hpp"
#include "kernels/images.hpp"
#include "model/gpu.hpp"

namespace tilewise::gpu {

/// 16 hexadecimal digits that differ when anything differs that measured times stand on: the catalogue, the code
/// (KernelImage.digest) of the images that the GPU would run, and the version of the library.
std::string fingerprint(std::span<const kernels::GemmKernel> catalogue,
                        std::span<const kernels::KernelImage> images, const model::Gpu& gpu);

/// That of this library.
std::string own_fingerprint(const model::Gpu& gpu);

}  // namespace tilewise::gpu
