// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/ladder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "bench/checksum.hpp"
#include "fake_device.hpp"
#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr Dtype kDtypes[] = {Dtype::kF32, Dtype::kF64};
constexpr Order kOrders[] = {Order::kRowMajor, Order::kColumnMajor};

LadderRequest request_for(std::int64_t m, std::int64_t n, std::int64_t k,
                          std::vector<const kernels::Rung*> rungs) {
  LadderRequest request;
  request.m = m;
  request.n = n;
  request.k = k;
  request.rungs = std::move(rungs);
  request.repeat = 3;
  return request;
}

RungResult run_one(FakeDevice& device, const LadderRequest& request) {
  return run_fake_ladder(device, request).rungs.at(0);
}

TEST(Ladder, VerifiesEveryDtypeOrderAndScalar) {
  FakeDevice device;
  for (const Dtype dtype : kDtypes) {
    for (const Order order : kOrders) {
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.5, 1.0}, {0.0, 0.0}, {0.0, 1.0}}) {
        LadderRequest request = request_for(37, 29, 31, {&fake_rung(dtype, order)});
        request.alpha = alpha;
        request.beta = beta;
        const RungResult row = run_one(device, request);
        EXPECT_TRUE(row.verified) << row.rung->name << ": " << row.wrong;
        EXPECT_LT(row.error, 1e-6);
      }
    }
  }
  EXPECT_EQ(device.live_allocations(), 0u);
}

TEST(Ladder, FindsEveryFault) {
  for (const Fault fault :
       {Fault::kWrongElement, Fault::kUnwritten, Fault::kDroppedProduct, Fault::kReadsC}) {
    for (const Dtype dtype : kDtypes) {
      for (const Order order : kOrders) {
        FakeDevice device(fault);
        const RungResult row = run_one(device, request_for(37, 29, 31, {&fake_rung(dtype, order)}));
        EXPECT_FALSE(row.verified) << static_cast<int>(fault) << " in " << row.rung->name;
        EXPECT_FALSE(row.wrong.empty());
        EXPECT_FALSE(row.time_ms.has_value());  // a wrong result has no speed
      }
    }
  }
}

