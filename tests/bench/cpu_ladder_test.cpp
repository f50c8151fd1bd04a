// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu_ladder.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/sizes.hpp"
#include "core/thread_pool.hpp"
#include "cpu/ladder/ladder.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

using cpu::ladder::Product;

LadderRequest request_for(std::int64_t m, std::int64_t n, std::int64_t k, const char* rungs) {
  LadderRequest request;
  request.m = m;
  request.n = n;
  request.k = k;
  request.repeat = 2;
  request.rungs = kernels::select_rungs(rungs, cpu_ladder());
  return request;
}

// A right product, computed fast, then what a test does to it.
template <class Fault> CpuMultiply faulty(Fault fault) {
  return [fault](const kernels::Rung&, const Product& product) {
    cpu::ladder::multiply(cpu::ladder::rungs()[6], product);
    fault(product);
  };
}

RungResult run_one(const LadderRequest& request, const CpuMultiply& multiply) {
  return climb_cpu_ladder(request, {}, multiply).rungs.at(0);
}

TEST(CpuLadder, DescribesTheRungsOfTheRoomCpu) {
  ASSERT_EQ(cpu_ladder().size(), cpu::ladder::rungs().size());
  std::set<std::string_view> gpu;
  for (const kernels::Rung& rung : kernels::ladder()) gpu.insert(rung.name);
  for (const kernels::Rung& rung : cpu_ladder()) {
    EXPECT_TRUE(rung.on_cpu) << rung.name;
    EXPECT_EQ(rung.arithmetic, kernels::Arithmetic::kF32);
    EXPECT_FALSE(gpu.contains(rung.name)) << rung.name << " is the name of a GPU's rung too";
  }
}

TEST(CpuLadder, NamesAndRangesAreThoseOfTheLadderAskedFor) {
  const auto range = kernels::select_rungs("simd..prefetch,engine", cpu_ladder());
  ASSERT_EQ(range.size(), 4u);
  EXPECT_EQ(range[0]->name, "simd");
  EXPECT_EQ(range[3]->name, "engine");
  EXPECT_THROW(kernels::select_rungs("naive", cpu_ladder()), Error);
  EXPECT_THROW(kernels::select_rungs("engine..simd", cpu_ladder()), Error);
}

TEST(CpuLadder, VerifiesAndTimesEveryRung) {
  for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.5, 1.0}, {0.0, 1.0}}) {
    LadderRequest request = request_for(67, 101, 59, "");
    request.alpha = alpha;
    request.beta = beta;
    const LadderResult result = run_cpu_ladder(request);
    ASSERT_EQ(result.rungs.size(), cpu_ladder().size());
    for (const RungResult& row : result.rungs) {
      EXPECT_TRUE(row.verified) << row.rung->name << ": " << row.wrong;
      EXPECT_LT(row.error, 1e-6);
      EXPECT_TRUE(row.time_ms.has_value());
      EXPECT_EQ(row.samples_ms.size(), 2u);
      EXPECT_EQ(row.entry, row.rung->unit);
      EXPECT_EQ(row.gflops.has_value(), alpha != 0);  // no products, no speed
      EXPECT_EQ(row.percent_of_peak.has_value(), alpha != 0);
      EXPECT_EQ(row.speed_up.has_value(), alpha != 0 && row.rung->name != "triple_loop");
      const bool threaded = row.rung->name == "threads" || row.rung->name == "engine";
      EXPECT_EQ(row.threads, threaded ? available_cores() : 1);
      EXPECT_FALSE(row.counters || row.occupancy || row.percent_of_cublas);
    }
  }
}

