// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every path of the engine against sums in higher precision, on shapes around each edge, with C poisoned and
// its margins watched. ctest runs them on each instruction set.
#include <atomic>
#include <set>
#include <thread>

#include "cpu/caches.hpp"
#include "cpu/turned.hpp"
#include "trial.hpp"

namespace tilewise::cpu {
namespace {

// Around every tile's, vector's and block's edge of every instruction set.
constexpr std::int64_t kEdges[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   11, 12,
                                   13, 14, 15, 16, 17, 23, 24, 25, 31,  32, 33,
                                   47, 48, 49, 63, 64, 65, 95, 97, 128, 130};

template <class In, class Out, class Scalar> void try_edges(int count) {
  std::mt19937_64 random(7);
  const auto edge = [&] { return kEdges[random() % std::size(kEdges)]; };
  constexpr double kAlphas[] = {1, -1.5, 0.25}, kBetas[] = {0, 1, -0.5};
  for (int i = 0; i < count; ++i) {
    const Case shape{edge(),
                     edge(),
                     edge(),
                     random() % 2 == 0,
                     random() % 2 == 0,
                     kAlphas[random() % 3],
                     kBetas[random() % 3],
                     static_cast<int>(1 + random() % 3)};
    ASSERT_NO_FATAL_FAILURE((try_case<In, Out, Scalar>(shape)));
  }
}

TEST(Engine, F32AtEdges) { try_edges<float, float, float>(800); }
TEST(Engine, F64AtEdges) { try_edges<double, double, double>(800); }
TEST(Engine, F16AtEdges) { try_edges<Float16, float, float>(200); }
TEST(Engine, BF16AtEdges) { try_edges<BFloat16, float, float>(200); }
TEST(Engine, F16ToF16AtEdges) { try_edges<Float16, Float16, float>(200); }
TEST(Engine, BF16ToBF16AtEdges) { try_edges<BFloat16, BFloat16, float>(200); }

// One side long, the others short: each of the side roads, over several blocks, on one to three threads.
template <class In, class Out, class Scalar> void try_long() {
  for (const std::int64_t few : {1, 2, 4, 5, 7, 16, 25, 65}) {
    for (const std::int64_t middle : {std::int64_t{1}, std::int64_t{513}}) {
      for (int turned = 0; turned < 4; ++turned) {
        const bool a = turned % 2 != 0, b = turned / 2 != 0;
        const int threads = 1 + turned % 3;
        ASSERT_NO_FATAL_FAILURE(
            (try_case<In, Out, Scalar>({few, 1030, middle, a, b, -1.5, 0.5, threads})));
        ASSERT_NO_FATAL_FAILURE(
            (try_case<In, Out, Scalar>({1030, few, middle, a, b, 1, 0, threads})));
        ASSERT_NO_FATAL_FAILURE((try_case<In, Out, Scalar>({few, few, 2300, a, b, 1, 1, threads})));
      }
    }
  }
}

TEST(Engine, F32Long) { try_long<float, float, float>(); }
TEST(Engine, F64Long) { try_long<double, double, double>(); }

TEST(Engine, SeveralBlocksOfEverything) {
  for (int turned = 0; turned < 4; ++turned) {
    const bool a = turned % 2 != 0, b = turned / 2 != 0;
    try_case<float, float, float>({101, 1117, 797, a, b, 1, 0, 1});
    try_case<float, float, float>({101, 1117, 797, a, b, 1, 0.5, 3});
    try_case<double, double, double>({101, 613, 797, a, b, -1, 0, 2});
    try_case<Float16, float, float>({131, 613, 797, a, b, 1, 1, 2});
    try_case<BFloat16, BFloat16, float>({131, 613, 797, a, b, 1, 0, 2});
  }
}

template <class T> void try_few_columns() {
  for (const std::int64_t n : {7, 8, 9, 15, 16, 17, 24, 25}) {
    for (const std::int64_t m : {2 * n - 1, 2 * n, std::int64_t{63}, std::int64_t{130}}) {
      for (const std::int64_t k : {15, 16, 17, 100, 513}) {
        const double beta = k % 2 != 0 ? 0 : -0.5;
        ASSERT_NO_FATAL_FAILURE((try_case<T, T, T>({m, n, k, true, true, 1.5, beta, 2})));
      }
    }
  }
}

TEST(Engine, FewColumnsOfTransposedFactors) { try_few_columns<float>(), try_few_columns<double>(); }

// B alone is put in order, A is read where it is, up to so many columns; or dot products are taken.
template <class T> void try_few_columns_of_transposed_b() {
  for (const std::int64_t n : {5, 6, 8, 12, 16, 24, 31, 48, 49, 96, 97}) {
    for (const std::int64_t m : {n, std::int64_t{131}, std::int64_t{1501}}) {
      for (const std::int64_t k : {31, 64, 129, 515})
        ASSERT_NO_FATAL_FAILURE((try_case<T, T, T>({m, n, k, false, true, -1, 1, 2})));
    }
  }
  ASSERT_NO_FATAL_FAILURE((try_case<T, T, T>({150, 16, 9001, false, true, 1.5, 0, 2})));
  Caches far;
  far.l1 = 48 << 10, far.l2 = 2 << 20, far.l3 = 300 << 20;
  Trial<T, T, T> trial({1500, 16, 48, false, true});
  const Plan plan = make_plan(trial.problem(), far, 1);
  EXPECT_EQ(plan.path, Path::kBlocked);
  EXPECT_TRUE(plan.pack_b && !plan.copy_a) << to_string(plan);
}

TEST(Engine, FewColumnsOfATransposedB) {
  try_few_columns_of_transposed_b<float>(), try_few_columns_of_transposed_b<double>();
}

// On both sides of where a short k changes the way through the blocks.
template <class T> void try_short_k() {
  for (const auto& [m, k] : {std::tuple(127, 64), std::tuple(128, 64), std::tuple(128, 65),
                             std::tuple(511, 127), std::tuple(512, 127), std::tuple(512, 128)}) {
    for (const bool b_turned : {false, true}) {
      for (const int threads : {1, 2})
        ASSERT_NO_FATAL_FAILURE((try_case<T, T, T>({m, 203, k, false, b_turned, 1, 0.5, threads})));
    }
  }
}

TEST(Engine, ShortK) {
  try_short_k<float>(), try_short_k<double>();
  Trial<float, float, float> trial({2000, 2000, 64, false, false});
  EXPECT_EQ(to_string(make_plan(trial.problem(), caches(), 1)).substr(0, 7), "packed,");
}

TEST(Engine, RowsOfCThatAreRoundedInSeveralGoes) {
  try_case<Float16, Float16, float>({9, 300000, 2, false, false, 1, 0.5, 2});
}

// The paths that these tests mean to take are taken.
TEST(Engine, EveryPathIsTaken) {
  std::set<std::string> paths;
  const auto path = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool a_turned,
                        bool b_turned) {
    Trial<float, float, float> trial({m, n, k, a_turned, b_turned});
    const std::string words = to_string(make_plan(trial.problem(), caches(), 1));
    paths.insert(words.substr(0, words.find(',')));
  };
  path(64, 64, 64, false, false);
  path(300, 300, 300, false, false);
  path(300, 300, 300, true, false);
  path(3000, 300, 600, true, false);
  path(1, 1100, 513, false, false);
  path(1, 1100, 513, false, true);
  path(1100, 1, 513, true, false);
  path(6000, 20, 600, true, true);  // "turned", or a stream
  // "turned" for certain: of what the second-level cache holds.
  path(caches().l2 * 3 / 4 / (600 * static_cast<std::int64_t>(sizeof(float))), 20, 600, true, true);
  path(100, 90, 100, true, true);
  std::set<std::string> all{"dots", "in place", "packed", "panels", "turned"};
  const bool has_rows = kernels<float>().stream_rows > 0,
             has_lines = kernels<float>().line_rows > 0;
  if (has_rows) all.insert("stream");
  if (has_lines && !(has_rows && caches().l3_is_near)) all.insert("stream by line");
  if (kernels<float>().turned_rows > 0) all.insert("turned tiles");
  EXPECT_EQ(paths, all);
}

// Tiles of BA that are stored turned, of every height and width, and of a part of C alone.
template <class T> void try_turned_tiles(bool b_turned) {
  if (kernels<T>().turned_rows == 0) GTEST_SKIP() << "no such kernels in " << kernels<T>().name;
  for (const std::int64_t m : {1, 7, 8, 9, 15, 16, 17, 33, 48, 49, 64, 95}) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 23}) {
      for (const std::int64_t k : {1, 3, 4, 5, 64}) {
        for (const auto& [alpha, beta] :
             {std::pair(1., 0.), std::pair(1., 1.), std::pair(1.5, -0.5)}) {
          Trial<T, T, T> whole({m, n, k, true, b_turned, alpha, beta});
          multiply_turned_tiles(whole.problem(), {0, m, 0, n});
          whole.check();
          Trial<T, T, T> parts({m, n, k, true, b_turned, alpha, beta});
          for (const auto& [row, row_end] :
               {std::pair(std::int64_t{0}, m / 3), std::pair(m / 3, m)}) {
            for (const auto& [column, column_end] :
                 {std::pair(std::int64_t{0}, n / 2), std::pair(n / 2, n)}) {
              if (row < row_end && column < column_end)
                multiply_turned_tiles(parts.problem(), {row, row_end, column, column_end});
            }
          }
          parts.check();
          ASSERT_FALSE(testing::Test::HasFailure()) << m << "x" << n << "x" << k;
        }
      }
    }
  }
}
TEST(Engine, TurnedTilesF32) { try_turned_tiles<float>(true); }
TEST(Engine, TurnedTilesF64) { try_turned_tiles<double>(true); }
TEST(Engine, TurnedTilesOfRowsF32) { try_turned_tiles<float>(false); }
TEST(Engine, TurnedTilesOfRowsF64) { try_turned_tiles<double>(false); }

