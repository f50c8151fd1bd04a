// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who stores C of the 16-bit kernels for Hopper: threads, or TMA (kernels/gemm/result.cuh).
#pragma once

#include <cstdint>

#include "gemm/gpu/plan.hpp"
#include "gemm/gpu/problem.hpp"
#include "model/gpu.hpp"

namespace tilewise::gpu {

/// Whether it is for tall products whose A comes by TMA (kernels/gemm/tall_boxes.cuh).
bool is_tall_by_boxes(const kernels::GemmKernel& kernel);

/// Whether such a kernel reads its larger factor once: more than `bn` columns of B are held together where k is short and C,
/// aligned, is stored as it is. `oriented`: as the kernel reads it.
bool is_read_once(const kernels::GemmKernel& kernel, const Problem& oriented);

/// Whether TMA stores C of any product by this kernel.
bool can_store_boxes(const kernels::GemmKernel& kernel);

/// Whether TMA stores C in boxes, where C is aligned to 16 bytes and beta is 0. Threads are sooner done with one tile, but have
/// to wait for what they store: a block must have several, but of tall products. Nor where blocks keep rounds (rounds.hpp) of
/// much. `oriented`: as the kernel reads it.
bool stores_boxes(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// Where C is stored in boxes: whether all of it is, and there is a kernel that does nothing else (GemmKernel::boxes_entry).
/// `arguments`: as the kernel is given them.
bool has_kernel_of_boxes(const kernels::GemmKernel& kernel,
                         const kernels::GemmArguments& arguments);

/// Whether that kernel runs, for a C that is aligned.
bool is_all_in_boxes(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// Stages of that kernel for products of so many k.
int stages_of_boxes(const kernels::GemmKernel& kernel, std::int64_t k);

}  // namespace tilewise::gpu
