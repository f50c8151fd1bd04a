// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which plan products take where plans were tuned, and what is said of files that cannot be used.
#include "gemm/gpu/tuned.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <tuple>

#include "../../core/temporary_folder.hpp"
#include "gemm/gpu/fingerprint.hpp"
#include "gemm/gpu/tell.hpp"
#include "gemm/gpu/tuned_file.hpp"
#include "gemm/gpu/tuned_load.hpp"
#include "on_gpu.hpp"

namespace tilewise::gpu {
namespace {

using test::TemporaryFolder;

const model::Gpu& h200() { return model::find_gpu("h200"); }

/// Sets an environment variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) setenv(name_, before_->c_str(), 1);
    else unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// C = A·B of f32, row-major without gaps.
Problem f32_problem(std::int64_t m, std::int64_t n, std::int64_t k, std::uintptr_t address = 4096) {
  const auto batch = [&](std::int64_t rows, std::int64_t columns) {
    const api::Matrix matrix{
        reinterpret_cast<const void*>(address), rows, columns, columns, Order::kRowMajor, 4};
    return api::Batch{matrix, 0, nullptr, true};
  };
  return problem_of(Dtype::kF32, Dtype::kF32, ComputeMode::kIeee, 1, {1, nullptr, false},
                    batch(m, k), batch(k, n), {0, nullptr, false}, batch(m, n));
}

TunedPlan measured(const std::string& plan) {
  return {plan, 10, "simt_f32_32x32,split=1", 11, "a GPU", "0.1.0", "2026-01-02T03:04:05Z"};
}

TunedPlans tuned_for(const Problem& problem, const std::string& plan) {
  TunedPlans plans;
  plans.add(key_of(problem), measured(plan));
  return plans;
}

void store(const std::string& path, const Problem& problem, const std::string& plan,
           const std::optional<TunedOn>& on = {}) {
  TunedFile::to_write(path).store({on ? *on : tuned_on(h200()), key_of(problem), measured(plan)});
}

struct Loaded {
  TunedPlans plans;
  std::vector<std::string> said;
};
Loaded load(const TunedPlace& place, const model::Gpu& gpu = h200()) {
  Loaded loaded;
  loaded.plans =
      load_tuned(place, gpu, [&](const std::string& words) { loaded.said.push_back(words); });
  return loaded;
}

TEST(Tuned, TakesThePlaceOfThePlannersChoiceAndNotOfAWish) {
  const Problem problem = f32_problem(64, 64, 4096);
  const TunedPlans tuned = tuned_for(problem, "simt_f32_64x64,split=3");
  ASSERT_NE(name_of(choose(problem, h200(), kNoLimit)), "simt_f32_64x64,split=3");
  const Choice by_tuning = decide(problem, h200(), kNoLimit, {}, tuned);
  EXPECT_EQ(by_tuning.by, ChosenBy::kTuning);
  EXPECT_EQ(name_of(by_tuning.plan), "simt_f32_64x64,split=3");
  ASSERT_NE(by_tuning.tuned, nullptr);
  EXPECT_EQ(by_tuning.tuned->microseconds, 10);

  const Choice wished = decide(problem, h200(), kNoLimit, wish_in("simt_f32_32x32,split=2"), tuned);
  EXPECT_EQ(wished.by, ChosenBy::kWish);
  EXPECT_EQ(name_of(wished.plan), "simt_f32_32x32,split=2");
  // A wish for other types leaves these alone.
  const Choice other = decide(problem, h200(), kNoLimit, wish_in("mma_f64_64x64"), tuned);
  EXPECT_EQ(other.by, ChosenBy::kTuning);
}

TEST(Tuned, IsLookedUpByAllThatPlansDependOn) {
  const Problem problem = f32_problem(64, 64, 4096);
  const TunedPlans tuned = tuned_for(problem, "simt_f32_64x64,split=3");
  const auto by = [&](const Problem& other) {
    return decide(other, h200(), kNoLimit, {}, tuned).by;
  };
  EXPECT_EQ(by(problem), ChosenBy::kTuning);
  EXPECT_EQ(by(f32_problem(64, 64, 4096, 8192)), ChosenBy::kTuning);  // elsewhere, as aligned
  EXPECT_EQ(by(f32_problem(64, 64, 4096, 4100)), ChosenBy::kPlanner);
  EXPECT_EQ(by(f32_problem(64, 64, 4095)), ChosenBy::kPlanner);
  EXPECT_EQ(by(f32_problem(65, 64, 4096)), ChosenBy::kPlanner);
  Problem other = problem;
  other.mode = ComputeMode::kAccurate;
  EXPECT_EQ(by(other), ChosenBy::kPlanner);
  other = problem;
  other.b_along_k = true;
  EXPECT_EQ(by(other), ChosenBy::kPlanner);
  other = problem;
  other.count = 2;
  EXPECT_EQ(by(other), ChosenBy::kPlanner);
  other = problem;
  other.arguments.beta.value = 1;  // scalars change every plan's time alike
  EXPECT_EQ(by(other), ChosenBy::kTuning);
}

TEST(Tuned, IsTakenOnlyWhereItIsPossible) {
  const Problem problem = f32_problem(64, 64, 4096);
  const TunedPlans tuned = tuned_for(problem, "simt_f32_64x64,split=3");
  const std::uint64_t needs = decide(problem, h200(), kNoLimit, {}, tuned).plan.workspace_bytes;
  EXPECT_EQ(decide(problem, h200(), needs, {}, tuned).by, ChosenBy::kTuning);
  const Choice without = decide(problem, h200(), needs - 1, {}, tuned);
  EXPECT_EQ(without.by, ChosenBy::kPlanner);
  EXPECT_LT(without.plan.workspace_bytes, needs);
  // A plan for another type's products, under this key: somebody's hand.
  const Choice wrong = decide(problem, h200(), kNoLimit, {}, tuned_for(problem, "mma_f64_64x64"));
  EXPECT_EQ(wrong.by, ChosenBy::kPlanner);
  EXPECT_EQ(name_of(wrong.plan), name_of(choose(problem, h200(), kNoLimit)));
}

TEST(Tuned, EveryAlternativeIsWhatItsNameAsksFor) {
  for (const Problem& problem : {f32_problem(64, 64, 5000), f32_problem(300, 200, 700, 4100)}) {
    const std::vector<Candidate> all = alternatives(problem, h200(), kNoLimit);
    ASSERT_GT(all.size(), 4u);
    std::vector<std::string> names;
    for (const Candidate& each : all) {
      ASSERT_TRUE(each.plan);
      names.push_back(wish_text(*each.plan));
      const auto again = plan_by(*wish_in(names.back().c_str()), problem, h200(), kNoLimit);
      ASSERT_TRUE(again) << names.back();
      EXPECT_EQ(wish_text(*again), names.back());
      EXPECT_EQ(again->k_each, each.plan->k_each) << names.back();
    }
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    const std::string best = wish_text(choose(problem, h200(), kNoLimit));
    EXPECT_TRUE(std::ranges::binary_search(names, best)) << best;
  }
}

TEST(Tuned, AlternativesOfEveryTypeHaveNamesThatComeBack) {
  for (const auto& [dtype, mode] : {std::pair{Dtype::kF32, ComputeMode::kIeee},
                                    {Dtype::kF32, ComputeMode::kAccurate},
                                    {Dtype::kF64, ComputeMode::kIeee},
                                    {Dtype::kBF16, ComputeMode::kIeee}}) {
    for (const auto& [m, n, k] :
         {std::tuple{64, 64, 65536}, {8, 4096, 4096}, {300, 500, 7777}, {1000, 1000, 1000}}) {
      Problem problem = f32_problem(m, n, k);
      problem.operand = problem.result = dtype;
      problem.mode = mode;
      std::set<std::string> names;
      for (const Candidate& each : alternatives(problem, h200(), kNoLimit)) {
        const std::string name = wish_text(*each.plan);
        EXPECT_TRUE(names.insert(name).second) << name;
        const auto again = plan_by(*wish_in(name.c_str()), problem, h200(), kNoLimit);
        ASSERT_TRUE(again) << name;
        EXPECT_EQ(wish_text(*again), name);
        EXPECT_EQ(again->k_each, each.plan->k_each) << name;
      }
      EXPECT_GT(names.size(), 2u);
    }
  }
}

TEST(TunedPlaces, AreToldOrNamedOrInTheCacheFolder) {
  const Variable home("HOME", "/home/somebody"), cache("XDG_CACHE_HOME", "");
  const Variable named("TILEWISE_TUNED", "");
  EXPECT_EQ(tuned_place(nullptr).path, "/home/somebody/.cache/tilewise/tuned.sqlite");
  EXPECT_FALSE(tuned_place(nullptr).is_named);
  const Variable elsewhere("XDG_CACHE_HOME", "/var/cache/somebody");
  EXPECT_EQ(tuned_place(nullptr).path, "/var/cache/somebody/tilewise/tuned.sqlite");
  const Variable relative("XDG_CACHE_HOME", "cache");  // which the specification says to ignore
  EXPECT_EQ(tuned_place(nullptr).path, "/home/somebody/.cache/tilewise/tuned.sqlite");
  const Variable homeless("HOME", "");
  EXPECT_EQ(tuned_place(nullptr).path, "");
  const Variable mine("TILEWISE_TUNED", "mine.sqlite");
  EXPECT_EQ(tuned_place(nullptr).path, "mine.sqlite");
  EXPECT_TRUE(tuned_place(nullptr).is_named);
  EXPECT_EQ(tuned_place("told.sqlite").path, "told.sqlite");
  EXPECT_TRUE(tuned_place("told.sqlite").is_named);
  EXPECT_EQ(tuned_place("").path, "");
  const Variable none("TILEWISE_TUNED", "none");
  EXPECT_EQ(tuned_place(nullptr).path, "");
}

TEST(TunedLoading, SaysNothingWhereThereIsNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  EXPECT_TRUE(load({path, false}).said.empty());
  EXPECT_TRUE(load({"", false}).said.empty());
  const Loaded named = load({path, true});
  ASSERT_EQ(named.said.size(), 1u);
  EXPECT_EQ(named.said.front(), "tuned plans '" + path + "': no such file; ignored");
}

TEST(TunedLoading, SaysWhyAFileIsIgnored) {
  const TemporaryFolder folder;
  const std::string path = folder.with("x.sqlite", std::string(2000, 'x'));
  for (const bool is_named : {false, true}) {
    const Loaded loaded = load({path, is_named});
    EXPECT_EQ(loaded.plans.size(), 0u);
    ASSERT_EQ(loaded.said.size(), 1u);
    EXPECT_EQ(loaded.said.front(), "tuned plans '" + path + "': file is not a database; ignored");
  }
}

TEST(TunedLoading, PassesOverUnknownKernels) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  store(path, f32_problem(64, 64, 4096), "simt_f32_64x65,split=3");
  store(path, f32_problem(64, 64, 4097), "simt_f32_64x64,split=x");
  store(path, f32_problem(64, 64, 4098), "simt_f32_64x64,split=3");
  const Loaded loaded = load({path, false});
  EXPECT_EQ(loaded.plans.size(), 1u);
  EXPECT_NE(loaded.plans.find(f32_problem(64, 64, 4098)), nullptr);
  ASSERT_EQ(loaded.said.size(), 1u);
  EXPECT_NE(loaded.said.front().find("2 of them ignored: plan simt_f32_64x65,split=3: there is no "
                                     "GPU kernel of that name; did you mean 'simt_f32_64x64'?"),
            std::string::npos)
      << loaded.said.front();
}

TEST(TunedLoading, TakesThePlansOfThisGpuAndTheseKernels) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  const std::string plan = "simt_f32_64x64,split=3";
  TunedOn on = tuned_on(h200());
  on.kernels = "0000000000000000";
  store(path, f32_problem(1, 2, 3), plan, on);
  on = tuned_on(h200());
  on.multiprocessors = 64;
  store(path, f32_problem(1, 2, 4), plan, on);
  store(path, f32_problem(1, 2, 5), plan);
  const Loaded loaded = load({path, true});
  EXPECT_TRUE(loaded.said.empty());
  EXPECT_EQ(loaded.plans.size(), 1u);
  EXPECT_NE(loaded.plans.find(f32_problem(1, 2, 5)), nullptr);
  EXPECT_EQ(load({path, true}, model::find_gpu("a100")).plans.size(), 0u);
}

