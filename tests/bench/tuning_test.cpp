// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tuning on the virtual GPU, by a clock that says what the test wants to have been measured: the virtual GPU computes
// what plans compute, but takes no times.
#include "bench/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "../core/temporary_folder.hpp"
#include "bench/gemm_operands.hpp"
#include "bench/gpu_room.hpp"
#include "bench/own_gpu_library.hpp"
#include "device/virtual/virtual_device.hpp"
#include "gemm/gpu/product.hpp"
#include "gemm/gpu/tuned_load.hpp"
#include "kernels/images.hpp"

namespace tilewise::bench {
namespace {

GpuContext context_on(const char* gpu, const std::string& tuned = "") {
  return GpuContext::State::context_on(
      std::make_unique<device::VirtualDevice>(model::find_gpu(gpu)),
      {.tuned_plans = tuned.c_str()});
}

/// Runs every plan once and says what it was told: milliseconds by plan, else 10; every round the same.
class ScriptedClock final : public TuneClock {
 public:
  std::map<std::string, double> shortly_ms, rounds_ms, duel_ms;
  double jitter = 0;  ///< the share by which every other round of the duel takes longer
  std::vector<std::vector<std::string>> rounds;  ///< who took part, each time
  std::vector<std::string> screened;

  double shortly(const TimedPlan& plan, int) override {
    plan.run(0);
    screened.push_back(plan.name);
    return time_of(plan.name, shortly_ms);
  }
  std::vector<std::vector<double>> in_turns(const std::vector<TimedPlan>& plans, int) override {
    const bool is_duel = rounds.size() % 2 != 0;
    rounds.emplace_back();
    std::vector<std::vector<double>> samples;
    for (const TimedPlan& plan : plans) {
      plan.run(0);
      rounds.back().push_back(plan.name);
      const double ms = time_of(plan.name, is_duel ? duel_ms : rounds_ms);
      samples.emplace_back();
      for (int i = 0; i < 10; ++i) samples.back().push_back(ms * (i % 2 == 0 ? 1 : 1 + jitter));
    }
    return samples;
  }

 private:
  static double time_of(const std::string& plan, const std::map<std::string, double>& times) {
    const auto found = times.find(plan);
    return found == times.end() ? 10 : found->second;
  }
};

class TuningTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kernels::gemm_images().empty()) GTEST_SKIP() << "built without nvcc";
  }

  static GemmShape shape(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {"given", false, false, m, n, k};
  }
  static TuneRequest request(std::vector<GemmShape> shapes, Dtype dtype = Dtype::kF32) {
    TuneRequest request;
    request.what.shapes = std::move(shapes);
    request.what.dtypes = {dtype};
    return request;
  }
  TuneReport tune(const TuneRequest& what, const TuneListener& listener = {}) {
    const auto stream = gpu.state().device->create_stream();
    gpu::TunedFile file = gpu::TunedFile::to_write(path);
    return run_tune(gpu, *stream, file, what, clock, listener);
  }
  std::vector<gpu::TunedRow> stored() const { return gpu::TunedFile::to_read(path).rows().rows; }

  const test::TemporaryFolder folder;
  const std::string path = folder / "tuned.sqlite";
  GpuContext gpu = context_on("h200");
  ScriptedClock clock;
};

constexpr const char* kOther = "simt_f32_32x32,split=4";  // near the planner's choice

TEST_F(TuningTest, KeepsTheFastestPlanAndTheLibraryTakesIt) {
  clock.shortly_ms[kOther] = clock.rounds_ms[kOther] = clock.duel_ms[kOther] = 8;
  const TuneReport report = tune(request({shape(32, 32, 512)}));
  ASSERT_EQ(report.results.size(), 1u);
  const TuneResult& result = report.results.front();
  EXPECT_TRUE(result.changed());
  EXPECT_EQ(result.winner, kOther);
  EXPECT_NE(result.planner, kOther);
  EXPECT_DOUBLE_EQ(result.gain(), 1.25);
  EXPECT_DOUBLE_EQ(result.winner_us, 8000);
  EXPECT_EQ(result.plans.front().plan, kOther);
  EXPECT_GT(result.plans.front().estimate, 0);
  EXPECT_EQ(result.trouble, "");

  ASSERT_EQ(stored().size(), 1u);
  const gpu::TunedRow row = stored().front();
  EXPECT_EQ(row.on, gpu::tuned_on(model::find_gpu("h200")));
  EXPECT_EQ(row.tuned.plan, kOther);
  EXPECT_EQ(row.tuned.planner, result.planner);
  EXPECT_DOUBLE_EQ(row.tuned.planner_microseconds, 10000);
  EXPECT_FALSE(row.tuned.device.empty());
  EXPECT_EQ(row.tuned.date.size(), std::string("2026-01-02T03:04:05Z").size());

  const GpuContext next = context_on("h200", path);
  const GpuProblem problem =
      make_problem(shape(32, 32, 512), Dtype::kF32, Dtype::kF32, ComputeMode::kIeee);
  const gpu::Choice choice =
      gpu::choice_for(next.state(), planned_problem(problem, {256, 512, 256}));
  EXPECT_EQ(choice.by, gpu::ChosenBy::kTuning);
  EXPECT_EQ(gpu::wish_text(choice.plan), kOther);
  // Matrices that begin elsewhere between two alignments are another product.
  EXPECT_EQ(gpu::choice_for(next.state(), planned_problem(problem, {260, 512, 256})).by,
            gpu::ChosenBy::kPlanner);
}