TEST(Ladder, FindsADroppedProductWhereTheBoundIsWide) {
  const LadderRequest request =
      request_for(5, 5, 20'000, {&fake_rung(Dtype::kF32, Order::kRowMajor)});
  FakeDevice good(Fault::kNone, true);
  EXPECT_TRUE(run_one(good, request).verified);
  EXPECT_EQ(good.launches(), 2);  // the second on integers
  FakeDevice bad(Fault::kDroppedProduct, true);
  EXPECT_FALSE(run_one(bad, request).verified);
}

TEST(Ladder, FindsAFaultInARowOutsideTheSample) {
  // 1291³ is just beyond the full check.
  FakeDevice bad(Fault::kWrongElement, true);
  bad.strike_at(700, 1290);
  const RungResult row =
      run_one(bad, request_for(1291, 1291, 1291, {&fake_rung(Dtype::kF32, Order::kRowMajor)}));
  EXPECT_FALSE(row.verified);
  EXPECT_NE(row.wrong.find("C[700][1290]"), std::string::npos) << row.wrong;
}

TEST(Ladder, CallsBitsThatMoveARace) {
  FakeDevice device(Fault::kOtherBits);
  const RungResult row =
      run_one(device, request_for(37, 29, 31, {&fake_rung(Dtype::kF32, Order::kRowMajor)}));
  EXPECT_FALSE(row.verified);
  EXPECT_EQ(row.wrong, "a second run gave other bits: the kernel has a race");
}

TEST(Ladder, TimesOnARealDeviceAndDoesNotCount) {
  FakeDevice device;
  const RungResult row =
      run_one(device, request_for(64, 48, 40, {&fake_rung(Dtype::kF32, Order::kRowMajor)}));
  ASSERT_TRUE(row.time_ms && row.gflops);
  EXPECT_EQ(row.samples_ms.size(), 3u);
  EXPECT_NEAR(*row.gflops, 2.0 * 64 * 48 * 40 / (*row.time_ms * 1e6), 1e-9);
  EXPECT_FALSE(row.counters || row.fidelity || row.limit || row.percent_of_cublas);
  EXPECT_EQ(row.registers, 40);
  EXPECT_EQ(row.shared_bytes, 8192u);
  ASSERT_TRUE(row.occupancy);
  EXPECT_EQ(row.occupancy->blocks_per_sm, 1);  // 1024 threads of 40 registers on an H200
}

TEST(Ladder, CountsOnAVirtualDeviceAndDoesNotTime) {
  FakeDevice device(Fault::kNone, true);
  const LadderResult result =
      run_fake_ladder(device, request_for(64, 48, 40, {&fake_rung(Dtype::kF32, Order::kRowMajor)}));
  const RungResult& row = result.rungs.at(0);
  ASSERT_TRUE(row.counters);
  EXPECT_EQ(row.counters->fma_threads, 4711u);
  EXPECT_EQ(row.fidelity, "exact");
  EXPECT_TRUE(row.limit.has_value());
  EXPECT_FALSE(row.time_ms || row.gflops || row.cublas_time_ms || row.percent_of_cublas);
  EXPECT_EQ(device.launches(), 1);
  EXPECT_TRUE(result.context.is_virtual);
}

// With k = 1 every element is one rounded product: the fake device and the virtual GPU agree in all bits.
TEST(Ladder, CountsOnTheVirtualGpuBesideARealOne) {
  if (kernels::images().empty()) GTEST_SKIP() << "built without nvcc";
  LadderRequest request = request_for(64, 48, 1, {&kernels::find_rung("naive")});
  request.count_up_to = 64 * 48;
  FakeDevice device;
  const RungResult row = run_ladder(device, request).rungs.at(0);
  ASSERT_TRUE(row.counters && row.time_ms && row.limit);
  EXPECT_EQ(row.counters->fma_threads, 64u * 48);
  EXPECT_EQ(row.fidelity, "exact");
  EXPECT_EQ(row.equal_on_virtual_gpu, true);

  FakeDevice broken(Fault::kWrongElement);
  EXPECT_EQ(run_ladder(broken, request).rungs.at(0).equal_on_virtual_gpu, false);

  request.count_up_to = 64 * 48 - 1;
  const RungResult large = run_ladder(device, request).rungs.at(0);
  EXPECT_FALSE(large.counters || large.equal_on_virtual_gpu);
}

TEST(Ladder, LaunchesNothingForAnEmptyResult) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{0, 5}, {5, 0}, {0, 0}}) {
    FakeDevice device;
    const RungResult row =
        run_one(device, request_for(m, n, 7, {&fake_rung(Dtype::kF32, Order::kRowMajor)}));
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(device.launches(), 0);
    EXPECT_EQ(row.checksum, fnv1a({}));
    EXPECT_FALSE(row.time_ms);
  }
}

TEST(Ladder, ZeroKGivesBetaTimesC) {
  FakeDevice device(Fault::kNone, true);
  LadderRequest request = request_for(3, 4, 0, {&fake_rung(Dtype::kF32, Order::kRowMajor)});
  request.keep_c = true;
  const LadderResult zero = run_fake_ladder(device, request);
  EXPECT_TRUE(zero.rungs.at(0).verified);
  for (const double value : zero.c.to_f64()) EXPECT_EQ(value, 0);
  request.beta = -1.5;
  EXPECT_TRUE(run_fake_ladder(device, request).rungs.at(0).verified);
}

TEST(Ladder, AlphaZeroIgnoresNanInAAndB) {
  npy::Array a;
  a.rows = a.columns = 3;
  a.bytes.assign(36, std::byte{0xFF});  // f32: NaN
  FakeDevice device;
  LadderRequest request = request_for(0, 0, 0, {&fake_rung(Dtype::kF32, Order::kRowMajor)});
  request.a = request.b = &a;
  request.alpha = 0;
  request.beta = 1;
  EXPECT_TRUE(run_one(device, request).verified);
}

