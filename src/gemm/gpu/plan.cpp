// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <span>
#include <string_view>

#include "core/divide.hpp"
#include "core/phrase.hpp"
#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/estimate.hpp"
#include "gemm/gpu/rounds.hpp"
#include "gemm/gpu/tall_any.hpp"
#include "kernels/gemm/split_f32.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmFactor;
using kernels::GemmKernel;
using kernels::Preparation;
using kernels::TileCluster;

constexpr std::int64_t kLeastSteps = 4;  // of BK that a part is worth
// Of tiles that are left over: blocks that share one, and how often a block fills all its stages.
constexpr std::int64_t kMostBlocksOfOne = 16, kLeastRingsOfRest = 4;
constexpr std::int64_t kMostTiles = std::numeric_limits<std::int32_t>::max();  // in blockIdx.x

// Modes allow errors; a kernel whose errors are no larger does for them, too.
int strictness(ComputeMode mode) {
  return mode == ComputeMode::kTf32 ? 0 : mode == ComputeMode::kAccurate ? 1 : 2;
}

bool computes(const GemmKernel& kernel, const Problem& problem) {
  return kernel.operand == problem.operand && kernel.result == problem.result &&
         (kernel.mode == problem.mode ||
          (problem.operand == Dtype::kF32 && strictness(kernel.mode) >= strictness(problem.mode)));
}

bool runs_on(const GemmKernel& kernel, const model::Gpu& gpu) {
  if (kernel.compute_major == 9) return gpu.compute_major == 9 && gpu.compute_minor == 0;
  return gpu.compute_major >= kernel.compute_major;
}

// Whether the user runs compute-sanitizer's memcheck and wants to hear of true errors alone.
bool keeps_memcheck_quiet() {
  const char* const asked = std::getenv("TILEWISE_MEMCHECK");
  return asked != nullptr && std::string_view(asked) == "1";
}

std::string what_is(const Problem& problem) {
  return phrase("{} products (C {}) in mode {}", name_of(problem.operand), name_of(problem.result),
                name_of(problem.mode));
}