TEST(Fingerprint, ChangesWithWhateverPlansStandOn) {
  const std::span<const kernels::GemmKernel> catalogue = kernels::gemm_kernels();
  std::string code(37, '7');
  const auto of = [&](std::span<const kernels::GemmKernel> kernels) {
    const kernels::KernelImage image{.unit = "unit", .arch = "sm_90a", .digest = code};
    return fingerprint(kernels, {&image, 1}, h200());
  };
  const std::string now = of(catalogue);
  EXPECT_EQ(now.size(), 16u);
  EXPECT_EQ(of(catalogue), now);
  std::vector<kernels::GemmKernel> other(catalogue.begin(), catalogue.end());
  other.back().stages += 1;
  EXPECT_NE(of(other), now);
  other.assign(catalogue.begin(), catalogue.end());
  other.front().efficiency += 0.01;
  EXPECT_NE(of(other), now);
  other.assign(catalogue.begin(), catalogue.end() - 1);
  EXPECT_NE(of(other), now);
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{36}}) {
    code[at] = '8';
    EXPECT_NE(of(catalogue), now) << at;
    code[at] = '7';
  }
  EXPECT_EQ(of(catalogue), now);
  // Machine code of another architecture is no concern of this GPU's.
  const std::string older(37, '1');
  const auto of_a100 = [&] {
    const kernels::KernelImage images[] = {{.unit = "unit", .arch = "sm_80", .digest = older},
                                           {.unit = "unit", .arch = "sm_90a", .digest = code}};
    return fingerprint(catalogue, images, model::find_gpu("a100"));
  };
  const std::string before = of_a100();
  code[0] = '8';
  EXPECT_EQ(of_a100(), before);
}