TEST_F(TuningTest, KeepsThePlannersChoiceWhereNothingIsFaster) {
  TuneReport report = tune(request({shape(32, 32, 512)}));
  const std::string planner = report.results.front().planner;
  EXPECT_FALSE(report.results.front().changed());
  // It is stored all the same: it was measured.
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_EQ(stored().front().tuned.plan, planner);

  // And once more, where another plan stood there before.
  clock.shortly_ms[kOther] = clock.rounds_ms[kOther] = clock.duel_ms[kOther] = 8;
  clock.rounds.clear();
  EXPECT_TRUE(tune(request({shape(32, 32, 512)})).results.front().changed());
  clock.shortly_ms.clear(), clock.rounds_ms.clear(), clock.duel_ms.clear();
  clock.rounds.clear();
  EXPECT_FALSE(tune(request({shape(32, 32, 512)})).results.front().changed());
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_EQ(stored().front().tuned.plan, planner);
}

TEST_F(TuningTest, DoesNotTakeLuckForSpeed) {
  // Faster in the rounds of all, but not in those of the two.
  clock.shortly_ms[kOther] = clock.rounds_ms[kOther] = 8;
  clock.duel_ms[kOther] = 9.95;
  const TuneResult close = tune(request({shape(32, 32, 512)})).results.front();
  EXPECT_FALSE(close.changed());
  EXPECT_EQ(close.noise, 1);
  ASSERT_EQ(clock.rounds.size(), 2u);
  EXPECT_EQ(clock.rounds.back(), (std::vector<std::string>{close.planner, kOther}));

  // Faster by 5 %, where rounds differ by 20.
  clock.rounds.clear();
  clock.duel_ms[kOther] = 9.5;
  clock.jitter = 0.2;
  const TuneResult noisy = tune(request({shape(32, 32, 512)})).results.front();
  EXPECT_FALSE(noisy.changed());
  EXPECT_GT(noisy.noise, 6);
  clock.rounds.clear();
  clock.jitter = 0;
  EXPECT_TRUE(tune(request({shape(32, 32, 512)})).results.front().changed());
}

TEST_F(TuningTest, GivesRoundsToThoseNearTheFastest) {
  clock.shortly_ms[kOther] = 5;  // all others take twice as long
  clock.rounds_ms[kOther] = 40;
  const TuneResult result = tune(request({shape(32, 32, 512)})).results.front();
  ASSERT_FALSE(clock.rounds.empty());
  std::vector<std::string> both{kOther, result.planner};
  EXPECT_EQ(clock.rounds.front(), both);
  EXPECT_GT(clock.screened.size(), 5u);
  EXPECT_EQ(std::ranges::count(clock.screened, result.planner), 1);
  ASSERT_EQ(result.plans.size(), clock.screened.size());
  // These come first: what was run a few times only has the shortest of these, not a median.
  EXPECT_EQ(std::ranges::count(result.plans, true, &MeasuredPlan::is_finalist), 2);
  EXPECT_TRUE(result.plans[0].is_finalist && result.plans[1].is_finalist);
  EXPECT_EQ(result.plans[1].plan, kOther);
}