// BA by blocks, turned at the end: more rows of C than are computed at a time, and some of them alone.
template <class T> void try_turned() {
  constexpr std::int64_t kRows = 2 * 3072 + 50, kColumns = 5, kDepth = 70;
  for (const bool b_turned : {false, true}) {
    for (const auto& [alpha, beta] : {std::pair(1., 0.), std::pair(1.5, -0.5)}) {
      Plan plan;
      plan.path = Path::kTurned;
      plan.kc = 24;
      plan.nc = 960;
      plan.pack_b = plan.copy_a = plan.columns_outside = true;
      Trial<T, T, T> trial({kRows, kColumns, kDepth, true, b_turned, alpha, beta});
      const auto problem = trial.problem();
      for (const auto& [row, row_end] :
           {std::pair(std::int64_t{0}, kRows - 100), std::pair(kRows - 100, kRows)}) {
        const Part part{row, row_end, 0, kColumns};
        std::vector<std::byte> buffer(turned_buffer_bytes(problem, plan, part) + 64);
        void* start = buffer.data();
        std::size_t space = buffer.size();
        std::align(64, space - 64, start, space);
        multiply_turned(problem, plan, part, static_cast<std::byte*>(start));
      }
      trial.check();
    }
  }
}
TEST(Engine, TurnedInSeveralGoes) { try_turned<float>(), try_turned<double>(); }

