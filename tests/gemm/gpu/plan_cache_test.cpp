// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/plan_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "gemm/gpu/context.hpp"
#include "gemm/gpu/product.hpp"
#include "on_gpu.hpp"

namespace tilewise::gpu {
namespace {

Problem aligned_problem() {
  Problem problem;
  problem.arguments.m = problem.arguments.n = problem.arguments.k = 512;
  problem.arguments.alpha.value = 1;
  for (auto* factor : {&problem.arguments.a, &problem.arguments.b}) {
    factor->address = reinterpret_cast<const void*>(4096);
    factor->leading_dimension = 512;
  }
  return problem;
}

PlanCache::Key cache_key(const Problem& problem) { return PlanCache::key_of(problem, 1 << 20); }

TEST(PlanCache, KeepsTheSameProblemApartFromOthers) {
  const Problem problem = aligned_problem();
  PlanCache cache;
  EXPECT_FALSE(cache.find(cache_key(problem)));
  Choice choice;
  choice.plan.parts = 7;
  cache.keep(cache_key(problem), choice);
  ASSERT_TRUE(cache.find(cache_key(problem)));
  EXPECT_EQ(cache.find(cache_key(problem))->plan.parts, 7);

  // Addresses and scalars may change as long as alignment does, and whether C is read.
  Problem other = problem;
  other.arguments.a.address = reinterpret_cast<const void*>(8192);
  other.arguments.a.leading_dimension = 520;
  other.arguments.alpha.value = 3;
  EXPECT_TRUE(cache.find(cache_key(other)));

  const std::function<void(Problem&)> changes[] = {
      [](Problem& p) { p.arguments.m = 513; },
      [](Problem& p) { p.arguments.n = 513; },
      [](Problem& p) { p.arguments.k = 513; },
      [](Problem& p) { p.count = 2; },
      [](Problem& p) { p.operand = Dtype::kF64; },
      [](Problem& p) { p.result = Dtype::kBF16; },
      [](Problem& p) { p.mode = ComputeMode::kAccurate; },
      [](Problem& p) { p.a_along_k = !p.a_along_k; },
      [](Problem& p) { p.b_along_k = !p.b_along_k; },
      [](Problem& p) { p.arguments.a.leading_dimension = 513; },
      [](Problem& p) { p.arguments.b.address = reinterpret_cast<const void*>(4100); },
      [](Problem& p) { p.arguments.beta.value = 1; },
      [](Problem& p) { p.arguments.beta.address = reinterpret_cast<const void*>(4096); },
  };
  for (const auto& change : changes) {
    Problem changed = problem;
    change(changed);
    EXPECT_FALSE(cache.find(cache_key(changed))) << "change " << &change - changes;
  }
  EXPECT_FALSE(cache.find(PlanCache::key_of(problem, 1 << 21)));
}

TEST(PlanCache, DoesNotGrowWithoutEnd) {
  PlanCache cache;
  Problem problem = aligned_problem();
  for (int m = 1; m <= 5000; ++m) {
    problem.arguments.m = m;
    cache.keep(cache_key(problem), {});
  }
  EXPECT_LE(cache.size(), 4096u);
  EXPECT_TRUE(cache.find(cache_key(problem)));
}

TEST(PlanCache, AContextLooksUpWhatItHasPlannedButNotWhatIsAskedFor) {
  TILEWISE_NEEDS_KERNELS();
  const GpuContext context =
      GpuContext::State::context_on(test::open_test_device(), {.tuned_plans = ""});
  const GpuContext::State& state = context.state();
  Problem problem = aligned_problem();
  problem.arguments.k = 509;  // of no other test
  const std::size_t before = state.plans.size();
  const Choice first = choice_for(state, problem);
  EXPECT_EQ(state.plans.size(), before + 1);
  EXPECT_EQ(name_of(choice_for(state, problem).plan), name_of(first.plan));
  EXPECT_EQ(state.plans.size(), before + 1);
  {
    const test::PlanWish wish("simt_f32_32x32,split=3");
    EXPECT_EQ(name_of(choice_for(state, problem).plan), "simt_f32_32x32,split=3");
  }
  EXPECT_EQ(state.plans.size(), before + 1);
  EXPECT_EQ(name_of(choice_for(state, problem).plan), name_of(first.plan));
}

}  // namespace
}  // namespace tilewise::gpu
