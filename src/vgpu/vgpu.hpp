// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The virtual GPU's face: load PTX (with the cubin that ptxas made of it, where there is one),
// launch kernels over host memory, and read what they did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.hpp"
#include "core/dim3.hpp"
#include "core/tensor_map.hpp"
#include "model/gpu.hpp"
#include "tilewise/error.hpp"

namespace tilewise::vgpu {

class WrittenBytes;

/// Device memory: host memory behind bounds. An address of the device is an address of the host.
class Memory {
 public:
  /// `limit` bytes can be allocated at a time.
  explicit Memory(std::uint64_t limit);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Allocates `bytes` (0 is legal), aligned to 256. Throws Error{kOutOfMemory} past the limit.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Throws Error{kInvalidArgument} for an address that allocate() did not return.
  void free(std::uint64_t address);
  /// Whether [address, address + bytes) lies in one live allocation.
  bool contains(std::uint64_t address, std::uint64_t bytes) const;
  std::uint64_t allocated_bytes() const;

  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  /// The live allocation that holds `address`, or an empty range.
  Range find(std::uint64_t address) const;

  /// Says that the host wrote these bytes, for Checks::uninitialized. Whoever writes device memory
  /// through its host address must say so; bytes outside of allocations are ignored.
  void mark_written(std::uint64_t address, std::uint64_t bytes);
  /// A kernel ran without Checks::uninitialized: whatever is allocated now counts as written.
  void mark_all_written() const;
  /// What is known of the allocation that holds `address`; nullptr if there is none. Not synchronised.
  WrittenBytes* written(std::uint64_t address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A tensor map as kernels on the virtual GPU take it. Throws as check(request) does.
TensorMap make_tensor_map(const TensorMapRequest& request);

/// How far the memory counters of a kernel can be trusted.
enum class Fidelity {
  kExact,        ///< the cubin's memory accesses have the widths that were counted
  kApproximate,  ///< no cubin, or ptxas changed accesses in a way that could not be followed
};
std::string_view name_of(Fidelity fidelity);

/// What is known of a kernel before it runs.
struct KernelInfo {
  std::string name;
  std::vector<std::uint32_t> parameter_bytes;
  std::uint32_t static_shared_bytes = 0;  ///< from the cubin where there is one
  int registers = 0;                      ///< a thread, from the cubin; 0 without one
  std::uint32_t local_bytes = 0;          ///< a thread, from the cubin; 0 without one
  Fidelity fidelity = Fidelity::kApproximate;
  std::vector<std::string> fidelity_notes;  ///< why not exact, one line each
};

/// Counters of one source line (of the PTX file where there is no line information).
struct LineCounters {
  std::string file;
  int line = 0;
  Counters counters;
};

/// Which hardware's tensor cores are reproduced (exec/tensor_core.hpp has the rules).
enum class Numerics {
  kSm80,  ///< Ampere: 24 fraction bits, k in halves
  kSm90,  ///< Hopper: 25 fraction bits, all of k at once
  kF32,   ///< products and sums in f32, in order: no hardware's, for comparison
};

/// When asynchronous copies and tensor-core operations take effect.
enum class AsyncOrder {
  kEarliest,  ///< as soon as they are issued
  kSoon,  ///< after some hundred instructions of each warp, and warps run side by side, as on a GPU
  kLatest,  ///< not before something waits for them
  kRandom,  ///< in between, as LaunchOptions::async_seed decides
};

/// What is looked for while a kernel runs. Each is off unless asked for; bounds of global memory and
/// of the shared window are always checked.
struct Checks {
  bool races = false;          ///< accesses without an order between them
  bool bounds = false;         ///< accesses outside of variables and allocations, misaligned ones
  bool uninitialized = false;  ///< reads of memory that nothing wrote
  bool sync = false;           ///< barriers, mbarriers, waits, setmaxnreg used against their rules
  /// cp.async that reads fewer bytes than it copies, beside the end of an allocation. That is right, and not one
  /// of all(): but compute-sanitizer's memcheck takes it for a read beyond the end, and reports it.
  bool partial_copies = false;

  bool any() const { return races || bounds || uninitialized || sync || partial_copies; }
  static constexpr Checks all() { return {true, true, true, true, false}; }
};

/// One kind of mistake at one pair of places.
struct Finding {
  std::string check;  ///< "races", "bounds", "uninitialized", "sync", "partial-copies"
  std::string kind;   ///< "write-after-read in shared memory": a short name
  std::string
      message;  ///< all of it, a sentence or two: who did what where, and what to do about it
  struct Place {
    std::string file;  ///< the PTX file where there is no line information
    int line = 0;
    int ptx_line = 0;
    std::string who;  ///< "block (0, 0, 0) warp 1 lanes 0-31"
    struct Call {
      std::string file;
      int line = 0;
    };
    std::vector<Call> calls;  ///< of functions that the compiler inlined, the innermost first
  };
  std::vector<Place> places;  ///< one, or both sides of a conflict
  std::uint64_t count = 1;    ///< how often it happened
};

/// Thrown for a kernel that misbehaves so that it cannot go on. The last finding is what stopped it; the
/// others are what LaunchOptions::checks had found until then.
class KernelError : public Error {
 public:
  KernelError(const std::string& message, std::vector<Finding> findings)
      : Error(ErrorCode::kExecution, message),
        findings_(std::make_shared<const std::vector<Finding>>(std::move(findings))) {}
  const std::vector<Finding>& findings() const noexcept { return *findings_; }

 private:
  std::shared_ptr<const std::vector<Finding>> findings_;  ///< copying an exception must not throw
};

struct LaunchOptions {
  bool count = true;         ///< false: run only, at full speed
  int threads = 0;           ///< host threads; 0: one for each core
  Dim3 cluster = {0, 0, 0};  ///< blocks of a cluster; zeros: as the kernel says, else one
  Numerics numerics = Numerics::kSm90;
  AsyncOrder async_order = AsyncOrder::kEarliest;
  std::uint64_t async_seed = 0;  ///< of kRandom
  Checks checks = {};
  /// Told what kernels print, one call a warp at a time; empty: it is thrown away.
  std::function<void(std::string_view)> print = {};
};

struct LaunchReport {
  Counters counters;                    ///< all zero when not counting
  std::vector<LineCounters> lines;      ///< lines that did anything, by file and line
  std::uint64_t lane_instructions = 0;  ///< PTX instructions times active lanes
  std::vector<Finding> findings;        ///< of LaunchOptions::checks, by place
};

/// A loaded image. Immutable after loading; launches from several threads are allowed.
class Module {
 public:
  /// `source_name` stands in messages. `cubin` may be empty. `only` loads one kernel of the file, so
  /// that the others may be what they like; empty: all. Throws Error{kInvalidInput} with file, line and
  /// text for malformed PTX, Error{kUnsupported} for what the virtual GPU cannot run.
  Module(std::string_view ptx, std::string source_name, std::span<const std::byte> cubin = {},
         std::string_view only = {});
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;

  const std::vector<KernelInfo>& kernels() const;
  /// Throws Error{kInvalidArgument} that lists the kernels there are.
  const KernelInfo& find(std::string_view kernel) const;

  /// Runs a kernel to its end. `arguments` points at one value a parameter, in order. Throws
  /// Error{kInvalidArgument} for an impossible launch, KernelError with kernel, source line, block
  /// and thread for a kernel that misbehaves. With checks on, one host thread runs all blocks, so that
  /// what is found does not depend on the machine.
  LaunchReport launch(std::string_view kernel, const model::Gpu& gpu, Memory& memory, Dim3 grid,
                      Dim3 block, std::uint32_t dynamic_shared_bytes,
                      std::span<const void* const> arguments, const LaunchOptions& options) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The instruction-set level the executor runs at on this machine: "avx512", "avx2", "portable".
/// The environment variable TILEWISE_VGPU_SIMD overrides it.
std::string_view simd_level();

}  // namespace tilewise::vgpu
