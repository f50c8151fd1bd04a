// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/operand_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../core/expect_error.hpp"
#include "core/elements.hpp"
#include "fake_device.hpp"

namespace tilewise::bench {
namespace {

constexpr std::array kKinds{OperandKind::kNormal, OperandKind::kPositive, OperandKind::kWide,
                            OperandKind::kRowScaled};
constexpr std::array kDtypes{Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16};

GpuProblem problem_of(Dtype dtype, bool trans_a = false, bool trans_b = false,
                      std::int64_t gap = 0) {
  return make_problem({"g", trans_a, trans_b, 40, 30, 50}, dtype, dtype, ComputeMode::kIeee, gap);
}

struct Pool {
  explicit Pool(OperandKind kind, const GpuProblem& problem, int sets = 3)
      : arrangement(arrange(problem, 0, 1 << 30)), stream(device.create_stream()) {
    arrangement.sets = sets;
    pool.emplace(device, *stream, problem.dtype, kind, 5, pool_elements(arrangement));
    pool->lay_out(problem, arrangement);
  }
  std::vector<double> on_device(Dtype dtype, std::int64_t first, std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    read_elements(dtype, reinterpret_cast<const void*>(pool->address(first)), 1, count,
                  values.data());
    return values;
  }
  std::vector<double> read(std::int64_t first, std::int64_t stride, std::int64_t count) const {
    std::vector<double> values(static_cast<std::size_t>(count));
    pool->read(first, stride, count, values.data());
    return values;
  }

  FakeDevice device;
  Arrangement arrangement;
  std::unique_ptr<device::Stream> stream;
  std::optional<OperandPool> pool;
};

TEST(OperandPool, TheDeviceHoldsWhatTheHostReads) {
  for (const OperandKind kind : kKinds) {
    for (const Dtype dtype : kDtypes) {
      Pool pool(kind, problem_of(dtype, true, false, 3));
      const std::int64_t count = pool_elements(pool.arrangement);
      const std::vector<double> there = pool.on_device(dtype, 0, count);
      EXPECT_EQ(there, pool.read(0, 1, count)) << name_of(kind) << " " << name_of(dtype);
      const std::vector<double> strided = pool.read(7, 41, 50);
      for (std::size_t i = 0; i < strided.size(); ++i) EXPECT_EQ(strided[i], there[7 + 41 * i]);
      EXPECT_TRUE(std::ranges::all_of(there, [](double x) { return std::isfinite(x) && x != 0; }));
    }
  }
}

TEST(OperandPool, NormalNumbersHaveTheirMoments) {
  const Pool pool(OperandKind::kNormal, problem_of(Dtype::kF64), 20);
  const std::vector<double> values = pool.read(0, 1, pool_elements(pool.arrangement));
  double sum = 0, squares = 0, fourth = 0;
  for (const double x : values) sum += x, squares += x * x, fourth += x * x * x * x;
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 8 / std::sqrt(count));
  EXPECT_NEAR(fourth / count, 3, 60 / std::sqrt(count));
}

TEST(OperandPool, KindsAreWhatTheirNamesSay) {
  for (const Dtype dtype : kDtypes) {
    const Pool positive(OperandKind::kPositive, problem_of(dtype));
    for (const double x : positive.read(0, 1, 3000)) EXPECT_TRUE(x > 0 && x <= 1) << x;
    const Pool wide(OperandKind::kWide, problem_of(dtype));
    std::set<int> exponents;
    for (const double x : wide.read(0, 1, 3000)) exponents.insert(std::ilogb(x));
    EXPECT_GE(exponents.size(), static_cast<std::size_t>(2 * wide_exponent(dtype)));
  }
}

// Over the same numbers, scaled pools differ from the normal one by one power of two a row and column.
TEST(OperandPool, RowScalesFollowTheMatrices) {
  for (const bool transposed : {false, true}) {
    const GpuProblem problem = problem_of(Dtype::kF64, transposed, transposed);
    const Pool scaled(OperandKind::kRowScaled, problem), plain(OperandKind::kNormal, problem);
    std::set<int> rows, columns;
    for (std::int64_t i = 0; i < 40; ++i) {
      std::set<double> factors;
      for (std::int64_t l = 0; l < 50; ++l) {
        const std::int64_t at = transposed ? l * 40 + i : i * 50 + l;
        factors.insert(scaled.read(at, 1, 1)[0] / plain.read(at, 1, 1)[0]);
      }
      ASSERT_EQ(factors.size(), 1u);
      rows.insert(std::ilogb(*factors.begin()));
    }
    for (std::int64_t j = 0; j < 30; ++j) {
      const std::int64_t at = scaled.arrangement.b_offset + (transposed ? j * 50 + 9 : 9 * 30 + j);
      const double factor = scaled.read(at, 1, 1)[0] / plain.read(at, 1, 1)[0];
      EXPECT_EQ(factor, std::ldexp(1, scaled.pool->column_exponent(j)));
      columns.insert(std::ilogb(factor));
    }
    EXPECT_GT(rows.size(), 15u);
    EXPECT_GT(columns.size(), 12u);
  }
}

TEST(Arrangement, ReachesPastTheCacheOnAlignedAddresses) {
  for (const Dtype dtype : kDtypes) {
    const GpuProblem problem = problem_of(dtype, false, true, 1);
    const Arrangement a = arrange(problem, 1 << 20, 1 << 30);
    const auto bytes = static_cast<std::int64_t>(size_of(dtype));
    EXPECT_EQ(a.b_offset * bytes % 256, 0);
    EXPECT_EQ(a.ab_stride * bytes % 256, 0);
    EXPECT_EQ(a.c_stride * bytes % 256, 0);
    EXPECT_GE(a.b_offset, 40 * 51);
    EXPECT_GE(a.ab_stride - a.b_offset, 30 * 51);
    EXPECT_GE(a.c_stride, 40 * 31);
    EXPECT_GE((a.ab_stride + a.c_stride) * bytes * a.sets, 3 << 20);
    EXPECT_LT((a.ab_stride + a.c_stride) * bytes * (a.sets - 1), 3 << 20);
  }
  EXPECT_EQ(arrange(problem_of(Dtype::kF32), 1 << 20, 40'000).sets, 2);
  test::expect_error(ErrorCode::kOutOfMemory, {"f32 40x30x50 NN", "device memory"},
                     [] { arrange(problem_of(Dtype::kF32), 1 << 20, 10'000); });
}

TEST(OperandKind, NamesAreReadAgain) {
  for (const OperandKind kind : kKinds) EXPECT_EQ(operand_kind_of(name_of(kind)), kind);
  EXPECT_FALSE(operand_kind_of("odd"));
}

}  // namespace
}  // namespace tilewise::bench