TEST(Engine, TheSameBitsForAnyNumberOfThreads) {
  for (const auto& [m, n, k] :
       {std::tuple(517, 1031, 700), std::tuple(3, 4001, 600), std::tuple(16, 4001, 600),
        std::tuple(4001, 5, 600), std::tuple(4001, 16, 600), std::tuple(1500, 60, 900)}) {
    for (int turned = 0; turned < 4; ++turned) {
      std::vector<float> first;
      for (const int threads : {1, 2, 3, 1}) {
        Trial<float, float, float> trial(
            {m, n, k, turned % 2 != 0, turned / 2 != 0, 1.25, 0.5, threads});
        trial.run();
        if (first.empty()) first = trial.c();
        ASSERT_EQ(std::memcmp(first.data(), trial.c().data(), first.size() * sizeof(float)), 0)
            << m << "x" << n << "x" << k << " turned " << turned << " threads " << threads;
      }
    }
  }
}

// Numbers that begin so many elements behind a cache line's boundary.
template <class T> class Placed {
 public:
  Placed(std::int64_t count, int away) : memory_(static_cast<std::size_t>(count) + 2 * kLine) {
    const auto place = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(T);
    data_ = memory_.data() + (kLine - place % kLine) + away;
    std::mt19937 random(static_cast<unsigned>(count));
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (std::int64_t i = 0; i < count; ++i) data_[i] = uniform(random);
  }
  const T* data() const { return data_; }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(T);
  std::vector<T> memory_;
  T* data_;
};

