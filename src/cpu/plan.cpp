// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan.hpp"

#include <algorithm>
#include <type_traits>

#include "core/divide.hpp"
#include "cpu/plan_shape.hpp"

namespace tilewise::cpu {
namespace {

template <class T> std::uint64_t bytes_of_step(const Factor<T>& factor) {
  return static_cast<std::uint64_t>(std::max(factor.row_stride, factor.column_stride)) * sizeof(T);
}

template <class T> bool straddles(const Factor<T>& factor) {
  constexpr std::uintptr_t kCacheLine = 64;
  return (reinterpret_cast<std::uintptr_t>(factor.data) | bytes_of_step(factor)) % kCacheLine != 0;
}

template <class A, class B, class C, class Scalar>
Shape shape_of(const Problem<A, B, C, Scalar>& problem, Factors factors) {
  const Kernels<Scalar>& set = kernels<Scalar>();
  Shape shape;
  shape.m = problem.m;
  shape.n = problem.n;
  shape.k = problem.k;
  shape.element = sizeof(Scalar);
  shape.widens = !std::is_same_v<A, Scalar>;
  shape.a_by_rows = problem.a.column_stride == 1;
  shape.b_by_rows = problem.b.column_stride == 1;
  shape.a_straddles = straddles(problem.a);
  shape.b_straddles = straddles(problem.b);
  shape.a_step = bytes_of_step(problem.a);
  shape.b_step = bytes_of_step(problem.b);
  shape.is_far = factors == Factors::kFar;
  shape.has_turned_tiles = set.turned_rows > 0;
  shape.has_rows_by_panel = set.has_rows_by_panel();
  shape.lanes = set.lanes;
  shape.tile_rows = set.rows_of[set.best_vectors];
  shape.widest_tile = set.most_vectors * set.lanes;
  shape.line_rows = set.line_rows;
  shape.streams_only_by_line = set.stream_rows == 0;
  shape.stream_rows = shape.streams_only_by_line ? set.line_rows : set.stream_rows;
  shape.tile_columns = set.best_vectors * set.lanes;
  return shape;
}

constexpr std::int64_t kFew = 24;  // rows or columns: dot products pay
// Columns, in half of a vector at most: the other lanes of a tile would be of no use.
constexpr std::int64_t kVeryFew = 4;
// Where they save turning B as well: it is read once for every few rows, from the third-level cache.
constexpr std::int64_t kManyFromNear = 64, kManyFromFar = 32, kManyWhereFast = 20,
                       kManyProducts = 512;
constexpr std::int64_t kManyRows = 64, kLongK = 256;  // putting few columns in order pays

// Few columns of B that have to be turned: a copy of A would be read once, or twice, which does not pay for it. Measured
// where the third level is far, and not where it is near.
bool wants_rows_in_place(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kMostOfB = 384;  // bytes of a row
  if (!s.a_by_rows || s.b_by_rows || s.widens) return false;
  return s.n <= s.tile_columns ||
         (s.n * s.element <= kMostOfB && s.m * s.k * s.element <= caches.l2 / 2);
}

// Whether tiles that do so are ahead of dot products, as they compute hardly any columns that are not there. A longer k
// leaves less to add up in the end, which is where dot products lose. Not measured where the third level is near.
bool beats_dots(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kShort = 128, kLong = 1024;
  if (caches.l3_is_near || s.n > s.m || !wants_rows_in_place(s, caches)) return false;
  // Short rows from afar, several at a time, are what a processor does not foresee.
  if (s.k < kLong && s.m * s.k * s.element > 2 * caches.l2) return false;
  const std::int64_t computed = round_up(s.n, s.lanes);
  return s.n == computed || (s.k <= kShort && 4 * s.n >= 3 * computed);
}

// The same with short vectors, beside a near third level (a Zen 2): a dot product ends with lanes to be added up, and loads
// twice what a tile does. But a long factor out of memory has to go by in long rows, once.
bool beats_short_dots(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kFewest = 8, kBytesOfK = 48, kShort = 128, kLong = 1024;
  if (s.lanes * s.element >= kLongVector || !caches.l3_is_near) return false;
  const bool is_near = std::max(s.m, s.n) * s.k * s.element <= caches.l3 / 2;
  if (s.m <= s.n)
    return is_near && s.m >= kFewest && s.m <= kFew && s.k * s.element < kBytesOfK * s.m;
  if (!s.a_by_rows || !(is_near || s.k >= kLong)) return false;
  if (s.n == s.tile_columns) return true;
  if (!is_near || s.n < s.lanes) return false;
  return s.b_by_rows ? s.element == sizeof(float) : s.k <= kShort;
}

bool wants_dots(const Shape& s, const Caches& caches) {
  if (s.widens || s.k < 4 * s.lanes || beats_short_dots(s, caches)) return false;
  if (s.a_by_rows && !s.b_by_rows) {
    if (beats_dots(s, caches)) return false;
    // Where products are that fast, loading both operands of each takes longer than turning B.
    const bool is_fast = outruns_l3(caches) && std::max(s.m, s.n) >= 2 * s.lanes;
    const std::int64_t many = is_fast             ? kManyWhereFast
                              : caches.l3_is_near ? kManyFromNear
                                                  : kManyFromFar;
    return std::min(s.m, s.n) <= (s.k >= kManyProducts ? many : kFew);
  }
  if (s.a_by_rows && s.n <= kVeryFew && 2 * s.n <= s.lanes && s.m >= 2 * s.n) return true;
  if (s.a_by_rows) return s.n <= kFew && s.m >= kManyRows && s.k >= kLongK;
  return !s.b_by_rows && s.m <= kFew;
}

void plan_dots(const Shape& s, const Caches& caches, Plan& plan) {
  plan.path = Path::kDot;
  // A block of the long factor's vectors stays in the second-level cache until all of the short one's
  // have met it: fetching from there costs less than to set sums aside and take them up again. Where the
  // short factor is one tile, there is nothing to wait for.
  constexpr std::int64_t kOneTile = 4;
  const std::int64_t few = std::min(s.m, s.n);
  plan.fetch_ahead = few <= kOneTile && fetches_ahead(s, caches);
  const std::int64_t longest = few <= kOneTile ? kDotSpanBytes / kOneTile : caches.l1 / 2;
  plan.kc = round_up(divide_up(s.k, divide_up(s.k, longest / s.element)), s.lanes);
}

// Blocks of k of equal length, at most `longest`, in whole eights.
std::int64_t equal_blocks(std::int64_t k, std::int64_t longest) {
  return round_up(divide_up(k, divide_up(k, longest)), 8);
}

constexpr std::int64_t kLongest = 4096;     // a tile has nothing to gain from more products
constexpr std::int64_t kMostInPlace = 512;  // products, of A and B that are near

bool wants_whole_k(const Shape& s, const Caches& caches) {
  return s.k <= 256 && s.k * s.n * s.element <= caches.l2 / 4;
}

constexpr std::int64_t kMostTurned = 24;  // columns

// Bytes of B that are packed at a time: what stays near enough to be read again for every panel of A.
std::int64_t block_bytes(const Caches& caches, int threads) {
  // There is also the next block on its way, and A and C pass through.
  const std::int64_t second = caches.l2 * 2 / 5;
  if (outruns_l3(caches)) return second;
  constexpr std::int64_t kMost = 7 << 19;  // 3.5 MiB
  const std::int64_t third = caches.l3_is_near ? caches.l3 / 2 / threads : 0;
  return std::min(kMost, std::max(second, third));
}

// kc: the longer, the fewer times C is loaded and stored; but blocks of few columns read A as often. So
// it is as long as leaves all columns in one block, within limits: C's traffic stays small beside that of
// B while there are no more products to a tile than rows, and no more than pay.
// Every thread sums as any other does: kc must not depend on how many there are.
std::int64_t packed_depth(const Shape& s, const Caches& caches) {
  if (has_large_l1(caches) && wants_whole_k(s, caches)) return round_up(s.k, 8);
  // All columns are not meant to be in one block then. Longer ones leave room for fewer of A's panels.
  constexpr std::int64_t kDepthOfSmallBlocks = 384;
  if (outruns_l3(caches) && s.n * kDepthOfSmallBlocks * s.element > block_bytes(caches, 1))
    return equal_blocks(s.k, kDepthOfSmallBlocks);
  // A panel of A stays in the first-level cache while all of B's block passes by. Columns of A are copied two panels
  // at a time, from pages and cache sets of their own each: where the third level is far, the fewer the better.
  const std::int64_t rows = s.a_by_rows ? s.tile_rows : kRowsOfColumns;
  const std::int64_t bytes = !s.a_by_rows && caches.l3_is_near ? caches.l1 : caches.l1 * 3 / 8;
  const std::int64_t deepest =
      std::clamp<std::int64_t>(bytes / (rows * s.element) / 8 * 8, 64, 512);
  const std::int64_t shortest = std::clamp<std::int64_t>(s.m, 64, deepest);
  const std::int64_t whole_rows = block_bytes(caches, 1) / (s.n * s.element) / 8 * 8;
  return equal_blocks(s.k, std::clamp(whole_rows, shortest, deepest));
}

// Not many rows: all of A's block stays in a cache while a panel of B at a time passes by, copied by the
// first tile that reads it, or turned.
std::int64_t panel_depth(const Shape& s) {
  return equal_blocks(s.k, s.b_by_rows ? 512 : 1024);  // columns of B are read along k
}

std::int64_t panel_block_bytes(const Shape& s) { return s.m * panel_depth(s) * s.element; }

// Rows of B that begin whole pages apart meet in few sets of a small second-level cache. Out of memory, where they are asked for
// ahead, those of a long panel drive one another out before they are read. Measured on a Zen 2, whose second level is 512 KiB.
std::int64_t depth_of_panels(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kSmall = 512 << 10, kShort = 128;
  const bool is_driven_out = s.b_is_paged() && s.b_by_rows && caches.l3_is_near &&
                             caches.l2 <= kSmall && is_from_memory(s, caches);
  return is_driven_out ? equal_blocks(s.k, kShort) : panel_depth(s);
}

bool a_is_near(const Shape& s, const Caches& caches) {
  return panel_block_bytes(s) <= caches.l2 * 3 / 4;
}

// A panel of B passes by all rows of C, each in a page of its own. Where k is short, that is what takes the time.
bool touches_pages_too_often(const Shape& s) {
  constexpr std::int64_t kShort = 64, kManyPages = 128, kMedium = 128, kVeryManyPages = 512;
  return (s.k <= kShort && s.m >= kManyPages) || (s.k < kMedium && s.m >= kVeryManyPages);
}

// Whether columns of A, of which tiles read short pieces, are far from one another, or so that they meet in few sets of a cache:
// out of the third level they come slowly then. Measured on a Zen 2, where 512×512×512 with both factors transposed took twice
// as long as with copies.
bool has_long_columns(const Shape& s) {
  constexpr std::int64_t kLong = 1024, kFewSets = 512;  // bytes
  return !s.a_by_rows && (s.m * s.element >= kLong || s.a_step % kFewSets == 0);
}

bool wants_panels(const Shape& s, const Caches& caches) {
  if (s.widens || touches_pages_too_often(s)) return false;
  // All of A waits in the second level then, and rows of C come from beyond it, a few lines of each at a time: measured
  // where that is far.
  constexpr std::int64_t kMostRowsFromFar = 400;
  if (!caches.l3_is_near && s.m > kMostRowsFromFar) return false;
  // Turning a block of B touches many pages at a time, a panel's few: A may then come from further away.
  const bool from_afar = !s.b_by_rows && caches.l3_is_near && !has_long_columns(s);
  return a_is_near(s, caches) || (from_afar && panel_block_bytes(s) <= 4 * caches.l2);
}

// The same where the third level is far and the first one large: a panel of B beside one of A leaves some of that, so that
// none of its lines is asked of the second level for each tile again. (Blocks of 216 k and less were up to a third slower
// with 64 rows: why is not known.) Up to 512 products A and B may also be read in place, by whether B straddles cache lines,
// and sums are the same.
std::int64_t short_panel_depth(const Shape& s) {
  constexpr std::int64_t kBest = 288;
  return round_up(divide_up(s.k, std::max<std::int64_t>(1, (s.k + kBest / 2) / kBest)), 8);
}

// Of sums that tiles in place keep in registers, and tiles of copies as well where B is far.
std::int64_t depth_of_few_rows(const Shape& s, const Caches& caches) {
  return wants_whole_k(s, caches) ? s.k : equal_blocks(s.k, kLongest);
}

// Whether rows of A stay where they are: beside so few columns of B a copy is not worth its time. It is sooner where rows begin whole
// pages apart, and meet in few sets of a cache.
bool reads_rows_beside_panels(const Shape& s) {
  constexpr std::int64_t kMostOfB = 1024, kMostBesidePages = 512;  // bytes of a row
  return s.a_by_rows && s.has_rows_by_panel &&
         s.n * s.element <= (s.a_is_paged() ? kMostBesidePages : kMostOfB);
}

void plan_panels(const Shape& s, const Caches& caches, Plan& plan) {
  plan.pack_b = true;
  plan.copy_a = a_is_near(s, caches) && !reads_rows_beside_panels(s);
  plan.columns_outside = true;
  plan.nc = s.n;
  if (s.is_far && has_few_rows_near(s, caches)) {
    plan.kc = depth_of_few_rows(s, caches);
    return;
  }
  const bool is_shorter =
      s.k > kMostInPlace && s.b_by_rows && has_large_l1(caches) && !caches.l3_is_near;
  plan.kc =
      is_shorter ? std::min(panel_depth(s), short_panel_depth(s)) : depth_of_panels(s, caches);
}

// Whether columns of A, to be copied at three cycles an element, are better read where they are: for few columns of B,
// and out of a cache that is near.
bool takes_columns_in_place(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kMostOfB = 480, kMostOfA = 1024;  // bytes of a row
  return !s.a_by_rows && !s.widens && s.n * s.element <= kMostOfB && s.k * s.element <= kMostOfA &&
         s.m * s.k * s.element <= 2 * caches.l1;
}

// Where k is short C is what there is to move, and tiles follow one another along its rows, which memory likes best: a Zen 2
// stores rows of tiles at 20 GB/s and columns of them at 9, out of the third level at 60 and 41. Few columns go by in strips.
constexpr std::int64_t kShortK = 64;

bool goes_along_rows(const Shape& s) {
  constexpr std::int64_t kLeastTiles = 8;
  return s.k <= kShortK && s.n >= kLeastTiles * s.tile_columns && 2 * s.n >= s.m;
}

// So that its rows need not be asked for. Measured where the third level is near.
bool holds_c(const Shape& s, const Caches& caches) {
  return caches.l3_is_near && !s.is_far && s.m * s.n * s.element <= caches.l3 / 2;
}

// Rows of A whose panels wait in the second-level cache, as a group, while those of B are what stays in the first: a step of k
// takes half as much from the second level then. 0: A's panels go by one after the other, as where k is short. Measured on a
// Zen 2, with AVX2, which has a near third level: doubles, of which a step takes more of A, and few columns do not gain.
std::int64_t group_rows(const Shape& s, const Caches& caches, std::int64_t kc) {
  constexpr std::int64_t kMost = 96, kFewColumns = 256;
  constexpr std::int64_t kVector = 32;  // bytes, AVX2's
  const bool gains = s.lanes * s.element == kVector && s.element == sizeof(float) &&
                     s.n > kFewColumns && kc > kShortK && caches.l3_is_near &&
                     !has_large_l1(caches);
  if (!gains) return 0;
  const std::int64_t held = caches.l2 * 2 / 5 / (kc * s.element);
  return std::max<std::int64_t>(1, std::min(kMost, held) / s.tile_rows) * s.tile_rows;
}

void plan_packed(const Shape& s, const Caches& caches, int threads, Plan& plan) {
  plan.pack_b = true;
  plan.copy_a = !takes_columns_in_place(s, caches);
  plan.small_blocks = outruns_l3(caches);
  plan.kc = packed_depth(s, caches);
  if (plan.copy_a) plan.group = group_rows(s, caches, plan.kc);
  plan.c_is_near = holds_c(s, caches);
  const std::int64_t columns = block_bytes(caches, threads) / (plan.kc * s.element);
  plan.nc = std::max(s.tile_columns, columns / s.tile_columns * s.tile_columns);
}

// Blocks of columns as equal as they can be, in whole tiles.
void level_columns(const Shape& s, Plan& plan) {
  const std::int64_t columns = divide_up(s.n, plan.column_parts);
  const std::int64_t blocks = divide_up(columns, plan.nc);
  plan.nc = blocks == 1 ? round_up(columns, s.lanes)
                        : round_up(divide_up(columns, blocks), s.tile_columns);
}

// Beside a small first-level cache copies pay early: with short vectors, and on a Cascade Lake, whose third level is far.
bool copies_pay_early(const Shape& s, const Caches& caches) {
  return !has_large_l1(caches) &&
         (!caches.l3_is_near || s.lanes * s.element < kLongVector || s.is_far);
}

// Whether copies of A and B are paid for. In general it is by vectors of B that do not lie across two cache lines any more,
// as those take twice the loads, alone; where copies pay early it is by all that comes in order then. And for copies the
// loops change places, so that rows of C, a page each, are not all met again and again.
bool pays_for_copies(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kLeastLines = 48;
  constexpr double kLeastProducts = 1e6, kLeastOfStraddling = 2.5e6;
  if (std::min(s.m, s.n) < kLeastLines) return false;
  if (copies_pay_early(s, caches) || touches_pages_too_often(s))
    return s.products() >= kLeastProducts;
  return s.b_straddles && s.products() >= kLeastOfStraddling;
}

// Whether A and B both stay in the second-level cache. Columns of A are read in short pieces, from a page each: whole
// cache lines, or with tiles of another height a line more often than once.
bool is_near(const Shape& s, const Caches& caches) {
  if (copies_pay_early(s, caches)) return wants_whole_k(s, caches);
  constexpr std::int64_t kLine = 64;
  const bool whole_lines = kLine % (s.tile_rows * s.element) == 0;
  const std::int64_t most = caches.l2 * 5 / 8;
  // Nobody asks for B ahead, in pieces of a row, where it has been driven out and comes from far.
  const std::int64_t most_of_b = caches.l3_is_near ? most : caches.l2 / 8;
  const std::int64_t most_of_a = s.a_by_rows ? most : caches.l2 / (whole_lines ? 4 : 16);
  return s.k <= kMostInPlace && s.k * s.n * s.element <= most_of_b &&
         s.m * s.k * s.element <= most_of_a;
}

bool wants_in_place(const Shape& s, const Caches& caches) {
  if (s.widens || !s.b_by_rows) return false;
  if (has_few_rows_near(s, caches))
    return !(s.is_far && caches.l3_is_near) || !wants_panels(s, caches);
  if (s.n <= s.widest_tile || (wants_whole_k(s, caches) && takes_columns_in_place(s, caches)))
    return true;
  return is_near(s, caches) && !pays_for_copies(s, caches);
}

// Small products, or narrow ones: a strip of B stays in a cache without being copied. Whether that lies across cache
// lines depends on an address, which must not change a bit: blocks of k are those that copies would have.
void plan_in_place(const Shape& s, const Caches& caches, Plan& plan) {
  const std::int64_t longest =
      std::clamp(caches.l2 / (s.n * s.element), std::int64_t{512}, kLongest);
  plan.kc = wants_whole_k(s, caches)       ? s.k
            : has_few_rows_near(s, caches) ? depth_of_few_rows(s, caches)
            : s.n <= s.widest_tile         ? equal_blocks(s.k, longest)
            : wants_panels(s, caches)      ? depth_of_panels(s, caches)
                                           : packed_depth(s, caches);
  plan.nc = s.n;
  plan.columns_outside = !goes_along_rows(s);
  plan.c_is_near = !plan.columns_outside && holds_c(s, caches);
}

void plan_blocked(const Shape& s, const Caches& caches, int threads, Plan& plan) {
  plan.path = Path::kBlocked;
  if (wants_in_place(s, caches)) {
    plan_in_place(s, caches, plan);
  } else if (wants_rows_in_place(s, caches)) {
    plan_in_place(s, caches, plan);
    plan.pack_b = true;
  } else if (wants_panels(s, caches)) {
    plan_panels(s, caches, plan);
  } else {
    plan_packed(s, caches, threads, plan);
  }
}

constexpr double kProductsWorthAThread = 1 << 20;

// The product of B and A, whose result is C's transpose.
Shape exchanged(const Shape& s) {
  Shape other = s;
  other.m = s.n, other.n = s.m;
  other.a_by_rows = !s.b_by_rows, other.b_by_rows = !s.a_by_rows;
  other.a_straddles = s.b_straddles, other.b_straddles = s.a_straddles;
  other.a_step = s.b_step, other.b_step = s.a_step;
  return other;
}

// To turn a tile takes as long whatever k is, to put B in order less where that is short, and more rows share it. Measured on a
// Zen 2, with AVX2.
bool puts_b_in_order_instead(const Shape& s) {
  constexpr std::int64_t kBytesOfK = 64, kLeastRows = 32, kLeastTiles = 2;
  return s.lanes * s.element < kLongVector && s.k * s.element <= kBytesOfK && s.m >= kLeastRows &&
         s.n >= kLeastTiles * s.tile_columns;
}

// Whether tiles of BA are computed where the factors are, and turned when they are stored: the few columns of C would fill
// few vectors, of its rows there are many. Or neither factor would have to be turned so, and none is copied. One block of
// k, as copies would have.
bool wants_turned_tiles(const Shape& s, const Caches& caches) {
  if (s.a_by_rows || s.widens || !s.has_turned_tiles) return false;
  const Shape other = exchanged(s);
  if (s.m >= std::max(2 * s.n, s.lanes) && has_few_rows_near(other, caches)) return true;
  if (puts_b_in_order_instead(s)) return false;
  return !s.b_by_rows && wants_whole_k(s, caches) && wants_whole_k(other, caches) &&
         !pays_for_copies(other, caches);
}

// Whether BA is computed, into rows of its own, and turned then.
bool wants_turned(const Shape& s, const Caches& caches) {
  constexpr std::int64_t kLeastColumns = 8, kLeastRows = 32, kLeastDepth = 16;
  if (s.a_by_rows || s.widens || s.n > kMostTurned || s.k < kLeastDepth ||
      s.m < std::max(2 * s.n, kLeastRows))
    return false;
  constexpr std::int64_t kLeastDepthOfPanels = 64;
  if (s.k >= kLeastDepthOfPanels && s.n > most_columns_streamed(s, caches)) return true;
  // Not what is worth several threads: that was not measured.
  return !s.b_by_rows && s.n >= kLeastColumns && s.products() < 2 * kProductsWorthAThread;
}

// Threads divide its rows, which are columns of the other product's.
void plan_turned(const Shape& s, const Caches& caches, int threads, Plan& plan) {
  const Shape other = exchanged(s);
  plan_blocked(other, caches, 1, plan);
  if (plan.pack_b && !plan.columns_outside) level_columns(other, plan);
  plan.path = Path::kTurned;
  const double worth = std::min(s.products() / kProductsWorthAThread,
                                static_cast<double>(s.m) / static_cast<double>(s.tile_columns));
  plan.row_parts = static_cast<int>(std::clamp<double>(worth, 1, threads));
}

// How many threads are worth waking, and how they divide C: the division with the least work for the
// busiest thread. Every thread packs its own B, so dividing rows costs packing.
void divide(const Shape& s, int threads, Plan& plan) {
  const double worth = s.products() / kProductsWorthAThread;
  if (threads == 1 || worth < 2) return;
  threads = static_cast<int>(std::min<double>(threads, worth));
  if (plan.path == Path::kStream) {
    // The long factor alone: each of its elements is read once then, and all rows of the short one are summed alike.
    const std::int64_t most = divide_up(plan.turned ? s.m : s.n, s.tile_columns);
    (plan.turned ? plan.row_parts : plan.column_parts) =
        static_cast<int>(std::min<std::int64_t>(threads, most));
    return;
  }
  double best = 0;
  for (int rows = 1; rows <= threads; ++rows) {
    const int columns = threads / rows;
    const double part_rows =
        static_cast<double>(round_up(divide_up(s.m, rows), std::min(s.m, s.tile_rows)));
    const double part_columns = static_cast<double>(
        round_up(divide_up(s.n, columns), std::min(round_up(s.n, s.lanes), s.tile_columns)));
    constexpr double kPackingCost = 12, kRowCost = 4;  // in rows, in columns of products
    const double cost = (part_rows + (plan.pack_b ? kPackingCost : 0)) * (part_columns + kRowCost);
    if (best == 0 || cost < best) {
      best = cost;
      plan.row_parts = rows;
      plan.column_parts = columns;
    }
  }
}

Plan choose(const Shape& s, const Caches& caches, int threads) {
  Plan plan;
  if (wants_dots(s, caches)) {
    plan_dots(s, caches, plan);
  } else if (wants_turned_tiles(s, caches)) {
    plan.path = Path::kTurnedTiles;
    plan.kc = s.k;
  } else if (wants_turned(s, caches)) {
    plan_turned(s, caches, threads, plan);
    return plan;
  } else if (wants_stream(s, caches)) {
    plan_stream(s, caches, plan);
  } else {
    plan_blocked(s, caches, threads, plan);
  }
  divide(s, threads, plan);
  if (plan.pack_b && !plan.columns_outside) level_columns(s, plan);
  return plan;
}

}  // namespace

template <class P>
Plan make_plan(const P& problem, const Caches& caches, int threads, Factors factors) {
  if (problem.k == 0 || problem.alpha == 0 || problem.m == 0 || problem.n == 0) return Plan{};
  return choose(shape_of(problem, factors), caches, threads);
}

template Plan make_plan(const ProblemF32&, const Caches&, int, Factors);
template Plan make_plan(const ProblemF64&, const Caches&, int, Factors);
template Plan make_plan(const ProblemF16&, const Caches&, int, Factors);
template Plan make_plan(const ProblemBF16&, const Caches&, int, Factors);

std::string to_string(const Plan& plan) {
  if (plan.path == Path::kScale) return "scale";
  std::string text = plan.path == Path::kDot           ? "dots"
                     : plan.path == Path::kStream      ? plan.by_line ? "stream by line" : "stream"
                     : plan.path == Path::kTurnedTiles ? "turned tiles"
                     : plan.pack_b                     ? plan.columns_outside ? "panels" : "packed"
                                                       : "in place";
  if (plan.path == Path::kTurned) text = "turned, " + text;
  if (plan.path == Path::kBlocked || plan.path == Path::kTurned)
    text += ", nc " + std::to_string(plan.nc);
  text += ", kc " + std::to_string(plan.kc);
  text +=
      ", " + std::to_string(plan.row_parts) + "x" + std::to_string(plan.column_parts) + " threads";
  return text;
}

}  // namespace tilewise::cpu