TEST_F(TuningTest, KeepsWhatWasDoneWhenItIsStopped) {
  int asked = 0;
  TuneListener listener;
  listener.done = [&](const TuneResult&) { asked = 1; };
  listener.stopped = [&] { return asked > 0 && ++asked > 4; };  // in the second product
  const TuneReport report =
      tune(request({shape(32, 32, 64), shape(32, 32, 65), shape(32, 32, 66)}), listener);
  EXPECT_TRUE(report.was_stopped);
  EXPECT_EQ(report.results.size(), 1u);
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_EQ(stored().front().key.k, 64);

  TuneRequest rest = request({shape(32, 32, 64), shape(32, 32, 65)});
  rest.missing_only = true;
  const TuneReport later = tune(rest);
  EXPECT_EQ(later.left_alone, 1u);
  ASSERT_EQ(later.results.size(), 1u);
  EXPECT_EQ(later.results.front().problem.shape.k, 65);
  EXPECT_EQ(stored().size(), 2u);
}

TEST_F(TuningTest, SaysWhatCannotBeTuned) {
  model::Gpu small = model::find_gpu("a100");
  small.shared_per_block_optin = 16 << 10;  // room for no kernel of bf16
  gpu = GpuContext::State::context_on(std::make_unique<device::VirtualDevice>(small),
                                      {.tuned_plans = ""});
  const TuneReport report = tune(request({shape(32, 32, 64)}, Dtype::kBF16));
  ASSERT_EQ(report.results.size(), 1u);
  EXPECT_FALSE(report.results.front().is_tuned);
  for (const char* const why : {"needs compute capability 9.0", "bytes of shared memory"})
    EXPECT_NE(report.results.front().trouble.find(why), std::string::npos) << why;
  EXPECT_TRUE(stored().empty());
}

TEST_F(TuningTest, TakesBatchesAndGapsAndTransposes) {
  TuneRequest what = request({{"given", true, false, 24, 16, 100}}, Dtype::kBF16);
  what.what.shapes[0].batch = 3;
  what.what.gap = 1;
  tune(what);
  ASSERT_EQ(stored().size(), 1u);
  const gpu::TunedKey key = stored().front().key;
  EXPECT_EQ(key.trans(), "tn");
  EXPECT_EQ(key.count, 3);
  EXPECT_EQ(gpu::text_of(key.a), "2 strided");
  EXPECT_EQ(key.result, Dtype::kF32);
}

TEST_F(TuningTest, EveryPlanThatIsMeasuredIsRight) {
  const auto stream = gpu.state().device->create_stream();
  for (const auto& [dtype, mode] : {std::pair{Dtype::kF32, ComputeMode::kAccurate},
                                    {Dtype::kF64, ComputeMode::kIeee},
                                    {Dtype::kBF16, ComputeMode::kIeee}}) {
    const GpuProblem problem = make_problem(shape(40, 36, 500), dtype, result_dtype(dtype), mode);
    GpuRoom room(*gpu.state().device, *stream, OperandKind::kNormal, 1);
    room.enter(problem, {problem});
    const BatchReference reference = room.reference();
    for (const gpu::Candidate& each : gpu::alternatives(planned_problem(problem, room.matrices(0)),
                                                        model::find_gpu("h200"), gpu::kNoLimit)) {
      // Blocks that wait for each other are slow here; their kernels are tested with them elsewhere.
      if (each.plan->streamed > 0) continue;
      const SampledVerdict verdict = room.check(*product_by(*each.plan, gpu, problem), reference);
      EXPECT_TRUE(verdict.verified) << gpu::wish_text(*each.plan) << ": " << verdict.wrong;
    }
  }
}

TEST(TuneSummary, MeansAreGeometricAndOverTheRightProducts) {
  TuneReport report;
  const auto add = [&](const char* winner, double planner_us, double winner_us) {
    TuneResult result;
    result.planner = "a", result.winner = winner;
    result.planner_us = planner_us, result.winner_us = winner_us;
    result.is_tuned = true;
    report.results.push_back(result);
  };
  add("a", 10, 10);
  add("b", 40, 10);
  add("a", 7, 7);
  add("b", 10, 10 / 1.21);
  report.results.push_back({});
  report.results.back().trouble = "no kernel";
  const TuneSummary summary = summary_of(report);
  EXPECT_EQ(summary.tuned, 4u);
  EXPECT_EQ(summary.changed, 2u);
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_NEAR(summary.mean_gain, 2.2, 1e-12);
  EXPECT_NEAR(summary.mean_regret, std::sqrt(2.2), 1e-12);
  EXPECT_EQ(summary.most, &report.results[1]);
  EXPECT_EQ(summary_of({}).mean_regret, 1);
}

}  // namespace
}  // namespace tilewise::bench