// Takes the next aligned piece of the workspace.
Piece take(Plan& plan, std::uint64_t bytes) {
  const Piece piece{plan.workspace_bytes, bytes};
  plan.workspace_bytes +=
      (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
  return piece;
}

std::uint64_t unsign(std::int64_t x) { return static_cast<std::uint64_t>(x); }

// Elements from row to row of a prepared factor: a multiple of 16 bytes, as TMA asks, and of a cache line where that
// takes little memory. Tiles whose rows begin within a sector of 32 bytes come at half the speed.
std::int64_t pitch_of(std::int64_t width, std::size_t element) {
  constexpr std::int64_t kSector = 32, kLine = 128;
  const auto bytes = static_cast<std::int64_t>(element);
  return round_up(width * bytes, width * bytes >= 4 * kLine ? kLine : kSector) / bytes;
}

// Halves of a factor's elements along k, and what goes with them.
void prepare_pairs(Plan& plan, PreparedFactor& prepared, std::int64_t lines, std::int64_t k) {
  prepared.preparation = Preparation::kPairs;
  prepared.leading_dimension = pitch_of(k, sizeof(std::uint16_t));
  prepared.place = take(plan, unsign(prepared.matrices) * unsign(lines) *
                                  unsign(prepared.leading_dimension) * 2 * sizeof(std::uint16_t));
  prepared.unscale = take(plan, unsign(prepared.matrices * lines) * sizeof(float));
  prepared.suspect = take(plan, unsign(prepared.matrices * divide_up(lines, kernels::kSplitX) *
                                       divide_up(k, kernels::kSuspectK)) *
                                    sizeof(std::uint16_t));
}

// What has to be done to a factor of `lines` rows or columns, or why it cannot be read.
std::string prepare(Plan& plan, PreparedFactor& prepared, const GemmFactor& factor, bool along_k,
                    std::int64_t lines, const Problem& oriented, const char* name) {
  const GemmKernel& kernel = *plan.kernel;
  const std::size_t element = size_of(oriented.operand);
  const bool shared = factor.pointers == nullptr && factor.stride == 0;
  prepared.matrices = shared ? 1 : oriented.count;
  if (oriented.k() == 0) return {};
  const bool is_raw = kernel.preparation == Preparation::kPairsOfB && &prepared == &plan.a;
  if (is_raw) {
    prepared.unscale = take(plan, unsign(prepared.matrices * lines) * sizeof(float));
  } else if (kernel.preparation == Preparation::kPairs ||
             kernel.preparation == Preparation::kPairsOfB) {
    prepare_pairs(plan, prepared, lines, oriented.k());
    return {};
  }
  // Tensor maps go through a batch forwards.
  const bool is_forward =
      kernel.box_a.lines == 0 || factor.pointers != nullptr || factor.stride >= 0;
  const int needed = kernel.takes_any_b && &prepared == &plan.b ? 0 : kernel.alignment;
  const bool is_aligned =
      is_forward && alignment_of(factor, oriented.count, element) >= std::max(1, needed);
  const bool is_reachable = factor.pointers == nullptr || kernel.takes_pointers;
  if (is_aligned && is_reachable) return {};
  if (kernel.preparation == Preparation::kNone) {
    return is_reachable ? phrase("{} is not aligned to {} bytes", name, kernel.alignment)
                        : phrase("{} is a batch of pointers", name);
  }
  const std::int64_t width = along_k ? oriented.k() : lines, count = along_k ? lines : oriented.k();
  prepared.preparation = Preparation::kRestride;
  prepared.leading_dimension = pitch_of(width, element);
  prepared.stride = shared ? 0 : prepared.leading_dimension * count;
  const auto elements = static_cast<std::uint64_t>(prepared.leading_dimension) *
                        static_cast<std::uint64_t>(count) *
                        static_cast<std::uint64_t>(prepared.matrices);
  prepared.place = take(plan, elements * element);
  return {};
}

// Everything of a plan but the parts, for a kernel and a cluster that it takes; a refusal when there is none.
std::string begin_plan(Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  if (!runs_on(kernel, gpu)) {
    return phrase("needs compute capability {}{}", kernel.compute_major,
                  kernel.compute_major == 9 ? ".0" : ".0 or later");
  }
  if (kernel.copies_partly && keeps_memcheck_quiet())
    return "memcheck misreads its copies, and TILEWISE_MEMCHECK=1 asks to leave it out";
  if (std::int64_t{kernel.dynamic_shared_bytes} > gpu.shared_per_block_optin) {
    return phrase("needs {} bytes of shared memory in a block, the GPU has {}",
                  kernel.dynamic_shared_bytes, gpu.shared_per_block_optin);
  }
  plan.entry = kernel.entries[oriented.a_along_k][oriented.b_along_k];
  if (plan.entry.empty()) return "does not read these orders of A and B";
  if (std::max({oriented.m(), oriented.n(), oriented.k()}) > kernel.most_extent)
    return phrase("an extent is above {}", kernel.most_extent);
  if (const std::int64_t most = most_held_k(kernel, oriented.n()); oriented.k() > most)
    return phrase("holds B for a k of at most {}", most);
  if (tiles_of(plan, oriented) > kMostTiles ||
      (kernel.is_single && divide_up(oriented.m(), std::int64_t{kernel.bm}) > kMostMatrices))
    return "more tiles than a grid has";
  std::string refusal =
      prepare(plan, plan.a, oriented.arguments.a, oriented.a_along_k, oriented.m(), oriented, "A");
  if (refusal.empty()) {
    refusal = prepare(plan, plan.b, oriented.arguments.b, oriented.b_along_k, oriented.n(),
                      oriented, "B");
  }
  plan.k_each =
      divide_up(std::max<std::int64_t>(1, oriented.k()), std::int64_t{kernel.bk}) * kernel.bk;
  return refusal;
}

// What adds up parts that are left as matrices of C's shape.
std::string_view parts_entry_for(Dtype result) {
  switch (result) {
    case Dtype::kF64: return "gemm_parts_f64";
    case Dtype::kF16: return "gemm_parts_f16";
    case Dtype::kBF16: return "gemm_parts_bf16";
    default: return "gemm_parts_f32";
  }
}

// `plan` with k in `parts`, or as many as that leaves.
Plan divided(Plan plan, const Problem& oriented, std::int64_t parts) {
  const GemmKernel& kernel = *plan.kernel;
  const std::int64_t bk = kernel.bk;
  plan.k_each = std::max(bk, divide_up(divide_up(oriented.k(), parts), bk) * bk);
  plan.parts = static_cast<int>(std::max<std::int64_t>(1, divide_up(oriented.k(), plan.k_each)));
  if (plan.parts <= kernel.most_parts_in_cluster && plan.cluster.blocks() == 1)
    plan.cluster_parts = plan.parts;
  if (plan.parts == plan.cluster_parts) return plan;
  const std::int64_t at_once = kernel.persistent || kernel.is_single
                                   ? oriented.count
                                   : std::min(oriented.count, kMostMatrices);
  plan.parts_unit = kernel.unit;
  plan.parts_entry = kernel.part_entries[oriented.a_along_k][oriented.b_along_k];
  std::int64_t sums = tiles_of(plan, oriented) * kernel.bm * kernel.bn;
  if (plan.parts_entry.empty()) {
    plan.leaves_parts = true;
    plan.parts_unit = "parts";
    plan.parts_entry = parts_entry_for(oriented.result);
    const PartShape shape = part_shape_of(plan, oriented);
    sums = shape.rows * shape.pitch;
  }
  plan.partials = take(plan, unsign(sums * at_once * plan.parts) * sum_bytes_of(oriented));
  return plan;
}

// `plan` with as many tiles streamed as do not fill the GPU evenly, so that each block has `least_steps` of them or more
// beside its whole ones; none where there are no such tiles.
std::optional<Plan> streamed(Plan plan, const Problem& oriented, const model::Gpu& gpu,
                             std::int64_t least_steps) {
  const GemmKernel& kernel = *plan.kernel;
  const std::int64_t steps = divide_up(oriented.k(), std::int64_t{kernel.bk});
  const int in_cluster = plan.cluster.blocks();
  const std::int64_t tiles = tiles_of(plan, oriented) / in_cluster * oriented.count;
  const std::int64_t blocks = stream_blocks(plan, gpu);
  if (!kernel.persistent || !kernel.splits || !kernel.streams || blocks < 1 ||
      tiles % blocks == 0 || steps < 2 || tiles > kMostTiles)
    return {};
  // Blocks whose stretches begin at different k share less of what they read than those of a round: so only what is left
  // over is streamed, unless too many would meet at one tile, or a stretch would be over before rounds are counted
  // (kernels/gemm/rounds.cuh).
  const std::int64_t rest = tiles % blocks;
  const std::int64_t least_of_rest =
      std::max(least_steps, std::int64_t{kernel.stages} * kLeastRingsOfRest);
  const bool is_enough =
      rest * kMostBlocksOfOne >= blocks && rest * steps >= blocks * least_of_rest;
  plan.streamed = tiles < blocks || is_enough ? rest : blocks + rest;
  const std::int64_t all = plan.streamed * steps;
  // What kernels divide is below 2^31 (GemmTiles::by_blocks).
  if (all > std::numeric_limits<std::int32_t>::max() / (blocks + 1) || all < blocks * least_steps)
    return {};
  plan.arrivals = take(plan, unsign(plan.streamed * in_cluster) * sizeof(unsigned));
  plan.partials =
      take(plan, unsign(blocks * 2 * in_cluster * kernel.bm * kernel.bn) * sum_bytes_of(oriented));
  return plan;
}

// In how many parts k is tried: enough that one of them is near the best, and as many as fill the GPU.
std::set<int> parts_to_try(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  if (!kernel.splits || is_of_many_tiles(oriented, kernel, gpu)) return {1};
  std::set<int> all{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128};
  const std::int64_t places = blocks_at_a_time(plan, gpu) * kernel.blocks_per_sm,
                     tiles = tiles_of(plan, oriented) * oriented.count;
  if (tiles > 0 && tiles <= places) all.insert(static_cast<int>(places / tiles));
  std::erase_if(all, [&](int parts) {
    return parts > 1 && (oriented.k() < kLeastSteps * kernel.bk * parts ||
                         (kernel.is_single && tiles * parts > places));
  });
  return all;
}

// Whether a cluster does not consist of tiles without rows or columns, but for a few.
bool fills(const TileCluster& cluster, const GemmKernel& kernel, const Problem& oriented) {
  return (cluster.down == 1 || oriented.m() > std::int64_t{kernel.bm} * (cluster.down - 1)) &&
         (cluster.across == 1 || oriented.n() > std::int64_t{kernel.bn} * (cluster.across - 1));
}

// Sets the candidate's plan to `plan` when it is there to be had and better than what it has.
void offer(Candidate& candidate, Plan plan, const Problem& oriented, const model::Gpu& gpu,
           std::uint64_t limit) {
  if (plan.workspace_bytes > limit) {
    if (!candidate.plan) {
      candidate.refusal =
          phrase("needs {} bytes of workspace, {} are allowed", plan.workspace_bytes, limit);
    }
    return;
  }
  // What workspace allows: without, blocks go on by themselves.
  Plan with_rounds = plan;
  with_rounds.rounds =
      take(with_rounds, unsign(rounds_kept(plan, oriented, gpu)) * sizeof(unsigned));
  if (with_rounds.workspace_bytes <= limit) plan = with_rounds;
  const Estimate estimate = estimate_of(plan, oriented, gpu);
  if (candidate.plan && candidate.estimate.microseconds <= estimate.microseconds) return;
  candidate.plan = plan;
  candidate.estimate = estimate;
  candidate.refusal.clear();
}

// Offers what a kernel makes of `oriented` in `cluster`.
void offer_in(const TileCluster& cluster, Candidate& candidate, const Problem& oriented,
              const model::Gpu& gpu, std::uint64_t limit, const Wish& wish) {
  const GemmKernel& kernel = *candidate.kernel;
  const auto refuse = [&](std::string why) {
    if (!candidate.plan) candidate.refusal = std::move(why);
  };
  if (!kernels::takes(kernel, cluster))
    return refuse(phrase("does not take clusters of {}×{}", cluster.down, cluster.across));
  Plan plan;
  plan.kernel = &kernel;
  plan.cluster = cluster;
  if (std::string refusal = begin_plan(plan, oriented, gpu); !refusal.empty())
    return refuse(std::move(refusal));
  const bool is_streamed = wish.streams || !is_of_many_tiles(oriented, kernel, gpu);
  const std::optional<Plan> stream =
      wish.parts > 0 || !is_streamed
          ? std::nullopt
          : streamed(plan, oriented, gpu, wish.streams ? 1 : kLeastSteps);
  if (wish.streams) {
    if (stream) offer(candidate, *stream, oriented, gpu, limit);
    else refuse("does not stream this");
    return;
  }
  if (wish.parts > 0) {
    if (wish.parts > 1 && !kernel.splits) refuse("does not divide k");
    else offer(candidate, divided(plan, oriented, wish.parts), oriented, gpu, limit);
    return;
  }
  for (const int parts : parts_to_try(plan, oriented, gpu))
    offer(candidate, divided(plan, oriented, parts), oriented, gpu, limit);
  if (stream) offer(candidate, *stream, oriented, gpu, limit);
}

Candidate candidate_of(const GemmKernel& kernel, const Problem& problem, const model::Gpu& gpu,
                       std::uint64_t limit, const Wish& wish,
                       std::span<const TileCluster> clusters) {
  Candidate candidate{&kernel, {}, {}, {}};
  const Problem oriented = oriented_for(kernel, problem);
  for (const TileCluster& cluster : clusters)
    offer_in(cluster, candidate, oriented, gpu, limit, wish);
  return candidate;
}

// Whether TMA reads a factor as it is, whose rows begin within lines of the cache.
bool begins_within_lines(const GemmFactor& factor, const Problem& oriented) {
  constexpr std::int64_t kBox = 16, kLine = 128;
  const std::int64_t alignment = alignment_of(factor, oriented.count, size_of(oriented.operand));
  return alignment % kBox == 0 && alignment % kLine != 0;
}

// Clusters that are worth considering for a kernel.
std::vector<TileCluster> clusters_for(const GemmKernel& kernel, const Problem& oriented) {
  if (!kernel.is_planned) return {};
  std::vector<TileCluster> all{kernel.cluster};
  // Blocks that ask for the same at nearly the same time are served together, without a cluster's barriers. But of rows that
  // are not there each request takes its time: four blocks ask for a quarter of them.
  constexpr TileCluster kForMissingRows{1, 4};
  if (oriented.m() < kernel.bm && kernels::takes(kernel, kForMissingRows) &&
      fills(kForMissingRows, kernel, oriented))
    all.push_back(kForMissingRows);
  // And of rows that begin within lines each request is two, of which a multiprocessor gets only so many: two blocks ask for half
  // of what they share. (Products of shorter k were slower for it.)
  constexpr std::int64_t kLeastPairedK = 2048;
  if (oriented.k() < kLeastPairedK) return all;
  if (begins_within_lines(oriented.arguments.a, oriented) ||
      begins_within_lines(oriented.arguments.b, oriented)) {
    for (const TileCluster& pair : {TileCluster{1, 2}, TileCluster{2, 1}})
      if (kernels::takes(kernel, pair) && fills(pair, kernel, oriented)) all.push_back(pair);
  }
  return all;
}

// All that `kernel` might be measured with.
std::vector<TileCluster> clusters_to_measure(const GemmKernel& kernel, const Problem& oriented) {
  if (!kernel.takes_clusters) return {kernel.cluster};
  constexpr std::array<unsigned short, 4> kExtents{1, 2, 4, 8};
  std::vector<TileCluster> all;
  for (const unsigned short down : kExtents) {
    for (const unsigned short across : kExtents) {
      const TileCluster cluster{down, across};
      if (kernels::takes(kernel, cluster) && fills(cluster, kernel, oriented))
        all.push_back(cluster);
    }
  }
  return all;
}

Candidate candidate_of(const GemmKernel& kernel, const Problem& problem, const model::Gpu& gpu,
                       std::uint64_t limit, const Wish& wish) {
  if (wish.cluster) return candidate_of(kernel, problem, gpu, limit, wish, {{*wish.cluster}});
  std::vector<TileCluster> clusters = clusters_for(kernel, oriented_for(kernel, problem));
  if (clusters.empty()) clusters = {kernel.cluster};  // who asks for the kernel gets it
  return candidate_of(kernel, problem, gpu, limit, wish, clusters);
}

// Of tiles of any width one that leaves more columns empty than another, which makes as few tiles.
bool is_too_wide(const GemmKernel& kernel, const Problem& oriented) {
  const int narrower = oriented.b_along_k ? kernel.narrower : kernel.narrower_across;
  return narrower > 0 && divide_up(oriented.n(), std::int64_t{narrower}) ==
                             divide_up(oriented.n(), std::int64_t{kernel.bn});
}

// Single tiles, more than the GPU has multiprocessors: the next block of one begins when the one before is gone, which in 16
// bits was never seen to be worth it. Those of f64 take longer for a tile.
bool is_second_round(const GemmKernel& kernel, const Problem& oriented, const model::Gpu& gpu) {
  constexpr int kMostRoundsOfF64 = 4;
  const int most = kernel.operand == Dtype::kF64 ? kMostRoundsOfF64 : 1;
  return kernel.is_single && divide_up(oriented.m(), std::int64_t{kernel.bm}) *
                                     divide_up(oriented.n(), std::int64_t{kernel.bn}) *
                                     oriented.count >
                                 std::int64_t{most} * gpu.sm_count;
}

// Whether TMA reads A and B as they are.
bool has_maps(const Problem& oriented) {
  constexpr std::int64_t kAlignment = 16;
  const auto has_map = [&](const GemmFactor& factor) {
    return factor.pointers == nullptr && factor.stride >= 0 &&
           alignment_of(factor, oriented.count, size_of(oriented.operand)) >= kAlignment;
  };
  return has_map(oriented.arguments.a) && has_map(oriented.arguments.b);
}

// Small persistent tiles of f64, where a single round of the largest single ones is enough: for 13 of 223 products these were
// faster, by 3 to 9 %, while what they take is up to twice what is estimated.
bool is_superseded(const GemmKernel& kernel, const Problem& oriented, const model::Gpu& gpu) {
  constexpr std::int64_t kLargest = 128;
  return kernel.pipe == kernels::Pipe::kTensorF64 && kernel.persistent &&
         kernel.bm * kernel.bn < kLargest * kLargest &&
         divide_up(oriented.m(), kLargest) * divide_up(oriented.n(), kLargest) * oriented.count <=
             gpu.sm_count;
}

// Of batches of many tiles: of whose kernels it is not known what a tile takes. Those of tf32 were not measured.
bool is_unknown_of_many_tiles(const GemmKernel& kernel, const Problem& oriented,
                              const model::Gpu& gpu) {
  return gpu.compute_major == 9 && is_of_many_tiles(oriented, kernel, gpu) && !kernel.is_single &&
         kernel.tiles_of_block == 0 && !kernel.goes_by_rounds &&
         kernel.mode != ComputeMode::kTf32 && !is_known_of_many_tiles(kernel);
}

// Kernels of which there are many, where others of them are the better for certain.
bool is_passed_over(const GemmKernel& kernel, const Problem& oriented, const model::Gpu& gpu) {
  const bool is_for_others = kernel.is_single && kernel.box_a.lines == 0 && has_maps(oriented);
  return is_too_wide(kernel, oriented) || is_second_round(kernel, oriented, gpu) || is_for_others ||
         is_superseded(kernel, oriented, gpu) || is_unknown_of_many_tiles(kernel, oriented, gpu);
}

// Why a kernel that could compute this is not worth measuring, if so.
std::string misfit(const GemmKernel& kernel, const Problem& oriented, const model::Gpu& gpu) {
  if (kernel.yields_to_hopper && gpu.compute_major == 9 && gpu.compute_minor == 0)
    return "is for other GPUs: Hopper has kernels of its own";
  if (!fills(kernel.cluster, kernel, oriented))
    return "would leave half of each cluster without rows";
  if (kernel.tiles_of_block > 0 && oriented.count == 1) return "is for batches";
  if (oriented.m() > kernel.most_rows) {
    return phrase("is for at most {} {}", kernel.most_rows,
                  kernel.transposes_result ? "columns" : "rows");
  }
  if (is_tall_by_boxes(kernel) && !is_read_once(kernel, oriented))
    return "would read the larger factor twice";
  if (oriented.k() < kernel.least_k) return phrase("is for a k of at least {}", kernel.least_k);
  // Vectors have kernels of their own (thin.cuh), of which 50257×1×1025 takes 55 µs, by this one 61.
  if (is_of_long_k(kernel) && oriented.n() == 1) return "is not for vectors";
  if (oriented.k() > kernel.most_k) return phrase("is for a k of at most {}", kernel.most_k);
  if (oriented.n() <= kernel.most_columns) return {};
  return phrase("is for at most {} {}", kernel.most_columns,
                kernel.transposes_result ? "rows" : "columns");
}

// Why it is not worth considering, if so.
std::string out_of_place(const GemmKernel& kernel, const Problem& oriented, const model::Gpu& gpu) {
  std::string reason = misfit(kernel, oriented, gpu);
  if (reason.empty() && clusters_for(kernel, oriented).empty())
    reason = "was the fastest for nothing that has been measured (`tilewise tune` tries it)";
  return reason;
}

[[noreturn]] void refuse(const std::vector<Candidate>& all, const Problem& problem,
                         const model::Gpu& gpu) {
  if (all.empty()) {
    throw Error(ErrorCode::kUnsupported,
                phrase("{}: the library has no GPU kernel for them", what_is(problem)));
  }
  std::string reasons;
  bool for_want_of_memory = false;
  for (const Candidate& candidate : all) {
    reasons +=
        phrase("{}{}: {}", reasons.empty() ? "" : "; ", candidate.kernel->name, candidate.refusal);
    for_want_of_memory |= candidate.refusal.find("bytes of workspace") != std::string::npos;
  }
  throw Error(for_want_of_memory ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported,
              phrase("{}: no plan on {} ({})", what_is(problem), gpu.name, reasons));
}

}  // namespace

