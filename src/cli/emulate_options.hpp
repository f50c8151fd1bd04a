// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise emulate`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/kernel_arguments.hpp"
#include "core/dim3.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::cli {

struct EmulateOptions {
  std::string source, kernel;
  Dim3 grid, block;
  Dim3 cluster = {0, 0, 0};
  std::uint32_t shared_bytes = 0;
  std::vector<bench::KernelArgument> arguments;
  std::string arch;
  std::vector<std::string> include_folders, defines;
  vgpu::Checks checks;
  vgpu::AsyncOrder async_order = vgpu::AsyncOrder::kSoon;
  std::uint64_t async_seed = 0;
  std::string numerics;  ///< empty: those of the GPU
  std::string json;
  std::string keep;  ///< folder for the PTX and the cubin; empty: not kept
  std::string color = "auto";
};

/// Adds the options to `command`, which fill `options`.
void add_emulate_options(CLI::App& command, EmulateOptions& options);

/// "X", "X,Y" or "X,Y,Z", each at least 1.
Dim3 parse_extents(const std::string& option, const std::string& text);

/// "i32:512", "in:a.npy", "random:f32:512x512", …; `index` from 1 is the argument's place, and the seed
/// of random arrays that name none.
bench::KernelArgument parse_argument(const std::string& text, std::size_t index);

/// "all", "none", or a list of races, bounds, uninitialized, sync, partial-copies.
vgpu::Checks parse_checks(const std::string& text);

}  // namespace tilewise::cli
