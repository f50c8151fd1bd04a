// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures products on the CPU, this library and its peers side by side: each in a program of its own,
// on the same cores, in short bursts that take turns. Results are plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers.hpp"
#include "bench/suite.hpp"
#include "core/dtype.hpp"

namespace tilewise::bench {

struct GemmRequest {
  std::vector<GemmShape> shapes;
  std::string suite;  ///< what the shapes are called: a file, "cpu", or "command line"
  std::vector<Dtype> dtypes{Dtype::kF32, Dtype::kF64};
  Scaling scaling;  ///< of all products
  std::vector<Peer> peers;
  std::vector<std::string> worker;  ///< the command that serves (gemm_worker.hpp), without options
  int threads = 1;
  std::vector<int> cores;        ///< that every worker runs on
  int repeat = 0;                ///< rounds a shape; 0: as many as `seconds` allow, 10 to 100
  double seconds = 1;            ///< a shape and dtype
  double burst_seconds = 3e-3;   ///< at least, or one call
  double patience_seconds = 60;  ///< for an answer, beyond what 0.5 GFLOP/s would take
  std::uint64_t seed = 1;
};

/// What one library did on one shape. Samples are GFLOP/s, one a round, in the order of the rounds.
struct GemmTiming {
  std::vector<double> samples;
  double gflops = 0;  ///< their median
  double spread = 0;  ///< percent: (third quartile - first quartile) / median
  double error = 0;   ///< relative Frobenius norm over the sampled rows
  /// |C - reference| / sum |a||b|, the largest of the sample; of the GPU benchmark only.
  std::optional<double> largest_error = {};
  std::string plan = {};  ///< of a peer on the GPU: what it chose, in words
};

struct GemmResult {
  GemmShape shape;
  Dtype dtype = Dtype::kF32;
  std::string mode = "ieee";
  int threads = 1;
  GemmTiming ours;
  bool verified = true;
  std::string wrong;  ///< why not
  std::string path;   ///< how the engine computed it
  double peak = 0;    ///< GFLOP/s that the cores could do during these rounds; 0: not measured
  int disturbed = 0;  ///< bursts measured again because someone else had the core meanwhile
  std::vector<std::pair<std::string, GemmTiming>> peers;  ///< those that answered, and right
  Dtype result_dtype = Dtype::kF32;                       ///< of C, on the GPU
  std::string no_kernel;                                  ///< why ours did not run; empty: it did
  double compulsory_bytes = 0;                            ///< on the GPU: A, B and C once each
  double host_seconds = 0;  ///< on the GPU: wall time of the shape, checks included

  /// The fastest peer's GFLOP/s, or nothing.
  std::optional<double> best_peer() const;
  /// Ours over the fastest peer's, or nothing where one of them has no time.
  std::optional<double> ratio() const;
};

/// A peer that was measured, or why it was not.
struct PeerOrigin {
  std::string name, file, version;
};
struct PeerTrouble {
  std::string name;
  std::string shape;  ///< "f32 64x64x64 NN"; empty: it did not begin
  std::string reason;
};

/// What a GPU could do at most, by its datasheet.
struct GpuRoofs {
  double memory_bandwidth = 0;  ///< bytes a second
  std::uint64_t l2_bytes = 0;
};

struct GemmContext {
  std::string device = "cpu";                         ///< "cpu", "cuda", "virtual"
  std::string version, commit, date, processor, own;  ///< `own`: what our worker says of itself
  std::vector<std::string> caches;
  std::string instruction_set;
  int machine_cores = 0, threads = 1;
  std::vector<int> cores;
  std::string suite;
  Scaling scaling;  ///< of all products
  std::uint64_t seed = 1;
  double burst_seconds = 0;
  std::vector<PeerOrigin> peers;
  std::vector<PeerTrouble> troubles;
  /// Peak GFLOP/s for the dtypes measured, before the first and after the last shape.
  std::vector<std::pair<Dtype, double>> peak_before, peak_after;
  // Of the GPU benchmark. `processor` is the device's description.
  std::string gpu, host, operands;  ///< catalogue key; the host's processor; "normal", …
  GpuRoofs roofs;
  std::vector<std::pair<std::string, std::string>>
      environment;  ///< variables that change libraries
};

struct GemmReport {
  GemmContext context;
  std::vector<GemmResult> results;
  bool was_stopped = false;  ///< before all shapes were measured
};

/// Told what happens: the context when all workers are up, each shape before, each result after. Asked before each shape
/// whether to stop there.
struct GemmListener {
  std::function<void(const GemmContext&)> ready;
  std::function<void(std::size_t index, std::size_t count, const std::string& what)> next;
  std::function<void(const GemmContext&, const GemmResult&)> done;
  std::function<bool()> stopped;
};

/// Runs it. Peers that are missing, wrong or crash are left out and reported in the context. Throws
/// Error{kInvalidInput} when a peer that was asked for cannot be opened, Error{kExecution} when our own worker
/// fails, Error{kOutOfMemory} when the operands of all workers do not fit.
GemmReport run_gemm_bench(const GemmRequest& request, const GemmListener& listener);

/// (third quartile - first quartile) / median, in percent. Throws Error{kInvalidArgument} for no samples.
double spread_percent(std::vector<double> samples);

}  // namespace tilewise::bench
