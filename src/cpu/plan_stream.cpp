// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// When the long factor of a product of few rows or columns streams past, and in which pieces.
#include <algorithm>
#include <bit>

#include "core/divide.hpp"
#include "cpu/plan_shape.hpp"

namespace tilewise::cpu {
namespace {

// Few rows or columns: the long factor goes by once, in place. How many depends on where it comes from: copies of it for tiles, which
// more rows share, take longer than they save.
constexpr std::int64_t kStreamedFromMemory = 24;
// Shorter sums are not worth passing by so many rows of C. Not measured.
constexpr std::int64_t kLeastDepthOfMany = 64;

// Both ways to read rows (stream.inl) are there, and the third level is far: measured on a Xeon with AVX-512.
bool chooses_lines(const Shape& s, const Caches& caches) {
  return s.line_rows > 0 && !s.streams_only_by_line && !caches.l3_is_near;
}

// Where a long factor comes from that is so large, in bytes, beside a far third level: from there, or from memory.
bool comes_from_afar(std::int64_t bytes, const Caches& caches) { return bytes > 8 * caches.l2; }

std::int64_t most_rows_streamed(const Shape& s, const Caches& caches) {
  const std::int64_t bytes = s.k * s.n * s.element;
  if (chooses_lines(s, caches)) {
    if (comes_from_afar(bytes, caches) && s.k >= kLeastDepthOfMany) return kMostStreamed;
    if (bytes > (s.b_is_paged() ? 2 : 1) * caches.l2) return kStreamedFromMemory;
    return bytes > caches.l2 * 5 / 8 ? s.line_rows : s.stream_rows;
  }
  // From 12 rows on, panels keep up with a memory whose traffic a near third-level cache smooths, but not with lines of each row.
  constexpr std::int64_t kFromNear = 11;
  const bool is_afar =
      bytes > 2 * caches.l2 || (s.streams_only_by_line && s.b_is_paged() && bytes > caches.l2);
  if (!is_afar) return s.stream_rows;
  return caches.l3_is_near && !s.streams_only_by_line ? kFromNear : kStreamedFromMemory;
}

bool streams_b(const Shape& s, const Caches& caches) {
  return s.b_by_rows && !has_few_rows_near(s, caches) && s.m <= most_rows_streamed(s, caches);
}

bool streams_a(const Shape& s, const Caches& caches) {
  const bool from_memory = s.k * s.m * s.element > 2 * caches.l2;
  return !s.a_by_rows && s.n <= std::max(from_memory ? kStreamedFromMemory : s.stream_rows,
                                         most_columns_streamed(s, caches));
}

// Of the long factor, which a pass reads where its rows are short.
constexpr std::int64_t kStreamBytes = 32 << 10;

// In how many pieces of a page, 256 bytes each, kMostStreamDepth rows begin.
int pieces_of_page(std::uint64_t step) {
  constexpr std::uint64_t kPiece = 256;
  std::uint64_t pieces = 0;
  for (std::uint64_t i = 0; i < kMostStreamDepth; ++i)
    pieces |= std::uint64_t{1} << (i * step % kPage / kPiece);
  return std::popcount(pieces);
}

// The rows of the long factor, a line of each, that a kernel takes (of one row or two of the short one it divides them). Memory
// likes eight of them best, as many as fit in one set of a first-level cache; out of the third level C's traffic counts; and where
// a second group of rows meets the same lines, they may be as many as stay there. Those that begin whole pages apart meet in few
// sets: beside a far third level (a Xeon with AVX2) 64 of them took up to four times as long as what there was before, beside a
// near one (a Zen 2) they are faster than eight. What is slow there, out of memory, is 64 rows that begin all over a page, for up
// to two or three groups: half as fast as 16 (why is not known; with rows that begin at a few places a prefetcher may foresee more).
std::int64_t depth_of_lines(const Shape& s, const Caches& caches, bool turned) {
  constexpr std::int64_t kPair = 2, kFromNear = 32, kScattered = 16;
  constexpr int kFewPieces = 5, kSomePieces = 9;
  const std::int64_t few = turned ? s.n : s.m;
  if (few <= kPair) return kMostStreamDepth;
  if (few <= s.line_rows) return is_from_memory(s, caches) ? kStreamDepth : kFromNear;
  if (!caches.l3_is_near)
    return (turned ? s.a_is_paged() : s.b_is_paged()) ? kStreamDepth : kMostStreamDepth;
  if (!is_from_memory(s, caches)) return kMostStreamDepth;
  const int pieces = pieces_of_page(turned ? s.a_step : s.b_step);
  const std::int64_t groups = pieces <= kFewPieces ? 0 : pieces <= kSomePieces ? 2 : 3;
  return few <= groups * s.line_rows ? kScattered : kMostStreamDepth;
}

// Whether a stream reads lines. With kernels of 32 registers one row or two do not gain, and out of the third level three to five
// only where they are floats and do not meet in few sets of a cache.
bool streams_by_line(const Shape& s, const Caches& caches, bool turned) {
  if (!chooses_lines(s, caches)) return s.streams_only_by_line;
  const std::int64_t few = turned ? s.n : s.m, many = turned ? s.m : s.n;
  if (few < 3 || few >= s.stream_rows) return few >= 3;
  const bool is_paged = turned ? s.a_is_paged() : s.b_is_paged();
  return comes_from_afar(s.k * many * s.element, caches) ||
         (s.element == sizeof(float) && !is_paged);
}

// Columns of A that are gathered before they are turned: rows of memory as long as may be, and C's sums in the second level.
constexpr std::int64_t kMostGathered = 32768;

}  // namespace

// With more, panels of A are ahead.
std::int64_t most_columns_streamed(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kByRow = 6, kByRowFromMemory = 8, kByLine = 16, kByLineFromFar = 32;
  const std::int64_t bytes = s.m * s.k * s.element;
  if (caches.l3_is_near)
    return s.streams_only_by_line ? kByLine : bytes > caches.l3 / 2 ? kByRowFromMemory : kByRow;
  const bool from_memory = bytes > 2 * caches.l2;
  if (s.line_rows == 0) return from_memory ? kByRowFromMemory : kByRow;
  if (s.streams_only_by_line || s.k < kLeastDepthOfMany)
    return from_memory ? kStreamedFromMemory : kByRow;
  if (comes_from_afar(bytes, caches)) return kMostStreamed;
  return bytes > caches.l2 ? kByLineFromFar : bytes > caches.l2 * 5 / 8 ? kByLine : kByRow;
}

bool wants_stream(const Shape& s, const Caches& caches) {
  return !s.widens && (streams_b(s, caches) || streams_a(s, caches));
}

void plan_stream(const Shape& s, const Caches& caches, Plan& plan) {
  plan.path = Path::kStream;
  plan.turned = !streams_b(s, caches);
  plan.by_line = streams_by_line(s, caches, plan.turned);
  if (plan.by_line) {
    plan.kc = std::min(s.k, depth_of_lines(s, caches, plan.turned));
    plan.nc = plan.turned ? std::min<std::int64_t>(round_up(s.m, 16), kMostGathered / s.n) : s.n;
    return;
  }
  plan.fetch_ahead = fetches_ahead(s, caches);
  // Not measured elsewhere. With more rows than one pass takes, columns go by in short pieces.
  const std::int64_t few = plan.turned ? s.n : s.m;
  plan.side_by_side = plan.fetch_ahead && outruns_l3(caches) && few <= s.stream_rows;
  const std::int64_t row_bytes = (plan.turned ? s.m : s.n) * s.element;
  // The same depth, and so the same bits, where a batch makes a factor far.
  const bool is_shallow = caches.l3_is_near && is_from_memory(s, caches);
  const std::int64_t depth = is_shallow ? kStreamDepth : kStreamBytes / row_bytes / 8 * 8;
  plan.kc = std::min(s.k, std::clamp(depth, kStreamDepth, kMostStreamDepth));
  plan.nc = plan.turned ? std::min<std::int64_t>(round_up(s.m, 16), 8192 / s.n) : s.n;
}

}  // namespace tilewise::cpu
