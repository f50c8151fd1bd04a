// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every path of the engine against sums in higher precision, on shapes around each edge, with C poisoned and
// its margins watched. ctest runs them on each instruction set.
#include "cpu/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/float16.hpp"
#include "cpu/caches.hpp"
#include "cpu/plan.hpp"
#include "cpu/prepared.hpp"
#include "cpu/turned.hpp"

namespace tilewise::cpu {
namespace {

float value_of(float x) { return x; }
double value_of(double x) { return x; }
float value_of(Float16 x) { return f16_to_f32(x.bits); }
float value_of(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

void set(float& x, double value) { x = static_cast<float>(value); }
void set(double& x, double value) { x = value; }
void set(Float16& x, double value) { x.bits = f64_to_f16(value); }
void set(BFloat16& x, double value) {  // truncated: any bfloat16 will do
  x.bits =
      static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

// Half the least number above 0: what rounding may cost beyond its share of the value.
template <class T> double least() { return 0; }
template <> double least<Float16>() { return 0x1p-25; }

// Half a unit in the last place of 1.
template <class T> double roundoff() { return std::numeric_limits<T>::epsilon() / 2; }
template <> double roundoff<Float16>() { return 0x1p-11; }
template <> double roundoff<BFloat16>() { return 0x1p-8; }

struct Case {
  std::int64_t m, n, k;
  bool a_turned = false, b_turned = false;
  double alpha = 1, beta = 0;
  int threads = 1;

  std::string words() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " " +
           (a_turned ? "T" : "N") + (b_turned ? "T" : "N") + " alpha " + std::to_string(alpha) +
           " beta " + std::to_string(beta) + " threads " + std::to_string(threads);
  }
};

Engine& engine() {
  static Engine shared(3);
  return shared;
}

// A product with its operands: random in [-1, 1), leading dimensions with margins, C's margins filled
// with a pattern, and C itself with NaN where it must not be read.
template <class In, class Out, class Scalar> class Trial {
 public:
  using P = Problem<In, In, Out, Scalar>;
  using Wide = std::conditional_t<std::is_same_v<Scalar, double>, long double, double>;

  explicit Trial(const Case& shape, std::uint64_t seed = 1) : shape_(shape), random_(seed) {
    const auto [m, n, k] = std::tuple(shape.m, shape.n, shape.k);
    a_ld_ = (shape.a_turned ? m : k) + static_cast<std::int64_t>(random_() % 4);
    b_ld_ = (shape.b_turned ? k : n) + static_cast<std::int64_t>(random_() % 4);
    c_ld_ = n + static_cast<std::int64_t>(random_() % 4);
    fill(a_, (shape.a_turned ? k : m) * a_ld_);
    fill(b_, (shape.b_turned ? n : k) * b_ld_);
    fill(c_, m * c_ld_);
    if (shape.beta == 0) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) set(c_[at(i, j)], std::nan(""));
      }
    }
    before_ = c_;
  }

  P problem() {
    P p;
    p.m = shape_.m;
    p.n = shape_.n;
    p.k = shape_.k;
    p.alpha = static_cast<Scalar>(shape_.alpha);
    p.beta = static_cast<Scalar>(shape_.beta);
    p.a = {a_.data(), shape_.a_turned ? 1 : a_ld_, shape_.a_turned ? a_ld_ : 1};
    p.b = {b_.data(), shape_.b_turned ? 1 : b_ld_, shape_.b_turned ? b_ld_ : 1};
    p.c = c_.data();
    p.c_stride = c_ld_;
    return p;
  }

  void run() { gemm(engine(), problem(), shape_.threads); }

  // Every element within the bound that no correct order of summing exceeds (Higham, section 3.1), and
  // the margins as they were.
  void check() {
    const P p = problem();
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < c_ld_; ++j) {
        if (j >= p.n) {
          ASSERT_EQ(std::memcmp(&c_[at(i, j)], &before_[at(i, j)], sizeof(Out)), 0)
              << shape_.words() << ": the margin of row " << i << " was written";
          continue;
        }
        Wide sum = 0, magnitude = 0;
        for (std::int64_t q = 0; q < p.k && shape_.alpha != 0; ++q) {
          const Wide product =
              static_cast<Wide>(value_of(p.a.data[i * p.a.row_stride + q * p.a.column_stride])) *
              value_of(p.b.data[q * p.b.row_stride + j * p.b.column_stride]);
          sum += product;
          magnitude += std::fabs(product);
        }
        sum *= shape_.alpha;
        magnitude *= std::fabs(shape_.alpha);
        if (shape_.beta != 0) {
          const Wide c = shape_.beta * static_cast<Wide>(value_of(before_[at(i, j)]));
          sum += c;
          magnitude += std::fabs(c);
        }
        const double bound = (static_cast<double>(p.k) + 4) * roundoff<Scalar>() * 1.01 *
                                 static_cast<double>(magnitude) +
                             roundoff<Out>() * 1.01 * static_cast<double>(std::fabs(sum)) +
                             least<Out>();
        const double difference = static_cast<double>(value_of(c_[at(i, j)]) - sum);
        ASSERT_LE(std::fabs(difference), bound)
            << shape_.words() << ": C(" << i << ", " << j << ") is " << value_of(c_[at(i, j)])
            << ", expected " << static_cast<double>(sum);
      }
    }
  }

  const std::vector<Out>& c() const { return c_; }

 private:
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * c_ld_ + j);
  }

  template <class T> void fill(std::vector<T>& matrix, std::int64_t count) {
    matrix.resize(static_cast<std::size_t>(count));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (T& element : matrix) set(element, uniform(random_));
  }

  Case shape_;
  std::mt19937_64 random_;
  std::int64_t a_ld_ = 0, b_ld_ = 0, c_ld_ = 0;
  std::vector<In> a_, b_;
  std::vector<Out> c_, before_;
};

// All parts of the product by that plan, one after the other.
template <class P> void multiply_by(const P& problem, const Plan& plan) {
  Run<P> run(problem, plan);
  std::vector<std::byte> buffer(run.parts() * run.part_bytes() + 64);
  run.set_buffer(buffer.data() + 64 - reinterpret_cast<std::uintptr_t>(buffer.data()) % 64);
  for (int part = 0; part < run.parts(); ++part) run.multiply(part);
}

template <class In, class Out, class Scalar> void try_case(const Case& shape) {
  Trial<In, Out, Scalar> trial(shape);
  trial.run();
  trial.check();
}

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
