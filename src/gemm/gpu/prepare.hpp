// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What is done to A and B before a kernel reads them.
#pragma once

#include "gemm/gpu/launch.hpp"

namespace tilewise::gpu {

/// Puts the preparations of `plan` into the stream. Returns the arguments of `oriented` with the factors that its
/// kernel reads. `workspace` as in launch().
kernels::GemmArguments prepare(const Plan& plan, const Problem& oriented, device::Device& device,
                               Kernels& kernels, device::Stream& stream, device::Address workspace);

}  // namespace tilewise::gpu