TEST(CpuLadder, FiguresBelongTogether) {
  const LadderResult result = run_cpu_ladder(request_for(64, 48, 40, "loop_order,simd,threads"));
  const Context& context = result.context;
  for (std::size_t i = 0; i < result.rungs.size(); ++i) {
    const RungResult& row = result.rungs[i];
    EXPECT_NEAR(*row.gflops, 2.0 * 64 * 48 * 40 / (*row.time_ms * 1e6), 1e-9 * *row.gflops);
    if (i > 0) {
      EXPECT_DOUBLE_EQ(*row.speed_up, *row.gflops / *result.rungs[i - 1].gflops);
    }
    double peak = 0;
    for (const FmaPeak& each : context.fma_peaks) {
      if (each.threads == row.threads) peak = each.gflops;
    }
    EXPECT_DOUBLE_EQ(*row.percent_of_peak, 100 * *row.gflops / peak);
  }
}

TEST(CpuLadder, SaysWhereItRan) {
  LadderRequest request = request_for(8, 8, 8, "loop_order");
  request.alpha = 2;
  request.seed = 9;
  const Context context = run_cpu_ladder(request).context;
  EXPECT_TRUE(context.on_cpu);
  EXPECT_FALSE(context.is_virtual);
  EXPECT_EQ(context.gpu, "");
  EXPECT_TRUE(context.instruction_set == "avx512" || context.instruction_set == "avx2" ||
              context.instruction_set == "portable");
  EXPECT_NE(context.device.find(context.instruction_set), std::string::npos);
  EXPECT_NE(context.host.find(" cores"), std::string::npos);
  EXPECT_EQ(context.alpha, 2);
  EXPECT_EQ(context.seed, 9u);
  ASSERT_EQ(context.fma_peaks.size(), 1u);
  EXPECT_EQ(context.fma_peaks[0].threads, 1);
}

TEST(CpuLadder, FindsEveryFault) {
  const auto wrong = [](const Product& p) { p.c[5 * p.c_row + 7] += 0.01f; };
  const auto unwritten = [](const Product& p) {
    p.c[3] = p.beta == 0 ? std::numeric_limits<float>::quiet_NaN() : p.c[3] + 1;
  };
  const auto dropped = [](const Product& p) {
    if (p.m > 12)
      p.c[12 * p.c_row] -= p.alpha * p.a[12 * p.a_row + p.k - 1] * p.b[(p.k - 1) * p.b_row];
  };
  for (const double beta : {0.0, 1.0}) {
    LadderRequest request = request_for(37, 29, 31, "simd");
    request.beta = beta;
    for (const CpuMultiply& each : {faulty(wrong), faulty(unwritten), faulty(dropped)}) {
      const RungResult row = run_one(request, each);
      EXPECT_FALSE(row.verified);
      EXPECT_FALSE(row.wrong.empty());
      EXPECT_FALSE(row.time_ms || row.gflops);  // a wrong result has no speed
    }
    EXPECT_TRUE(run_one(request, faulty([](const Product&) {})).verified);
  }
}

