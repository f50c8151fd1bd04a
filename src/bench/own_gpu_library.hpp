// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bench/gpu_product.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::bench {

/// This library, as tilewise/gpu.hpp offers it to everyone. `context` must outlive it.
std::unique_ptr<GpuLibrary> open_own_gpu_library(GpuContext& context);

}  // namespace tilewise::bench