TEST(Ladder, ChecksumIsOfTheRowMajorResult) {
  LadderRequest request = request_for(37, 29, 31, {&fake_rung(Dtype::kF64, Order::kRowMajor)});
  request.keep_c = true;
  FakeDevice device(Fault::kNone, true);
  const LadderResult rows = run_fake_ladder(device, request);
  EXPECT_EQ(rows.rungs.at(0).checksum, fnv1a(rows.c.bytes));
  request.rungs = {&fake_rung(Dtype::kF64, Order::kColumnMajor)};
  EXPECT_EQ(run_fake_ladder(device, request).rungs.at(0).checksum, rows.rungs.at(0).checksum);
  request.seed = 2;
  EXPECT_NE(run_fake_ladder(device, request).rungs.at(0).checksum, rows.rungs.at(0).checksum);
}

TEST(Ladder, KeepsTheLastRungsResult) {
  FakeDevice device(Fault::kNone, true);
  LadderRequest request = request_for(
      6, 5, 4,
      {&fake_rung(Dtype::kF64, Order::kRowMajor), &fake_rung(Dtype::kF32, Order::kColumnMajor)});
  EXPECT_TRUE(run_fake_ladder(device, request).c.bytes.empty());
  request.keep_c = true;
  const npy::Array c = run_fake_ladder(device, request).c;
  EXPECT_EQ(c.dtype, Dtype::kF32);
  EXPECT_EQ(c.order, Order::kRowMajor);
  EXPECT_EQ(c.rows, 6);
  EXPECT_EQ(c.columns, 5);
  EXPECT_EQ(c.bytes.size(), 120u);
}

TEST(Ladder, RunsTheHostsLoopAndTimesIt) {
  FakeDevice device(Fault::kNone, true);
  LadderRequest request = request_for(37, 29, 31, {&fake_host_rung()});
  request.beta = 1;
  const RungResult row = run_one(device, request);
  EXPECT_TRUE(row.verified) << row.wrong;
  EXPECT_TRUE(row.time_ms && row.gflops);
  EXPECT_FALSE(row.percent_of_cublas || row.counters || row.registers || row.occupancy);
  EXPECT_EQ(row.entry, "host loop");
  EXPECT_EQ(device.launches(), 0);
}