TEST(Fingerprint, KernelsOfThisBuildHaveDigestsThatDiffer) {
  std::set<std::string_view> digests;
  for (const kernels::KernelImage& image : kernels::gemm_images()) {
    EXPECT_GE(image.digest.size(), 64u) << image.unit;
    EXPECT_TRUE(digests.insert(image.digest).second) << image.unit;
  }
}

class TunedProduct : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  static GpuContext context_with(const std::string& path) {
    return GpuContext::State::context_on(test::open_test_device(), {.tuned_plans = path.c_str()});
  }
  // The bits of C = A·B with whatever `context` has tuned.
  std::vector<float> product(GpuContext& context) {
    device::Device& device = *context.state().device;
    const auto stream = device.create_stream();
    const auto bytes = [](const auto& x) { return x.size() * sizeof(float); };
    device::Buffer on_a(device, bytes(a)), on_b(device, bytes(b)), on_c(device, 32 * 32 * 4);
    device.copy_to_device(on_a.address(), a.data(), bytes(a), *stream);
    device.copy_to_device(on_b.address(), b.data(), bytes(b), *stream);
    stream->synchronize();
    const auto at = [](const device::Buffer& x) { return reinterpret_cast<float*>(x.address()); };
    gemm(context, 1.0f, row_major<const float>(at(on_a), 32, 4096),
         row_major<const float>(at(on_b), 4096, 32), 0.0f, row_major(at(on_c), 32, 32));
    device.adopt_stream(nullptr)->synchronize();
    std::vector<float> c(32 * 32);
    device.copy_to_host(c.data(), on_c.address(), bytes(c), *stream);
    stream->synchronize();
    return c;
  }

  static std::vector<float> random(std::uint64_t stream) {
    std::vector<float> x(32 * 4096);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = test::random_element<float>(stream, i);
    return x;
  }
  const std::vector<float> a = random(1), b = random(2);
};