std::string_view name_of(ComputeMode mode) {
  switch (mode) {
    case ComputeMode::kIeee: return "ieee";
    case ComputeMode::kAccurate: return "accurate";
    case ComputeMode::kTf32: return "tf32";
  }
  return "?";
}

PartShape part_shape_of(const Plan& plan, const Problem& oriented) {
  PartShape shape{oriented.m(), oriented.n()};
  if (plan.kernel->transposes_result) std::swap(shape.rows, shape.columns);
  shape.pitch = round_up(shape.columns, std::int64_t{4});
  return shape;
}

bool concerns(const Wish& wish, const Problem& problem) { return computes(*wish.kernel, problem); }

std::vector<Candidate> candidates(const Problem& problem, const model::Gpu& gpu,
                                  std::uint64_t limit, const std::optional<Wish>& wish) {
  std::vector<Candidate> all;
  const bool is_meant = wish && computes(*wish->kernel, problem);
  for (const GemmKernel& kernel : kernels::gemm_kernels()) {
    if (!computes(kernel, problem) || (is_meant && wish->kernel != &kernel)) continue;
    const Problem oriented = oriented_for(kernel, problem);
    if (!is_meant && is_passed_over(kernel, oriented, gpu)) continue;
    const std::string refusal = is_meant ? "" : out_of_place(kernel, oriented, gpu);
    if (!refusal.empty()) {
      all.push_back({&kernel, {}, {}, refusal});
      continue;
    }
    all.push_back(candidate_of(kernel, problem, gpu, limit, is_meant ? *wish : Wish{}));
  }
  return all;
}

