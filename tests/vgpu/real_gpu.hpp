// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a kernel of these tests runs: on the virtual GPU, in one order of asynchronous operations, or on
// the machine's own GPU, where it has one. A test of a correct kernel goes through all of them and expects
// the same of each, so what it expects of the virtual GPU is what hardware does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor_map.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

struct Where : LaunchOptions {
  Where() = default;
  Where(const LaunchOptions& options)
      : LaunchOptions(options) {}  // implicit: a place is its options
  bool is_real = false;  ///< nothing is counted then, and of the options only the cluster matters
};

/// What says in failures where a kernel ran.
std::string text_of(const Where& where);

/// The virtual GPU with these options, then the real one if there is one. Kernels that fault must not run
/// there: after a fault the driver refuses everything that this process asks for.
std::vector<Where> and_real_gpu(std::vector<Where> places);
/// Each order of asynchronous operations, eight of them by chance.
std::vector<Where> every_order();
/// every_order() and a real GPU.
std::vector<Where> everywhere();
/// The virtual GPU as it is unless told otherwise, and a real GPU.
std::vector<Where> on_both();

struct RealLaunch {
  std::string ptx;  ///< with its head; made for sm_90a, which has all that Hopper has
  std::string kernel;
  Dim3 grid{1, 1, 1}, block{32, 1, 1}, cluster{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  const TensorMapRequest* map = nullptr;  ///< the second argument, of memory from the buffer on
};

/// Runs a kernel whose first argument is the address of a buffer of words; what the buffer holds then.
std::vector<std::uint32_t> run_on_real_gpu(const RealLaunch& launch,
                                           std::vector<std::uint32_t> words);

}  // namespace tilewise::vgpu