TEST_F(TunedProduct, TakesTheTunedPlan) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  const model::Gpu gpu = test::open_test_device()->gpu();
  const std::string plan = "simt_f32_32x32,split=2";
  store(path, f32_problem(32, 32, 4096), plan, tuned_on(gpu));
  GpuContext plain = context_with(""), tuned = context_with(path);
  const std::vector<float> by_planner = product(plain);
  std::vector<float> wished;
  {
    const test::PlanWish wish(plan);
    wished = product(plain);
  }
  EXPECT_FALSE(test::same_bits(by_planner, wished));  // or else nothing is compared below
  EXPECT_TRUE(test::same_bits(product(tuned), wished));
  const test::PlanWish other("simt_f32_32x32,split=3");
  EXPECT_FALSE(test::same_bits(product(tuned), wished));
}

TEST_F(TunedProduct, IsTheSameFromManyThreads) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  const model::Gpu gpu = test::open_test_device()->gpu();
  store(path, f32_problem(32, 32, 4096), "simt_f32_32x32,split=2", tuned_on(gpu));
  const GpuContext tuned = context_with(path);
  std::vector<std::thread> threads;
  std::atomic<int> found{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j)
        found += tuned.state().tuned.find(f32_problem(32, 32, 4096)) != nullptr;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 800);
}

TEST_F(TunedProduct, IsRightWhereTheFileIsNone) {
  const TemporaryFolder folder;
  const std::string path = folder.with("broken.sqlite", std::string(3000, '\1'));
  ::testing::internal::CaptureStderr();
  GpuContext first = context_with(path), second = context_with(path);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "tilewise: tuned plans '" + path + "': file is not a database; ignored\n");
  GpuContext plain = context_with("");
  EXPECT_TRUE(test::same_bits(product(first), product(plain)));
}

TEST(Verbose, SaysWhoseChoiceAPlanIs) {
  const Problem problem = f32_problem(64, 64, 4096);
  const TunedPlans tuned = tuned_for(problem, "simt_f32_64x64,split=1");
  EXPECT_EQ(line_of(problem, decide(problem, h200(), kNoLimit, {}, tuned)),
            "gpu gemm f32 -> f32 ieee nn m=64 n=64 k=4096: simt_f32_64x64, tuned, 0 bytes of "
            "workspace");
  EXPECT_NE(line_of(problem, decide(problem, h200(), kNoLimit, {}, {})).find("by the planner"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewise::gpu
