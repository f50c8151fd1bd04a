// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise bench` that a GPU has.
#pragma once

#include "bench/gpu_bench.hpp"
#include "cli/bench_options.hpp"
#include "device/device.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::cli {

/// Adds them to `command`, which fill `options`.
void add_bench_gpu_options(CLI::App& command, BenchOptions& options);

/// What to measure on a GPU. Throws as bench_request() does, and for options that only the CPU has.
bench::GpuRequest bench_gpu_request(const BenchOptions& options);

/// The library on the GPU that --device and --gpu name.
GpuContext open_bench_gpu(const BenchOptions& options);
device::Device& device_of(GpuContext& context);

/// Ours, and the peers of --peer: those that can be opened where it names none. Throws
/// Error{kInvalidArgument} for an unknown peer, Error{kInvalidInput} for one that was named and cannot be opened.
bench::GpuLibraries open_gpu_libraries(GpuContext& context, const BenchOptions& options);

}  // namespace tilewise::cli
