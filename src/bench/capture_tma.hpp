// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Records golden files of TMA: which tensor maps a driver accepts (tensor_maps.csv), and what copies of boxes
// leave behind (tensor_copies.csv). Formats: tests/golden/README.md. The kernels are
// src/kernels/probe/hopper_ptx.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace tilewise::bench {

/// A tensor_maps.csv of `rows` random requests, about half of them with something wrong.
std::string capture_tensor_maps(device::Device& device, int rows, std::uint64_t seed);

/// One row of tensor_copies.csv, but for what came of it.
struct TensorCopy {
  std::string_view what;  ///< one of kernels::kTensorProbes
  TensorMapRequest map;   ///< its address counts from the memory's begin
  std::vector<std::int32_t> coordinates;
  std::uint32_t shared_address = 0;
};

/// Loads, stores and reductions of random boxes, the same ones for the same seed.
std::vector<TensorCopy> tensor_copies(int rows, std::uint64_t seed);

/// The first line of tensor_copies.csv.
std::string tensor_copies_head();

/// Lines of tensor_copies.csv from copies[first] on, up to the first one that faults: a real GPU that faulted
/// does nothing more for its process, and another process goes on behind it.
std::string capture_copies(device::Device& device, std::span<const TensorCopy> copies,
                           std::size_t first);

}  // namespace tilewise::bench
