// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans for caches that this machine need not have: blocks, streams and tiles that they lead to, all of which compute the same
// product. ctest runs them on each instruction set.
#include <set>

#include "cpu/caches.hpp"
#include "cpu/plan_shape.hpp"
#include "trial.hpp"

namespace tilewise::cpu {
namespace {

// Every way through the blocks, whatever this machine's caches would choose: blocks so small that each loop
// goes round several times, and ends in the middle.
TEST(Engine, EveryPlanOfBlocksMultiplies) {
  for (int turned = 0; turned < 4; ++turned) {
    const bool a_turned = turned % 2 != 0, b_turned = turned / 2 != 0;
    for (const auto& [m, n, k] : {std::tuple(5, 70, 64), std::tuple(37, 301, 75),
                                  std::tuple(150, 301, 75), std::tuple(37, 301, 230)}) {
      for (int ways = 0; ways < 16; ++ways) {
        Plan plan;
        plan.path = Path::kBlocked;
        plan.pack_b = ways % 2 != 0;
        plan.copy_a = ways / 2 % 2 != 0;
        plan.columns_outside = ways / 4 % 2 != 0;
        plan.small_blocks = ways / 8 != 0;
        if (!plan.pack_b && b_turned) continue;
        // Who reads A from panels reads B from panels, and who packs B on the way reads A from panels.
        if (plan.copy_a ? !plan.pack_b : plan.pack_b && !b_turned) continue;
        for (const std::int64_t kc : {24, 200}) {
          plan.kc = std::min<std::int64_t>(kc, k);
          plan.nc = kc == 24 ? 96 : 512;
          Trial<float, float, float> trial({m, n, k, a_turned, b_turned, 1.5, -0.5});
          const ProblemF32 problem = trial.problem();
          const Part part{0, m, 0, n};
          std::vector<float> buffer(
              blocked_buffer_bytes<float>(problem, plan, part) / sizeof(float) + 16);
          void* start = buffer.data();
          std::size_t space = buffer.size() * sizeof(float);
          std::align(64, space - 64, start, space);
          multiply_blocked(problem, plan, part, static_cast<std::byte*>(start));
          trial.check();
          if (HasFatalFailure()) FAIL() << to_string(plan);
        }
      }
    }
  }
}

// Short k: along rows of C, in place and by copies, around the edges of tiles; few columns in strips.
template <class T> void try_short_k_along_rows() {
  std::set<std::pair<bool, bool>> along_rows, near;  // and whether B is copied
  const std::int64_t tile = kernels<T>().best_vectors * kernels<T>().lanes;
  for (const std::int64_t l3 : {64 << 10, 16 << 20}) {
    Caches some;
    some.l1 = 32 << 10, some.l2 = 512 << 10, some.l3 = l3, some.l3_is_near = true;
    for (const std::int64_t m : {6, 13, 97, 150}) {
      for (const std::int64_t n : {7 * tile + 3, 8 * tile, 9 * tile + 1, 10 * tile - 1}) {
        for (const std::int64_t k : {1, 4, 9, 64}) {
          for (int turned = 0; turned < 4; ++turned) {
            const Case shape{m, n, k, turned % 2 != 0, turned / 2 != 0, -1.5, 0.5};
            Trial<T, T, T> whole(shape), divided(shape);
            Plan plan = make_plan(whole.problem(), some, 1);
            if (plan.path != Path::kBlocked) continue;
            along_rows.emplace(plan.pack_b, !plan.columns_outside);
            near.emplace(plan.pack_b, plan.c_is_near);
            for (Trial<T, T, T>* const trial : {&whole, &divided}) {
              plan.row_parts = trial == &whole ? 1 : 2, plan.column_parts = plan.row_parts;
              const Product<T> problem = trial->problem();
              multiply_by(problem, plan);
            }
            ASSERT_NO_FATAL_FAILURE(whole.check());
            ASSERT_EQ(
                std::memcmp(whole.c().data(), divided.c().data(), whole.c().size() * sizeof(T)), 0)
                << shape.words();
          }
        }
      }
    }
  }
  for (const bool copies : {false, true}) EXPECT_TRUE(along_rows.contains({copies, true}));
  for (const bool is_near : {false, true}) EXPECT_TRUE(near.contains({true, is_near}));
}
TEST(Engine, ShortKGoesAlongRowsOfC) {
  try_short_k_along_rows<float>(), try_short_k_along_rows<double>();
}

// Where neither factor lies by rows and vectors are short, B is put in order for a short k, and tiles are turned for a longer one.
template <class T> void try_short_k_of_turned_factors() {
  const Kernels<T>& set = kernels<T>();
  if (set.turned_rows == 0 || set.lanes * static_cast<std::int64_t>(sizeof(T)) >= kLongVector)
    GTEST_SKIP() << set.name
                 << " turns no tiles, or has long vectors, with which this was not measured";
  const auto path_of = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    Problem<T, T, T, T> problem;
    problem.m = m, problem.n = n, problem.k = k;
    problem.a = {nullptr, 1, m};
    problem.b = {nullptr, 1, k};
    Caches near;
    near.l1 = 32 << 10, near.l2 = 512 << 10, near.l3 = 16 << 20, near.l3_is_near = true;
    return make_plan(problem, near, 1).path;
  };
  const auto most = static_cast<std::int64_t>(64 / sizeof(T));
  EXPECT_EQ(path_of(64, 96, most), Path::kBlocked);
  EXPECT_EQ(path_of(64, 96, most + 1), Path::kTurnedTiles);
  EXPECT_EQ(path_of(31, 96, most), Path::kTurnedTiles);
  EXPECT_EQ(path_of(64, 15, most), Path::kTurnedTiles);
  try_case<T, T, T>({64, 96, most, true, true});
  try_case<T, T, T>({67, 101, 3, true, true, 1.5, -1});
}
TEST(Engine, ShortKOfTurnedFactors) {
  try_short_k_of_turned_factors<float>(), try_short_k_of_turned_factors<double>();
}

// Few rows, B in the second-level cache, whatever this machine's are: one row streams past B, in passes of many of B's
// rows where these are short; rows up to a tile's height meet it in place, all of k at a time.
template <class T> void try_few_rows_of_near_b() {
  Caches far;
  far.l1 = 48 << 10, far.l2 = 2 << 20, far.l3 = 64 << 20, far.l3_is_near = false;
  const int tile_rows = kernels<T>().rows_of[kernels<T>().best_vectors];
  for (const std::int64_t m : {1, 2, 3, 5, tile_rows, tile_rows + 1}) {
    for (const std::int64_t n : {17, 64, 65, 130, 300}) {
      for (const std::int64_t k : {7, 8, 63, 64, 65, 129, 700}) {
        for (const bool a_turned : {false, true}) {
          Trial<T, T, T> trial({m, n, k, a_turned, false, -1.5, 0.5});
          const Product<T> problem = trial.problem();
          const Plan plan = make_plan(problem, far, 1);
          if (m == 1) {
            EXPECT_EQ(plan.path, Path::kStream);
            EXPECT_GE(plan.kc, std::min<std::int64_t>(k, n * sizeof(T) <= 512 ? 64 : 8));
          } else if (!a_turned && m <= tile_rows && k * n * std::int64_t{sizeof(T)} <= 1 << 20) {
            EXPECT_EQ(plan.path, Path::kBlocked);
            EXPECT_FALSE(plan.pack_b);
            EXPECT_GE(plan.kc, k);
          }
          multiply_by(problem, plan);
          ASSERT_NO_FATAL_FAILURE(trial.check());
        }
      }
    }
  }
}
TEST(Engine, FewRowsOfANearB) { try_few_rows_of_near_b<float>(), try_few_rows_of_near_b<double>(); }

// What is asked for pages ahead is a matter of time alone. A cache of next to nothing, so that a product of a test's size
// comes out of memory; rows and columns around those of each tile, and k around a stream's passes.
template <class T> void try_fetching_ahead() {
  Caches small;
  small.l1 = 8 << 10, small.l2 = 8 << 10, small.l3 = 8 << 10, small.l3_is_near = true;
  int ahead = 0;
  std::set<Path> paths;
  for (const std::int64_t few : {1, 2, 3, 4, 5, 7}) {
    for (const std::int64_t many : {95, 97, 128, 130}) {
      for (const std::int64_t k : {120, 127, 129}) {
        for (const auto& [a_turned, b_turned, rows] :
             {std::tuple(false, false, true), std::tuple(false, true, true),
              std::tuple(true, false, false), std::tuple(false, true, false)}) {
          const Case shape{rows ? few : many, rows ? many : few, k, a_turned, b_turned, -1.5, 0.5};
          Trial<T, T, T> with(shape), side_by_side(shape), without(shape);
          Plan plan = make_plan(with.problem(), small, 1);
          if (!plan.fetch_ahead) continue;
          ++ahead, paths.insert(plan.path);
          for (Trial<T, T, T>* const trial : {&with, &side_by_side, &without}) {
            plan.fetch_ahead = trial != &without;
            plan.side_by_side = trial == &side_by_side;
            const Product<T> problem = trial->problem();
            multiply_by(problem, plan);
          }
          ASSERT_NO_FATAL_FAILURE(with.check());
          for (const Trial<T, T, T>* const other : {&side_by_side, &without}) {
            ASSERT_EQ(std::memcmp(with.c().data(), other->c().data(), with.c().size() * sizeof(T)),
                      0)
                << shape.words();
          }
        }
      }
    }
  }
  if (kernels<T>().stream_rows == 0) {
    EXPECT_EQ(ahead, 0);
  } else {
    EXPECT_GT(ahead, 100);
    EXPECT_EQ(paths, (std::set{Path::kStream, Path::kDot}));
  }
}
TEST(Engine, FetchingAheadChangesNoBit) {
  try_fetching_ahead<float>(), try_fetching_ahead<double>();
}

// Streams of all numbers of rows and columns, out of memory and out of the third-level cache, around the edges of cache lines and
// of passes: right, whatever C is multiplied by, and with the same bits wherever threads divide it.
template <class T> void try_streams() {
  std::set<std::int64_t> depths;
  std::set<bool> turned, turned_by_line;
  for (const auto& [l3, is_near] :
       {std::pair(8 << 10, true), std::pair(64 << 20, true), std::pair(8 << 10, false)}) {
    Caches small;
    small.l1 = 8 << 10, small.l2 = 1 << 10, small.l3 = l3, small.l3_is_near = is_near;
    for (std::int64_t few = 1; few <= 24; ++few) {
      for (const std::int64_t many : {65, 80, 95, 97, 2100}) {
        for (const std::int64_t k : {64, 127, 137}) {
          // Once, more columns than are gathered at a time before they are turned.
          if (many > 2048 && (few != 16 || k != 64)) continue;
          for (const bool is_turned : {false, true}) {
            for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), std::pair(1.0, 1.0),
                                              std::pair(-1.5, 0.0), std::pair(-1.5, 0.5)}) {
              const Case shape{
                  is_turned ? many : few, is_turned ? few : many, k, is_turned, false, alpha, beta};
              Trial<T, T, T> whole(shape), divided(shape);
              Plan plan = make_plan(whole.problem(), small, 1);
              if (plan.path != Path::kStream) continue;
              if (few > 2) depths.insert(std::min(plan.kc, k));
              const Plan threads = make_plan(whole.problem(), small, 16);
              EXPECT_EQ(is_turned ? threads.column_parts : threads.row_parts, 1);
              EXPECT_EQ(threads.row_parts * threads.column_parts, many > 2048 ? 2 : 1);
              turned.insert(plan.turned);
              if (plan.by_line) turned_by_line.insert(plan.turned);
              for (Trial<T, T, T>* const trial : {&whole, &divided}) {
                (is_turned ? plan.row_parts : plan.column_parts) = trial == &whole ? 1 : 3;
                const Product<T> problem = trial->problem();
                multiply_by(problem, plan);
              }
              ASSERT_NO_FATAL_FAILURE(whole.check());
              ASSERT_EQ(
                  std::memcmp(whole.c().data(), divided.c().data(), whole.c().size() * sizeof(T)),
                  0)
                  << shape.words();
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(turned.size(), 2U);
  EXPECT_EQ(turned_by_line.size(), kernels<T>().line_rows == 0 ? 0U : 2U);
  if (kernels<T>().stream_rows == 0) {
    EXPECT_EQ(depths, (std::set<std::int64_t>{8, 16, 32, 64}));
  }
}
TEST(Engine, StreamsOfAllSizes) { try_streams<float>(), try_streams<double>(); }

// A batch, whose factors are far, has plans of its own, by which products have the bits that they have alone.
template <class T> void try_factors_from_afar() {
  int copied = 0, ahead = 0;
  for (const auto& [l1, l2, is_near] :
       {std::tuple(48 << 10, 2 << 20, false), std::tuple(32 << 10, 1 << 20, true),
        std::tuple(32 << 10, 64 << 10, true), std::tuple(48 << 10, 1 << 20, true)}) {
    Caches some;
    some.l1 = l1, some.l2 = l2, some.l3_is_near = is_near;
    for (const auto& [m, n, k] :
         {std::tuple(1, 130, 1000), std::tuple(130, 1, 1000), std::tuple(3, 200, 700),
          std::tuple(8, 128, 1030), std::tuple(17, 100, 900), std::tuple(200, 7, 300),
          std::tuple(100, 100, 100), std::tuple(127, 129, 131), std::tuple(256, 100, 200)}) {
      for (int turned = 0; turned < 4; ++turned) {
        const Case shape{m, n, k, turned % 2 != 0, turned / 2 != 0, -1.5, 0.5};
        Trial<T, T, T> near(shape), far(shape);
        const Plan plans[] = {make_plan(near.problem(), some, 1),
                              make_plan(near.problem(), some, 1, Factors::kFar)};
        for (const bool is_far : {false, true}) {
          const Product<T> problem = (is_far ? far : near).problem();
          multiply_by(problem, plans[is_far]);
        }
        ASSERT_NO_FATAL_FAILURE(far.check());
        ASSERT_EQ(std::memcmp(near.c().data(), far.c().data(), far.c().size() * sizeof(T)), 0)
            << shape.words() << ": " << to_string(plans[0]) << " or " << to_string(plans[1]);
        copied += plans[1].pack_b && !plans[0].pack_b;
        ahead += plans[1].fetch_ahead && !plans[0].fetch_ahead;
      }
    }
  }
  EXPECT_GT(copied, 5);
  if (kernels<T>().stream_rows == 0) {
    EXPECT_EQ(ahead, 0);
  } else {
    EXPECT_GT(ahead, 5);
  }
}
TEST(Engine, FactorsFromAfarChangeNoBit) {
  try_factors_from_afar<float>(), try_factors_from_afar<double>();
}

// Rows of B a whole number of pages apart, out of memory, beside a small second-level cache.
TEST(Engine, PanelsOfPagedRowsAreShort) {
  const auto depth = [](std::int64_t n, std::int64_t k, std::int64_t l2, bool is_near) {
    Caches some;
    some.l1 = 32 << 10, some.l2 = l2, some.l3 = 16 << 20, some.l3_is_near = is_near;
    alignas(64) static double somewhere[8];
    ProblemF64 p;
    p.m = 25, p.n = n, p.k = k, p.alpha = 1;  // more than a stream's rows
    p.a = {somewhere, k, 1}, p.b = {somewhere, n, 1};
    p.c = somewhere, p.c_stride = n;
    return make_plan(p, some, 1).kc;
  };
  constexpr std::int64_t kSmall = 512 << 10;
  EXPECT_EQ(depth(4096, 4096, kSmall, true), 128);
  EXPECT_EQ(depth(4000, 4096, kSmall, true), 512);
  EXPECT_EQ(depth(4096, 4096, 2 * kSmall, true), 512);
  EXPECT_NE(depth(4096, 4096, kSmall, false), 128);
  EXPECT_EQ(depth(1024, 1024, kSmall, true), 512);  // 8 MB
}

// Both factors transposed, beside a near third level: panels of B pass by an A out of that where its columns are short and do not
// meet in few sets of a cache. Else A is copied.
TEST(Engine, LongColumnsOfATransposedAAreCopied) {
  const auto has_panels = [](std::int64_t m, std::int64_t k, bool a_by_rows) {
    Caches near;
    near.l1 = 32 << 10, near.l2 = 512 << 10, near.l3 = 16 << 20, near.l3_is_near = true;
    alignas(64) static double somewhere[8];
    ProblemF64 p;
    p.m = m, p.n = 300, p.k = k, p.alpha = 1;
    p.a = {somewhere, a_by_rows ? k : 1, a_by_rows ? 1 : m}, p.b = {somewhere, 1, k};
    p.c = somewhere, p.c_stride = p.n;
    return make_plan(p, near, 1).columns_outside;
  };
  EXPECT_TRUE(has_panels(127, 900, false));  // 1016 bytes
  EXPECT_FALSE(has_panels(131, 900, false));
  EXPECT_FALSE(has_panels(64, 900, false));  // 512 bytes
  EXPECT_TRUE(has_panels(131, 300, false));  // near
  EXPECT_FALSE(has_panels(512, 512, false));
  EXPECT_TRUE(has_panels(512, 512, true));
  for (const std::int64_t m : {127, 131}) {
    try_case<double, double, double>({m, 300, 500, true, true, 1.5, -1});
    try_case<float, float, float>({2 * m, 130, 500, true, true});
  }
}

// A processor with short vectors, a small first-level cache and a near third one, whatever this machine is: few columns of B
// meet rows of A where they are; and where panels of A are copied, they are in groups. Around the edges of tiles, groups and
// blocks of k, against what a plan without them computes, bit by bit.
template <class In, class T> void try_rows_and_groups(std::int64_t l2) {
  Caches some;
  some.l1 = 32 << 10, some.l2 = l2, some.l3 = 16 << 20, some.l3_is_near = true;
  const bool has_them = kernels<T>().rows_by_panel[1][1] != nullptr;
  int in_place = 0, in_groups = 0;
  for (const auto& [m, n, k] :
       {std::tuple(95, 97, 300), std::tuple(96, 112, 512), std::tuple(97, 120, 513),
        std::tuple(131, 33, 1030), std::tuple(96, 128, 1024), std::tuple(191, 257, 600),
        std::tuple(192, 264, 1030), std::tuple(301, 613, 515), std::tuple(580, 1613, 517)}) {
    for (int turned = 0; turned < 4; ++turned) {
      const Case shape{m, n, k, turned % 2 != 0, turned / 2 != 0, -1.5, turned == 1 ? 1. : 0.5};
      Trial<In, T, T> with(shape), without(shape);
      Plan plan = make_plan(with.problem(), some, 1);
      if (plan.path != Path::kBlocked || !plan.pack_b) continue;
      if (!has_them) {
        ASSERT_EQ(plan.group, 0);
        continue;
      }
      in_place += !plan.copy_a && turned % 2 == 0, in_groups += plan.group > 0;
      ASSERT_LE(plan.group * plan.kc * std::int64_t{sizeof(T)}, some.l2 / 2);
      for (Trial<In, T, T>* const trial : {&with, &without}) {
        if (trial == &without) plan.group = 0, plan.copy_a = true;
        const Product<In, T> problem = trial->problem();
        multiply_by(problem, plan);
      }
      ASSERT_NO_FATAL_FAILURE(with.check());
      ASSERT_EQ(std::memcmp(with.c().data(), without.c().data(), with.c().size() * sizeof(T)), 0)
          << to_string(plan);
    }
  }
  EXPECT_EQ(in_place > 0, has_them && (std::is_same_v<In, T>));
  EXPECT_EQ(in_groups > 0, has_them && sizeof(T) == sizeof(float));
}

TEST(Engine, RowsBesidePanelsAndGroupsChangeNoBit) {
  for (const std::int64_t l2 : {256 << 10, 512 << 10}) {
    try_rows_and_groups<float, float>(l2), try_rows_and_groups<double, double>(l2);
    try_rows_and_groups<Float16, float>(l2);
  }
}

// A buffer for one thread is small: 4 MB at most, whatever the problem and the caches.
TEST(Engine, BuffersAreBounded) {
  for (const std::int64_t l2 : {256 << 10, 1 << 20, 2 << 20, 16 << 20}) {
    Caches caches;
    caches.l1 = l2 == 1 << 20 ? 48 << 10 : 32 << 10;
    caches.l2 = l2;
    caches.l3_is_near = l2 <= 1 << 20;
    for (const auto& [m, n, k] : {std::tuple(5000, 5000, 5000), std::tuple(20, 1000000, 1000000),
                                  std::tuple(1000000, 20, 1000000), std::tuple(100, 1000000, 7),
                                  std::tuple(4, 1000, 10000000), std::tuple(1000, 1, 10000000)}) {
      for (int turned = 0; turned < 4; ++turned) {
        const auto bytes_of = [&, m = m, n = n, k = k](auto p) {
          p.m = m, p.n = n, p.k = k;
          p.a = {nullptr, turned % 2 ? 1 : k, turned % 2 ? m : 1};
          p.b = {nullptr, turned / 2 ? 1 : n, turned / 2 ? k : 1};
          return cpu::Run<decltype(p)>(p, make_plan(p, caches, 1)).part_bytes();
        };
        EXPECT_LE(std::max(bytes_of(ProblemF32()), bytes_of(ProblemF64())), std::size_t{4'000'000})
            << m << "x" << n << "x" << k << " turned " << turned << ", L2 " << l2;
      }
    }
  }
}

}  // namespace
}  // namespace tilewise::cpu
