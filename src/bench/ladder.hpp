// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Climbs the ladder: runs rungs on a device, checks every result against an f64 reference, counts or
// times them. The result is plain values that report/ turns into tables, files and pages.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.hpp"
#include "core/npy.hpp"
#include "device/device.hpp"
#include "kernels/catalogue.hpp"
#include "model/limit.hpp"
#include "model/occupancy.hpp"

namespace tilewise::bench {

/// What to run. A and B are m×k and k×n, row-major f64 here, rounded to each rung's dtype.
struct LadderRequest {
  std::int64_t m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;
  std::uint64_t seed = 1;  ///< of random A, B and C, where no file gives them
  /// Timed runs a rung on a real GPU or on the CPU; 0: chosen by the time a run takes.
  int repeat = 0;
  int rest_ms = 0;  ///< the GPU idles so long before each timed run
  std::vector<const kernels::Rung*> rungs;
  const npy::Array* a = nullptr;  ///< nullptr: random, uniform in [-1, 1)
  const npy::Array* b = nullptr;
  /// On a real GPU, which does not count: problems of up to this many products (m·n·k) also run on the
  /// virtual GPU, for their counters and to compare the bits. 0: none.
  std::int64_t count_up_to = 0;
  bool keep_c = false;  ///< keep the last rung's C in LadderResult::c
  bool time = true;     ///< on a real GPU: time the rungs, not only check them
};

/// A counter of a real GPU, read through Nsight Compute.
struct HardwareCounter {
  std::string name;    ///< ours: "shared_load_wavefronts"
  std::string metric;  ///< Nsight Compute's name for it
  std::uint64_t value = 0;
};

/// One rung's row. A figure that was not measured is absent.
struct RungResult {
  const kernels::Rung* rung = nullptr;
  std::int64_t m = 0, n = 0, k = 0;
  bool verified = false;
  std::string wrong;           ///< why not, in words: the first wrong element; empty when verified
  double error = 0;            ///< relative Frobenius norm against f64
  double largest_error = 0;    ///< largest element-wise error, relative to sum |a||b|
  std::uint64_t checksum = 0;  ///< FNV-1a of C's bytes: equal on two devices when C is bit-equal
  /// Whether the virtual GPU gave the same bits, where both ran.
  std::optional<bool> equal_on_virtual_gpu;
  std::string entry;                    ///< the kernel that ran
  std::optional<std::string> fidelity;  ///< "exact", "approximate"
  std::vector<std::string> fidelity_notes;
  std::optional<Counters> counters;
  std::vector<vgpu::LineCounters> lines;
  std::optional<int> registers;
  std::optional<std::uint32_t> shared_bytes;
  std::optional<model::Occupancy> occupancy;
  std::optional<model::Limit> limit;
  std::optional<double> time_ms;  ///< median
  std::vector<double> samples_ms;
  std::optional<double> gflops;
  std::optional<double> cublas_time_ms;  ///< median, interleaved with this rung in the same run
  std::optional<double> percent_of_cublas;
  std::optional<int> threads;  ///< of the CPU, where that is where the rung runs
  /// GFLOP/s against the FMA peak of as many threads, measured in the same run.
  std::optional<double> percent_of_peak;
  std::optional<double> speed_up;  ///< GFLOP/s against the row before, on the CPU
  double host_seconds = 0;         ///< wall time of the rung on the host, checks included
  std::vector<HardwareCounter>
      hardware_counters;  ///< empty: not read (bench/nsight.hpp reads them)
};

/// What the cores were measured to do at most.
struct FmaPeak {
  int threads = 1;
  double gflops = 0;  ///< f32, of all of them together
};

struct Context {
  std::string tilewise_version, commit, date;  ///< date: ISO 8601, UTC
  std::string device;                          ///< Device::description()
  std::string gpu;                             ///< catalogue key, or the driver's name for it
  bool is_virtual = false;
  bool on_cpu = false;              ///< the CPU's ladder: no GPU, real or virtual; `gpu` is empty
  std::string host;                 ///< processor name and cores
  std::string cublas;               ///< version; empty when there was none
  std::string instruction_set;      ///< of the CPU's ladder: "avx512"
  std::vector<std::string> caches;  ///< of the CPU's ladder: "L1d 32 KiB (cores 0)"
  std::vector<FmaPeak> fma_peaks;   ///< of the CPU's ladder, one a number of threads
  double alpha = 1, beta = 0;
  std::uint64_t seed = 1;
  int rest_ms = 0;
  std::string a_file, b_file;  ///< empty: random
};

struct LadderResult {
  Context context;
  std::vector<RungResult> rungs;
  npy::Array c;  ///< the last rung's result, when asked for
};

/// Told before each rung (`index` of `count`), with what is done so far, and once at the end.
using LadderProgress =
    std::function<void(std::size_t index, std::size_t count, const kernels::Rung* next)>;

/// Throws Error for bad sizes and for failures of the device; a wrong product is a row with
/// `verified == false`, not an exception.
LadderResult run_ladder(device::Device& device, const LadderRequest& request,
                        const LadderProgress& progress = {});

}  // namespace tilewise::bench