// Whether factors are copied may depend on where they stand; what the sums are must not.
template <class T> void try_addresses() {
  int copied_for_an_address = 0;
  for (const auto& [m, n, k] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>(144, 160, 128),
                                {208, 208, 256},
                                {160, 320, 400},
                                {260, 272, 300},
                                {80, 176, 512},
                                {400, 64, 700}}) {
    for (int turned = 0; turned < 4; ++turned) {
      const bool a_turned = turned % 2 != 0, b_turned = turned / 2 != 0;
      std::vector<T> results[2];
      std::vector<Plan> plans[2];
      for (const int away : {0, 1}) {
        const Placed<T> a(m * k, away), b(k * n, away);
        results[away].resize(static_cast<std::size_t>(m * n));
        Product<T> p;
        p.m = m, p.n = n, p.k = k;
        p.a = {a.data(), a_turned ? 1 : k, a_turned ? m : 1};
        p.b = {b.data(), b_turned ? 1 : n, b_turned ? k : 1};
        p.c = results[away].data(), p.c_stride = n;
        for (const auto& [l1, l2, is_near] :
             {std::tuple(48 << 10, 2 << 20, false), std::tuple(32 << 10, 1 << 20, false),
              std::tuple(48 << 10, 1 << 20, true)}) {
          Caches some;
          some.l1 = l1, some.l2 = l2, some.l3_is_near = is_near;
          plans[away].push_back(make_plan(p, some, 1));
        }
        gemm(engine(), p, 1);
      }
      for (std::size_t i = 0; i < plans[0].size(); ++i) {
        const Plan &there = plans[0][i], &elsewhere = plans[1][i];
        EXPECT_EQ(std::min(there.kc, k), std::min(elsewhere.kc, k))
            << m << "x" << n << "x" << k << " turned " << turned << ": " << to_string(there)
            << " or " << to_string(elsewhere);
        copied_for_an_address += there.pack_b != elsewhere.pack_b;
      }
      EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(T)), 0)
          << m << "x" << n << "x" << k << " turned " << turned;
    }
  }
  EXPECT_GT(copied_for_an_address, 3);
}
TEST(Engine, WhereFactorsStandChangesNoBit) { try_addresses<float>(), try_addresses<double>(); }

TEST(Engine, AlphaZeroAndNoProductsScaleOnly) {
  for (const double beta : {0.0, 1.0, -2.0}) {
    std::vector<float> c{1, 2, 3, 4, 5, 6};
    gemm(engine(), ProblemF32{2, 2, 5, 0, {}, {}, static_cast<float>(beta), c.data(), 3});
    const auto b = static_cast<float>(beta);
    EXPECT_EQ(c, (std::vector<float>{b, 2 * b, 3, 4 * b, 5 * b, 6}));
    std::vector<float> d{1, 2, 3, 4, 5, 6};
    gemm(engine(), ProblemF32{2, 2, 0, 1, {}, {}, b, d.data(), 3});
    EXPECT_EQ(d, c);
  }
  gemm(engine(), ProblemF32{0, 5, 5, 1, {}, {}, 0, nullptr, 5});
  gemm(engine(), ProblemF64{5, 0, 5, 1, {}, {}, 0, nullptr, 1});
}

// Dot products over more of k than the copy of the short factor holds at a time: how much that is must not
// depend on how many of its vectors a thread has.
TEST(Engine, TheSameBitsOfLongDotProducts) {
  std::vector<float> first;
  for (const int threads : {1, 2, 3}) {
    Trial<float, float, float> trial({20, 23, 60000, false, true, 1, 0, threads});
    trial.run();
    if (first.empty()) first = trial.c();
    EXPECT_EQ(std::memcmp(first.data(), trial.c().data(), first.size() * sizeof(float)), 0)
        << threads << " threads";
  }
}

// NaN and infinities reach exactly the elements that arithmetic takes them to.
TEST(Engine, NanAndInfinityTravel) {
  for (const auto& [m, n, k] : {std::tuple(5, 70, 33), std::tuple(130, 140, 300),
                                std::tuple(2, 900, 300), std::tuple(900, 3, 300)}) {
    for (int turned = 0; turned < 4; ++turned) {
      Trial<float, float, float> trial({m, n, k, turned % 2 != 0, turned / 2 != 0});
      ProblemF32 p = trial.problem();
      auto* a = const_cast<float*>(p.a.data);
      auto* b = const_cast<float*>(p.b.data);
      const std::int64_t i0 = m / 2, j0 = n / 3, k0 = k - 1;
      a[i0 * p.a.row_stride + k0 * p.a.column_stride] = std::nanf("");
      b[k0 * p.b.row_stride + j0 * p.b.column_stride] = std::numeric_limits<float>::infinity();
      gemm(engine(), p);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const float c = p.c[i * p.c_stride + j];
          if (i == i0) {
            EXPECT_TRUE(std::isnan(c)) << i << ", " << j;
          } else if (j == j0) {
            EXPECT_TRUE(std::isinf(c)) << i << ", " << j;
          } else {
            EXPECT_TRUE(std::isfinite(c)) << i << ", " << j;
          }
        }
      }
    }
  }
}

