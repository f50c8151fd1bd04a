// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the estimates of single tiles and of all other kernels are made of. Times are microseconds.
#pragma once

#include <cstdint>

#include "gemm/gpu/estimate.hpp"

namespace tilewise::gpu {

inline constexpr double kLaunchMicroseconds = 2.0;  // of each launch behind another in a stream
inline constexpr double kMemoryShare = 0.85;  // of the datasheet's bandwidth that copies reach

/// Beside so many rows or columns and fewer other estimates were fitted, with tall products' kernels among them, than those of
/// a short k.
inline constexpr std::int64_t kTallColumns = 128;

/// What mma.sync gets out of tensor cores that have faster instructions of their own: Hopper's, and those of Blackwell
/// in datacenters, of which no more is known here.
inline constexpr double kMmaShareOfHopper = 0.62;

/// FLOP a cycle and multiprocessor.
double flop_per_clock(kernels::Pipe pipe, const model::Gpu& gpu);

/// Bytes that `lines` × `k` elements of a factor are, in all matrices of a batch that have their own.
double bytes_of(double lines, double k, std::int64_t count, const kernels::GemmFactor& factor,
                std::size_t element);

/// Bytes of A, B and C, which memory is asked for at least.
double memory_bytes(const Problem& problem);

/// By how much a factor is more traffic where its rows begin within lines of 128 bytes, and within sectors of 32.
struct StraddlingTraffic {
  double of_lines, of_sectors;
};
/// Of a factor, as the kernel reads it: 1 where its rows begin with lines.
double straddling_traffic(const PreparedFactor& prepared, const kernels::GemmFactor& factor,
                          const Problem& oriented, const StraddlingTraffic& traffic);

/// How many times as long C in 16 bits takes where its rows are no multiples of 16 bytes long.
double unaligned_store_time(const kernels::GemmKernel& kernel, const Problem& oriented);

/// What two times take of which the shorter hides behind the longer, the less so the nearer they are.
double one_behind_other(double one, double other);

/// Where C's rows begin, if C itself begins with a line of 128 bytes: with lines; with sectors of 32 bytes; with them and in their
/// middle, at multiples of 16 bytes; or anywhere, also where they are not multiples of 16 bytes long.
enum class RowsOfC : std::uint8_t { kWithLines, kWithSectors, kInSectors, kAnywhere };
RowsOfC rows_of_c(const kernels::GemmKernel& kernel, const Problem& oriented);

/// Adds what storing C takes where k is short, of f32 and f64.
void add_stores(Estimate& estimate, const Plan& plan, const Problem& oriented,
                const model::Gpu& gpu);

/// Adds what is done to A and B before, and the launches of that.
void add_preparation(Estimate& estimate, const Plan& plan, const Problem& oriented,
                     const model::Gpu& gpu);

/// Of single tiles (kernels/gemm/single.cuh, single_f64.cuh), as estimate_of().
Estimate estimate_of_single(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);
Estimate estimate_of_single_f64(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);
/// Of teams of warps (kernels/gemm/batch.cuh).
Estimate estimate_of_teams(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);
/// Adds what tiles and strips of 16 bits take longer beside few columns or few rows.
void correct_few_columns(Estimate& estimate, const Plan& plan, const Problem& oriented,
                         const model::Gpu& gpu);
/// Of kernels that read factors of any alignment in pieces (GemmKernel::reads_pieces).
Estimate estimate_of_pieces(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);
/// Of tall products (kernels/gemm/tall.cuh).
Estimate estimate_of_tall(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// Of sums of few outer products (kernels/gemm/outer.cuh).
Estimate estimate_of_outer(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);
/// Of 16-bit products of short k by wgmma, undivided and not tall: whether the plan is one, and what it costs.
bool is_of_short_k(const Plan& plan, const Problem& oriented);
Estimate estimate_of_short_k(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// Of batches that `kernel` has more tiles of than the GPU has multiprocessors, where it is known what one takes: with k
/// undivided. Of others plans are not worth considering there, unless they are single tiles.
Estimate estimate_of_many_tiles(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

}  // namespace tilewise::gpu