TEST(Ladder, RunsSomeRowsOfAHostLoopThatWouldTakeMinutes) {
  FakeDevice device(Fault::kNone, true);
  const RungResult row = run_one(device, request_for(3000, 40, 20'000, {&fake_host_rung()}));
  EXPECT_TRUE(row.verified) << row.wrong;
  EXPECT_EQ(row.entry, "host loop, 256 of 3000 rows");
  EXPECT_FALSE(row.time_ms);
  EXPECT_TRUE(row.gflops);
}

TEST(Ladder, TellsItsProgress) {
  FakeDevice device(Fault::kNone, true);
  const kernels::Rung& first = fake_rung(Dtype::kF32, Order::kRowMajor);
  const kernels::Rung& second = fake_rung(Dtype::kF64, Order::kRowMajor);
  std::vector<std::pair<std::size_t, const kernels::Rung*>> told;
  run_fake_ladder(device, request_for(4, 4, 4, {&first, &second}),
                  [&](std::size_t index, std::size_t count, const kernels::Rung* next) {
                    EXPECT_EQ(count, 2u);
                    told.emplace_back(index, next);
                  });
  const std::vector<std::pair<std::size_t, const kernels::Rung*>> expected{
      {0, &first}, {1, &second}, {2, nullptr}};
  EXPECT_EQ(told, expected);
}

TEST(Ladder, SaysWhereItRan) {
  FakeDevice device(Fault::kNone, true);
  LadderRequest request = request_for(4, 4, 4, {&fake_rung(Dtype::kF32, Order::kRowMajor)});
  request.alpha = 2;
  request.seed = 9;
  const Context context = run_fake_ladder(device, request).context;
  EXPECT_EQ(context.device, "fake device");
  EXPECT_EQ(context.gpu, "h200");
  EXPECT_EQ(context.alpha, 2);
  EXPECT_EQ(context.seed, 9u);
  EXPECT_FALSE(context.tilewise_version.empty());
  EXPECT_FALSE(context.commit.empty());
  EXPECT_NE(context.host.find(" cores"), std::string::npos);
  EXPECT_EQ(context.date.size(), std::strlen("2026-11-21T08:43:00Z"));
  EXPECT_EQ(context.cublas, "");
}

constexpr kernels::Arithmetic kNarrow[] = {kernels::Arithmetic::kF16, kernels::Arithmetic::kBF16,
                                           kernels::Arithmetic::kTF32};

TEST(Ladder, RoundsAAndBToWhatTheRungTakes) {
  FakeDevice device;
  for (const kernels::Arithmetic arithmetic : kNarrow) {
    for (const double beta : {0.0, -1.5}) {
      LadderRequest request = request_for(37, 29, 31, {&fake_rung(arithmetic)});
      request.beta = beta;
      request.keep_c = true;
      const LadderResult result = run_fake_ladder(device, request);
      EXPECT_TRUE(result.rungs.at(0).verified) << result.rungs.at(0).wrong;
      EXPECT_LT(result.rungs.at(0).error, 1e-6);  // products of rounded numbers are exact
      EXPECT_EQ(result.c.dtype, Dtype::kF32);
    }
  }
  EXPECT_EQ(device.live_allocations(), 0u);
}

TEST(Ladder, FindsEveryFaultOfNarrowTypes) {
  for (const Fault fault :
       {Fault::kWrongElement, Fault::kUnwritten, Fault::kDroppedProduct, Fault::kReadsC}) {
    for (const kernels::Arithmetic arithmetic : kNarrow) {
      FakeDevice device(fault);
      EXPECT_FALSE(run_one(device, request_for(37, 29, 31, {&fake_rung(arithmetic)})).verified)
          << static_cast<int>(fault) << " in " << kernels::name_of(arithmetic);
    }
  }
}

// tf32's bound hides a product left out of a hundred; the run on integers shows it.
TEST(Ladder, FindsADroppedProductInTf32) {
  const LadderRequest request = request_for(37, 29, 101, {&fake_rung(kernels::Arithmetic::kTF32)});
  FakeDevice good(Fault::kNone, true), bad(Fault::kDroppedProduct, true);
  EXPECT_TRUE(run_one(good, request).verified);
  EXPECT_EQ(good.launches(), 2);
  EXPECT_FALSE(run_one(bad, request).verified);
}

TEST(Ladder, RungsOfSeveralArithmeticsTakeTurns) {
  FakeDevice device;
  LadderRequest request = request_for(
      37, 29, 31,
      {&fake_rung(Dtype::kF32, Order::kRowMajor), &fake_rung(kernels::Arithmetic::kBF16),
       &fake_rung(kernels::Arithmetic::kTF32), &fake_rung(Dtype::kF64, Order::kRowMajor),
       &fake_rung(kernels::Arithmetic::kF16)});
  const LadderResult result = run_fake_ladder(device, request);
  ASSERT_EQ(result.rungs.size(), 5u);
  for (const RungResult& row : result.rungs) EXPECT_TRUE(row.verified) << row.wrong;
  EXPECT_NE(result.rungs[0].checksum, result.rungs[1].checksum);
  EXPECT_NE(result.rungs[1].checksum, result.rungs[4].checksum);
}

TEST(Checksum, IsFnv1a) {
  EXPECT_EQ(fnv1a({}), 0xCBF29CE484222325u);
  const std::array letter{std::byte{'a'}};
  EXPECT_EQ(fnv1a(letter), 0xAF63DC4C8601EC8Cu);
}

}  // namespace
}  // namespace tilewise::bench
