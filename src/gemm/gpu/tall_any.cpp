// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/tall_any.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/divide.hpp"

namespace tilewise::gpu {
namespace {

using kernels::TallAny;
using kernels::TallSpans;

constexpr int kPiece = 16, kLanes = 32;
constexpr int kFactorBytes = 2;                    // of an element of A
constexpr int kMostShift = kPiece - kFactorBytes;  // behind a multiple of 16 bytes

// That hold a span wherever it begins.
int pieces_of(std::int64_t bytes) {
  return static_cast<int>(divide_up(bytes + kMostShift, std::int64_t{kPiece}));
}

// Of `count` spans of `bytes`, `apart` bytes from each other, all as one where that is at most `most_apart`.
TallSpans spans_of(std::int64_t apart, std::int64_t bytes, int count, std::int64_t most_apart) {
  TallSpans spans{};
  spans.apart = apart, spans.count = count;
  if (apart <= most_apart) {
    spans.pitch = static_cast<int>(apart);
    spans.pieces = pieces_of((count - 1) * apart + bytes);
    spans.to_next = spans.next = kLanes * kPiece;
    return spans;
  }
  spans.pieces = pieces_of(bytes);
  spans.pitch = spans.pieces * kPiece;
  spans.at_a_time = kLanes / spans.pieces;
  spans.to_next = spans.at_a_time * apart, spans.next = spans.at_a_time * spans.pitch;
  constexpr int kOne = 1 << 16;  // lanes are few, so that quotients are right
  spans.reciprocal = static_cast<unsigned>(divide_up(kOne, spans.pieces));
  return spans;
}

// What `spans` take in shared memory.
int room_of(const TallSpans& spans) {
  return spans.at_a_time == 0 ? spans.pieces * kPiece : spans.count * spans.pitch;
}

// Of `warps` of a block that share a unit: as many as compute all units of the block the soonest. A unit's end, for all of its
// warps, takes as long as some chunks.
int team_of(std::int64_t units_of_block, std::int64_t chunks, int warps) {
  constexpr std::int64_t kEnd = 2;
  int best = 1;
  std::int64_t soonest = std::numeric_limits<std::int64_t>::max();
  for (const int team : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20}) {
    if (team > warps || team > chunks) break;
    const std::int64_t rounds = divide_up(units_of_block, std::int64_t{warps / team}),
                       takes = rounds * (divide_up(chunks, std::int64_t{team}) + kEnd);
    if (takes < soonest) soonest = takes, best = team;
  }
  return best;
}

}  // namespace

bool is_tall_of_any_alignment(const kernels::GemmKernel& kernel) {
  return kernel.strides_tiles && kernel.alignment == 0;
}

bool is_of_long_k(const kernels::GemmKernel& kernel) {
  return is_tall_of_any_alignment(kernel) && kernel.least_k > 0;
}

std::int64_t most_held_k(const kernels::GemmKernel& kernel, std::int64_t columns) {
  if (!is_of_long_k(kernel)) return kernel.most_held_k;
  constexpr std::int64_t kGroup = kernels::kTallLongGroup;
  return kernel.most_held_k * kernel.bn /
         (divide_up(std::min<std::int64_t>(columns, kernel.bn), kGroup) * kGroup);
}

TallAny tall_any_of(const kernels::GemmArguments& arguments, const kernels::GemmKernel& kernel,
                    std::int64_t blocks) {
  const bool transposes_result = kernel.transposes_result, is_long = is_of_long_k(kernel),
             is_across = arguments.a_across_k != 0;
  TallAny any{};
  const std::int64_t most_columns = kernel.bn,
                     columns = std::min<std::int64_t>(arguments.n, most_columns),
                     // k of A that come together
      together = is_long ? kernels::tall_long_chunk(is_across) : arguments.k,
                     result = arguments.result_bytes;
  const int lines = is_long ? kernels::tall_long_lines(is_across)
                            : kernels::tall_any_lines(!transposes_result, is_across);
  const std::int64_t width_of_a = (is_across ? lines : together) * kFactorBytes;
  // Gaps between rows of A may be brought along, as far as pieces of each row would be as many.
  any.a = spans_of(arguments.a.leading_dimension * kFactorBytes, width_of_a,
                   static_cast<int>(is_across ? together : lines),
                   is_across || is_long ? 0 : std::int64_t{pieces_of(width_of_a)} * kPiece);
  any.c = spans_of(arguments.c.leading_dimension * result,
                   (transposes_result ? lines : columns) * result,
                   static_cast<int>(transposes_result ? columns : lines),
                   transposes_result || arguments.n > most_columns ? 0 : columns * result);
  constexpr int kStep = 16;
  const int group = is_long ? kernels::kTallLongGroup : 32;
  const auto groups = static_cast<int>(divide_up(columns, std::int64_t{group}));
  any.columns_words =
      static_cast<int>(divide_up(arguments.k, std::int64_t{kStep})) * kStep / 2 * group;
  any.columns_bytes = groups * any.columns_words * 4;
  any.stage_bytes = std::max(room_of(any.a), kPiece);
  // Of a long k sums of a unit are left where C is staged.
  any.staged_bytes = std::max(room_of(any.c), is_long ? groups * group * lines * 4 : 0);
  const int room = kernels::kTallAnySharedBytes - any.columns_bytes;
  // While one chunk is multiplied another is to be on its way.
  const int of_warp = (is_long ? 2 : 1) * any.stage_bytes + any.staged_bytes;
  any.warps = std::min(room / of_warp, kernel.threads / kLanes);
  any.stages = std::min((room / any.warps - any.staged_bytes) / any.stage_bytes,
                        kernels::kTallAnyMostStages);
  if (is_long)
    any.team = team_of(divide_up(divide_up(arguments.m, std::int64_t{lines}), blocks),
                       divide_up(arguments.k, together), any.warps);
  return any;
}

}  // namespace tilewise::gpu
