// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan.hpp"

#include <algorithm>
#include <type_traits>

namespace tilewise::cpu {
namespace {

constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// What a plan is chosen from.
struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t element = 4;  // bytes, in the type that is computed in
  bool widens = false;       // the factors are narrower
  bool a_by_rows = true;     // A's neighbours lie along k
  bool b_by_rows = true;     // B's neighbours lie along n
  std::int64_t lanes = 1, tile_rows = 1, tile_columns = 1, widest_tile = 1;
  std::int64_t stream_rows = 1;

  double products() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

template <class A, class B, class C, class Scalar>
Shape shape_of(const Problem<A, B, C, Scalar>& problem) {
  const Kernels<Scalar>& set = kernels<Scalar>();
  Shape shape;
  shape.m = problem.m;
  shape.n = problem.n;
  shape.k = problem.k;
  shape.element = sizeof(Scalar);
  shape.widens = !std::is_same_v<A, Scalar>;
  shape.a_by_rows = problem.a.column_stride == 1;
  shape.b_by_rows = problem.b.column_stride == 1;
  shape.lanes = set.lanes;
  shape.tile_rows = set.rows_of[set.best_vectors];
  shape.widest_tile = set.most_vectors * set.lanes;
  shape.stream_rows = set.stream_rows;
  shape.tile_columns = set.best_vectors * set.lanes;
  return shape;
}

constexpr std::int64_t kFew = 24;                     // rows or columns: dot products pay
constexpr std::int64_t kManyRows = 64, kLongK = 256;  // putting few columns in order pays

bool wants_dots(const Shape& s) {
  if (s.widens || s.k < 4 * s.lanes) return false;
  if (s.a_by_rows && !s.b_by_rows) return std::min(s.m, s.n) <= kFew;
  if (s.a_by_rows) return s.n <= kFew && s.m >= kManyRows && s.k >= kLongK;
  return !s.b_by_rows && s.m <= kFew;
}

void plan_dots(const Shape& s, const Caches& caches, Plan& plan) {
  plan.path = Path::kDot;
  // A block of the long factor's vectors stays in the first-level cache until all of the short one's have
  // met it; where those are one tile, there is nothing to wait for.
  constexpr std::int64_t kOneTile = 4;
  const std::int64_t few = std::min(s.m, s.n);
  plan.kc = few <= kOneTile ? std::min(s.k, kDotSpanBytes / (kOneTile * s.element))
                            : round_up(caches.l1 / (16 * s.element), s.lanes);
}

// Blocks of k of equal length, at most `longest`, in whole eights.
std::int64_t equal_blocks(std::int64_t k, std::int64_t longest) {
  return round_up(divide_up(k, divide_up(k, longest)), 8);
}

bool wants_whole_k(const Shape& s, const Caches& caches) {
  return s.k <= 256 && s.k * s.n * s.element <= caches.l2 / 4;
}

// Small products, or narrow ones: a strip of B stays in a cache without being copied.
void plan_in_place(const Shape& s, const Caches& caches, Plan& plan) {
  plan.kc = wants_whole_k(s, caches) ? s.k : equal_blocks(s.k, 2048 / s.element);
  plan.nc = s.n;
  plan.columns_outside = true;
}

// Very few rows or columns: the long factor goes by once, in place.
bool streams_b(const Shape& s, const Caches& caches) {
  const bool from_memory = s.k * s.n * s.element > 2 * caches.l2;
  return s.b_by_rows && s.m <= (from_memory ? kMostStreamed : s.stream_rows);
}

bool streams_a(const Shape& s, const Caches& caches) {
  const bool from_memory = s.k * s.m * s.element > 2 * caches.l2;
  return !s.a_by_rows && s.n <= (from_memory ? kMostStreamed : s.stream_rows);
}

bool wants_stream(const Shape& s, const Caches& caches) {
  return !s.widens && (streams_b(s, caches) || streams_a(s, caches));
}

void plan_stream(const Shape& s, const Caches& caches, Plan& plan) {
  plan.path = Path::kStream;
  plan.turned = !streams_b(s, caches);
  plan.kc = std::min(s.k, kStreamDepth);
  plan.nc = plan.turned ? std::min<std::int64_t>(round_up(s.m, 16), 8192 / s.n) : s.n;
}

void plan_packed(const Shape& s, const Caches& caches, Plan& plan) {
  // kc: as long as a tile of C is worth loading and storing. Few rows: shorter, so that B's block and the
  // next one, on its way from memory, are in the cache together.
  // Columns of A, read in place, are a page and a cache set for each element when the leading dimension is
  // a power of two. Their copy is written as well as read: half the first-level cache is for it.
  const bool copies_a = s.widens || !s.a_by_rows;
  const std::int64_t copied = caches.l1 / 2 / (s.tile_rows * s.element);
  const std::int64_t longest = s.a_by_rows ? 512 : std::min<std::int64_t>(512, copied);
  plan.kc = equal_blocks(s.k, s.m <= 48 ? 192 : longest);
  // nc: B's block takes two thirds of the second-level cache, and never more than 3 MiB.
  const std::int64_t bytes = std::min<std::int64_t>(caches.l2 * 2 / 3, 3 << 20);
  const std::int64_t columns = bytes / (plan.kc * s.element);
  plan.nc = std::max(s.tile_columns, columns / s.tile_columns * s.tile_columns);
  plan.nc = std::min(plan.nc, round_up(s.n, s.lanes));
  plan.pack_b = true;
  plan.copy_a = copies_a;
}

bool wants_in_place(const Shape& s, const Caches& caches) {
  if (s.widens || !s.b_by_rows) return false;
  return wants_whole_k(s, caches) || s.n <= s.widest_tile;
}

// How many threads are worth waking, and how they divide C: the division with the least work for the
// busiest thread. Every thread packs its own B, so dividing rows costs packing.
void divide(const Shape& s, int threads, Plan& plan) {
  constexpr double kProductsWorthAThread = 1 << 20;
  const double worth = s.products() / kProductsWorthAThread;
  if (threads == 1 || worth < 2) return;
  threads = static_cast<int>(std::min<double>(threads, worth));
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
  plan.path = Path::kBlocked;
  if (wants_dots(s)) {
    plan_dots(s, caches, plan);
  } else if (wants_stream(s, caches)) {
    plan_stream(s, caches, plan);
  } else if (wants_in_place(s, caches)) {
    plan_in_place(s, caches, plan);
  } else {
    plan_packed(s, caches, plan);
  }
  divide(s, threads, plan);
  return plan;
}

}  // namespace

template <class P> Plan make_plan(const P& problem, const Caches& caches, int threads) {
  if (problem.k == 0 || problem.alpha == 0 || problem.m == 0 || problem.n == 0) return Plan{};
  return choose(shape_of(problem), caches, threads);
}

template Plan make_plan(const ProblemF32&, const Caches&, int);
template Plan make_plan(const ProblemF64&, const Caches&, int);
template Plan make_plan(const ProblemF16&, const Caches&, int);
template Plan make_plan(const ProblemBF16&, const Caches&, int);

std::string to_string(const Plan& plan) {
  if (plan.path == Path::kScale) return "scale";
  std::string text = plan.path == Path::kDot      ? "dots"
                     : plan.path == Path::kStream ? "stream"
                     : plan.pack_b                ? "packed"
                                                  : "in place";
  if (plan.path == Path::kBlocked) text += ", nc " + std::to_string(plan.nc);
  text += ", kc " + std::to_string(plan.kc);
  text +=
      ", " + std::to_string(plan.row_parts) + "x" + std::to_string(plan.column_parts) + " threads";
  return text;
}

}  // namespace tilewise::cpu
