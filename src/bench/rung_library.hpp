// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bench/gpu_product.hpp"

namespace tilewise::bench {

/// The ladder's last rung of each arithmetic as a library: packed, nothing transposed, C of the rung's type.
std::unique_ptr<GpuLibrary> open_rung_library(device::Device& device);

}  // namespace tilewise::bench