Plan choose(const Problem& problem, const model::Gpu& gpu, std::uint64_t limit,
            const std::optional<Wish>& wish) {
  const std::vector<Candidate> all = candidates(problem, gpu, limit, wish);
  const Candidate* best = nullptr;
  for (const Candidate& candidate : all) {
    if (!candidate.plan) continue;
    if (!best || candidate.estimate.microseconds < best->estimate.microseconds) best = &candidate;
  }
  if (!best) refuse(all, problem, gpu);
  return *best->plan;
}

std::optional<Plan> plan_by(const Wish& wish, const Problem& problem, const model::Gpu& gpu,
                            std::uint64_t limit) {
  if (!concerns(wish, problem)) return {};
  return candidate_of(*wish.kernel, problem, gpu, limit, wish).plan;
}

std::vector<Candidate> alternatives(const Problem& problem, const model::Gpu& gpu,
                                    std::uint64_t limit) {
  std::vector<Candidate> all;
  for (const GemmKernel& kernel : kernels::gemm_kernels()) {
    if (!computes(kernel, problem)) continue;
    const Problem oriented = oriented_for(kernel, problem);
    if (is_passed_over(kernel, oriented, gpu) || !misfit(kernel, oriented, gpu).empty()) continue;
    for (const TileCluster& cluster : clusters_to_measure(kernel, oriented)) {
      std::set<int> seen;  // parts, which are rounded
      Plan undivided;
      undivided.kernel = &kernel;
      undivided.cluster = cluster;
      for (const int parts : parts_to_try(undivided, oriented, gpu)) {
        Candidate candidate = candidate_of(kernel, problem, gpu, limit, {&kernel, cluster, parts});
        // As a wish for so many parts comes out, so that a name means one plan.
        for (int asked = parts; candidate.plan && candidate.plan->parts != asked;) {
          asked = candidate.plan->parts;
          if (seen.contains(asked)) break;
          candidate = candidate_of(kernel, problem, gpu, limit, {&kernel, cluster, asked});
        }
        if (candidate.plan && seen.insert(candidate.plan->parts).second)
          all.push_back(std::move(candidate));
      }
      Candidate stream = candidate_of(kernel, problem, gpu, limit, {&kernel, cluster, 0, true});
      if (stream.plan) all.push_back(std::move(stream));
    }
  }
  return all;
}

std::string_view entry_of(const Plan& plan, const Problem& oriented) {
  const std::string_view adding =
      plan.kernel->adding_entries[oriented.a_along_k][oriented.b_along_k];
  return oriented.reads_c() && !adding.empty() ? adding : plan.entry;
}

}  // namespace tilewise::gpu