// Each product of a batch is what gemm() alone makes of it, bit by bit.
template <class In, class Scalar>
void try_batch(std::int64_t m, std::int64_t n, std::int64_t k, int count) {
  using P = Problem<In, In, Scalar, Scalar>;
  std::vector<Trial<In, Scalar, Scalar>> alone, batched;
  for (int i = 0; i < count; ++i) {
    const Case shape{m, n, k, true, false, 1.5, 0.5, 1};
    alone.emplace_back(shape, 5);  // one seed: one shape, margins included
    batched.emplace_back(shape, 5);
  }
  for (int i = 0; i < count; ++i) {
    alone[static_cast<std::size_t>(i)].run();
  }
  const P shape = batched.empty() ? P{} : batched[0].problem();
  gemm_batch<P>(engine(), count, shape, [&](std::int64_t i, P& p) {
    const P own = batched[static_cast<std::size_t>(i)].problem();
    p.a.data = own.a.data;
    p.b.data = own.b.data;
    p.c = own.c;
  });
  for (int i = 0; i < count; ++i) {
    const auto& x = alone[static_cast<std::size_t>(i)].c();
    const auto& y = batched[static_cast<std::size_t>(i)].c();
    ASSERT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(Scalar)), 0) << i;
  }
}

TEST(Engine, Batches) {
  for (const int count : {0, 1, 2, 3, 7, 100}) {
    try_batch<float, float>(17, 33, 50, count);
    try_batch<double, double>(17, 33, 50, count);
    try_batch<Float16, float>(17, 33, 50, count);
    try_batch<BFloat16, float>(17, 33, 50, count);
  }
  try_batch<float, float>(400, 700, 500, 3);
  for (const std::int64_t m : {3, 70, 300}) {  // columns, few columns: dot products
    try_batch<float, float>(m, 1, 65, 5), try_batch<double, double>(m, 1, 65, 5);
    try_batch<float, float>(m, 3, 65, 5), try_batch<BFloat16, float>(m, 1, 65, 5);
  }
}

// Few rows or columns, in all orders: dot products, or the exchanged product, turned; by the shortest road or by a plan;
// columns of C with gaps and without.
template <class T> void try_few() {
  for (const std::int64_t few : {1, 2, 3, 4, 5, 8}) {
    for (const std::int64_t many : {1, 2, 6, 7, 8, 9, 17, 96, 97, 1030}) {
      for (const std::int64_t k : {7, 8, 15, 16, 17, 63, 97, 513, 1024, 1025}) {
        for (int turned = 0; turned < (many * k < 150'000 ? 4 : 0); ++turned) {
          const bool a = turned % 2 != 0, b = turned / 2 != 0;
          for (const double beta : {0.0, 0.5}) {
            const double alpha = beta == 0 ? 1 : -1.5;
            const auto seed = static_cast<std::uint64_t>(few + many + k);  // other gaps
            Trial<T, T, T> rows({few, many, k, a, b, alpha, beta}, seed);
            Trial<T, T, T> columns({many, few, k, a, b, alpha, beta}, seed);
            rows.run(), columns.run();
            ASSERT_NO_FATAL_FAILURE(rows.check());
            ASSERT_NO_FATAL_FAILURE(columns.check());
          }
        }
      }
    }
  }
}
TEST(Engine, FewRowsOrColumns) { try_few<float>(), try_few<double>(); }

// A column without gaps has the bits of the row that it is as well.
TEST(Engine, AColumnWithoutGapsIsARow) {
  constexpr std::int64_t kMany = 200, kLong = 300;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> matrix(kMany * kLong), vector(kLong), column(kMany), row(kMany);
  for (float& x : matrix) x = uniform(random);
  for (float& x : vector) x = uniform(random);
  for (const bool turned : {false, true}) {
    ProblemF32 p;
    p.m = kMany, p.n = 1, p.k = kLong;
    p.a = {matrix.data(), turned ? 1 : kLong, turned ? kMany : 1};
    p.b = {vector.data(), 1, 1};
    p.c = column.data(), p.c_stride = 1;
    gemm(engine(), p);
    ProblemF32 q = exchanged(p);
    q.c = row.data();
    gemm(engine(), q);
    EXPECT_EQ(column, row) << turned;
    EXPECT_EQ(describe(engine(), p), describe(engine(), q));
  }
}

// The product on every thread that asks, at the same time, has the bits of the product alone.
TEST(Engine, ManyCallers) {
  const Case shape{150, 170, 190, false, true, 1, 0, 3};
  Trial<float, float, float> alone(shape);
  alone.run();
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        Trial<float, float, float> trial(shape);
        trial.run();
        if (std::memcmp(alone.c().data(), trial.c().data(), alone.c().size() * sizeof(float)) != 0)
          ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tilewise::cpu
