// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a problem to a plan: which kernel, in how many parts of k, after which preparations, with what in the
// workspace. Pure arithmetic on the catalogue and on facts of the GPU: no device is asked.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/gpu/problem.hpp"
#include "kernels/gemm/catalogue.hpp"
#include "model/gpu.hpp"

namespace tilewise::gpu {

/// A piece of the workspace: bytes from its beginning.
struct Piece {
  std::uint64_t offset = 0, bytes = 0;
};

/// Where a prepared factor goes.
struct PreparedFactor {
  kernels::Preparation preparation = kernels::Preparation::kNone;
  Piece place;
  std::int64_t leading_dimension = 0, stride = 0;  ///< elements; stride 0: one for all products
  std::int64_t matrices = 0;
  // Of pairs: `place` holds [matrix][2][lines][leading_dimension] f16, or nothing where they are made by the kernel.
  Piece unscale, suspect;  ///< as kernels::GemmPairs
};

/// What is left of a part of k for another kernel: C as it lies in memory, its rows in whole pieces of 16 bytes.
struct PartShape {
  std::int64_t rows = 0, columns = 0, pitch = 0;
};

/// What is launched, in this order: the preparations of A and of B, the clearing of `arrivals` where no preparation
/// does it, the kernel, the one that adds up its parts. More than kMostMatrices matrices go in several launches, but
/// for persistent kernels.
struct Plan {
  const kernels::GemmKernel* kernel = nullptr;
  std::string_view entry;
  /// What adds up the parts of k behind it; empty: the kernel itself, or nothing to add up.
  std::string_view parts_unit, parts_entry;
  bool leaves_parts = false;     ///< as matrices of C's shape (kernels/gemm/parts.hpp)
  kernels::TileCluster cluster;  ///< how many tiles its blocks compute
  int parts = 1;
  /// Tiles (clusters of tiles) whose steps of k are dealt out evenly among all blocks (units.cuh); then parts is 1.
  std::int64_t streamed = 0;
  int cluster_parts = 1;  ///< that a cluster adds up: all of them, or 1
  std::int64_t k_each = 0;
  PreparedFactor a, b;  ///< of what the kernel is given: exchanged where it transposes the result
  Piece partials,       ///< where parts > cluster_parts or tiles are streamed
      arrivals,         ///< where tiles are streamed
      rounds;           ///< where blocks stay together (rounds.hpp)
  std::uint64_t workspace_bytes = 0;
};

inline constexpr std::int64_t kMostMatrices = 65535;  // in blockIdx.z
inline constexpr std::uint64_t kWorkspaceAlignment = 256;

/// What the estimate of a plan stands on; times in microseconds.
struct Estimate {
  double microseconds = 0;
  double compute = 0, memory = 0, cache = 0, fill = 0, reduction = 0, preparation = 0, launches = 0;
  std::int64_t tiles = 0, blocks = 0;
  double waves = 0;  ///< blocks over the places that the GPU has for them
};

struct Candidate {
  const kernels::GemmKernel* kernel = nullptr;
  std::optional<Plan> plan;  ///< none where `refusal` says why
  Estimate estimate;
  std::string refusal;
};

/// "simt_f32_64x64", "simt_f32_64x64,split=4", "…,stream", "…,cluster=2x1,split=4": a kernel, and how k is divided and
/// which tiles a cluster's blocks compute (else the planner decides).
/// Problems of other types and modes than the kernel's are planned as if there were no wish.
struct Wish {
  const kernels::GemmKernel* kernel = nullptr;
  std::optional<kernels::TileCluster> cluster = {};  ///< none: the planner decides
  int parts = 0;                                     ///< 0: the planner decides
  bool streams = false;
};
/// What TILEWISE_PLAN asks for; nothing when `text` is null or empty. Throws Error{kInvalidArgument} for a kernel
/// that does not exist and for text of another form.
std::optional<Wish> wish_in(const char* text);
/// The same of text that has to say something; `said` comes before it in messages.
Wish parse_wish(std::string_view text, std::string_view said);
/// Whether the wish is about problems like this one.
bool concerns(const Wish& wish, const Problem& problem);

/// The plan's kernel, as its module names it: where C is read, the one that adds, if there are two (GemmKernel::adding_entries).
std::string_view entry_of(const Plan& plan, const Problem& oriented);
/// "simt_f32_64x64,split=4": what wish_in() reads back.
std::string name_of(const Plan& plan);
/// The same without how k is divided.
std::string name_in_cluster(const Plan& plan);
/// Of a plan that leaves parts.
PartShape part_shape_of(const Plan& plan, const Problem& oriented);
/// "ieee", "accurate", "tf32".
std::string_view name_of(ComputeMode mode);

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The best plan of every kernel for this problem, or why it has none, in the order of the catalogue; of tiles of any
/// width those that are no wider than need be. Plans need at most `limit` bytes of workspace.
std::vector<Candidate> candidates(const Problem& problem, const model::Gpu& gpu,
                                  std::uint64_t limit, const std::optional<Wish>& wish = {});

/// The fastest by the estimates. Throws Error{kUnsupported} when no kernel computes this on this GPU (or the wish's
/// kernel does not), and Error{kOutOfMemory} when only `limit` is in the way.
Plan choose(const Problem& problem, const model::Gpu& gpu, std::uint64_t limit,
            const std::optional<Wish>& wish = {});

/// The plan that the wish names; nothing where its kernel does not compute this problem here, or not within `limit`.
std::optional<Plan> plan_by(const Wish& wish, const Problem& problem, const model::Gpu& gpu,
                            std::uint64_t limit);

/// Every plan that the planner weighs: each kernel with each number of parts, within `limit`. All have plans.
std::vector<Candidate> alternatives(const Problem& problem, const model::Gpu& gpu,
                                    std::uint64_t limit);

}  // namespace tilewise::gpu