TEST(CpuLadder, FindsADroppedProductWhereTheBoundIsWide) {
  const LadderRequest request = request_for(5, 5, 20'000, "simd");
  const auto dropped = [](const Product& p) {
    p.c[12] -= p.alpha * p.a[2 * p.a_row + p.k - 1] * p.b[(p.k - 1) * p.b_row + 2];
  };
  EXPECT_TRUE(run_one(request, faulty([](const Product&) {})).verified);
  EXPECT_FALSE(run_one(request, faulty(dropped)).verified);
}

TEST(CpuLadder, CallsBitsThatMoveARace) {
  int runs = 0;
  const RungResult row =
      run_one(request_for(37, 29, 31, "threads"), faulty([&runs](const Product& p) {
                if (++runs == 3) p.c[0] = std::bit_cast<float>(std::bit_cast<int>(p.c[0]) ^ 1);
              }));
  EXPECT_FALSE(row.verified);
  EXPECT_EQ(row.wrong, "a second run gave other bits: the threads have a race");
  EXPECT_FALSE(row.time_ms || row.gflops);
  EXPECT_TRUE(row.samples_ms.empty());
}

TEST(CpuLadder, EmptyProductsAreDone) {
  for (const auto& [m, n, k] : {Sizes{0, 5, 7}, Sizes{5, 0, 7}, Sizes{5, 7, 0}, Sizes{0, 0, 0}}) {
    for (const RungResult& row : run_cpu_ladder(request_for(m, n, k, "")).rungs) {
      EXPECT_TRUE(row.verified) << row.rung->name << ": " << row.wrong;
      EXPECT_FALSE(row.gflops) << row.rung->name;
    }
  }
}

TEST(CpuLadder, KeepsTheLastRungsResult) {
  LadderRequest request = request_for(6, 5, 4, "triple_loop,packing");
  EXPECT_TRUE(run_cpu_ladder(request).c.bytes.empty());
  request.keep_c = true;
  const npy::Array c = run_cpu_ladder(request).c;
  EXPECT_EQ(c.dtype, Dtype::kF32);
  EXPECT_EQ(c.rows, 6);
  EXPECT_EQ(c.columns, 5);
  EXPECT_EQ(c.bytes.size(), 120u);
}

// 48 rows take 0.8 s here, so all would take 22 s: rows for two seconds are computed, and checked.
TEST(CpuLadder, RunsSomeRowsWhereAllWouldTakeMinutes) {
  LadderRequest request = request_for(1300, 1300, 1300, "triple_loop");
  const auto slow = [](const Product& p) {
    if (p.m == 48) std::this_thread::sleep_for(std::chrono::milliseconds(800));
  };
  const RungResult row = run_one(request, faulty(slow));
  EXPECT_TRUE(row.verified) << row.wrong;
  EXPECT_TRUE(row.entry.starts_with("01_triple_loop, ")) << row.entry;
  EXPECT_TRUE(row.entry.ends_with(" of 1300 rows")) << row.entry;
  EXPECT_FALSE(row.time_ms);
  ASSERT_TRUE(row.gflops);
  // As many products as the rows have, not as all have.
  const double rows = std::stod(row.entry.substr(row.entry.find(' ')));
  std::vector<double> samples = row.samples_ms;
  EXPECT_NEAR(*row.gflops, 2.0 * rows * 1300 * 1300 / ((samples[0] + samples[1]) / 2 * 1e6),
              1e-6 * *row.gflops);

  const auto wrong = [slow](const Product& p) {
    slow(p);
    p.c[0] += 1;
  };
  EXPECT_FALSE(run_one(request, faulty(wrong)).verified);
  request.keep_c = true;
  request.time = false;
  const RungResult whole = run_one(request, faulty(slow));
  EXPECT_TRUE(whole.verified) << whole.wrong;
  EXPECT_EQ(whole.entry, "01_triple_loop");
}

TEST(CpuLadder, TellsItsProgress) {
  std::vector<std::string> told;
  run_cpu_ladder(request_for(4, 4, 4, "simd,packing"),
                 [&](std::size_t index, std::size_t count, const kernels::Rung* next) {
                   EXPECT_EQ(count, 2u);
                   told.push_back(std::to_string(index) + (next ? std::string(next->name) : ""));
                 });
  EXPECT_EQ(told, (std::vector<std::string>{"0simd", "1packing", "2"}));
}

TEST(CpuLadder, RefusesWhatItCannotRun) {
  EXPECT_THROW(run_cpu_ladder(request_for(-1, 4, 4, "simd")), Error);
  EXPECT_THROW(run_cpu_ladder(request_for(2'000'000, 2'000'000, 8, "simd")), Error);
  EXPECT_THROW(run_cpu_ladder(request_for(std::int64_t{1} << 40, std::int64_t{1} << 40, 1, "simd")),
               Error);
  LadderRequest request = request_for(4, 4, 4, "simd");
  request.rungs = {&kernels::find_rung("naive")};
  EXPECT_THROW(run_cpu_ladder(request), Error);
}

}  // namespace
}  // namespace tilewise::bench
