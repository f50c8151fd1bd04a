// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that `tilewise tune` measured: what they are kept under, and those of one GPU in memory, where products
// look them up.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gemm/gpu/plan.hpp"

namespace tilewise::gpu {

/// What a plan depends on of a factor: bytes that address, leading dimension and stride are multiples of (1 to 32),
/// and how the matrices of a batch stand.
struct FactorKey {
  enum class Stand { kOne, kShared, kStrided, kBackwards, kPointers };
  std::int64_t alignment = 32;
  Stand stand = Stand::kOne;
  auto operator<=>(const FactorKey&) const = default;
};
/// "16", "4 strided", and back. Throws Error{kInvalidInput}.
std::string text_of(const FactorKey& key);
FactorKey factor_key_of(std::string_view text);

/// What a plan depends on of a problem. Scalars are not part of it: they change every plan's time alike.
struct TunedKey {
  Dtype operand = Dtype::kF32, result = Dtype::kF32;
  ComputeMode mode = ComputeMode::kIeee;
  bool a_along_k = true, b_along_k = false;
  std::int64_t m = 0, n = 0, k = 0, count = 1;
  FactorKey a = {}, b = {};
  auto operator<=>(const TunedKey&) const = default;

  /// "nn", "tn", …: which factors stand transposed where C is in row-major order.
  std::string trans() const;
};
TunedKey key_of(const Problem& problem);

/// What was measured.
struct TunedPlan {
  std::string plan;         ///< as TILEWISE_PLAN takes it, the parts of k included
  double microseconds = 0;  ///< median
  std::string planner;      ///< what was chosen without it
  double planner_microseconds = 0;
  std::string device, version, date;  ///< "NVIDIA H200, driver …", of the library, ISO 8601 in UTC
};

/// How `plan` is asked for in TILEWISE_PLAN so that exactly it comes: "simt_f32_64x64,split=1".
std::string wish_text(const Plan& plan);

/// Plans of one GPU, by problem. Once filled, any number of threads may look.
class TunedPlans {
 public:
  struct Entry {
    Wish wish;
    TunedPlan tuned;
  };

  /// Throws Error{kInvalidArgument} where tuned.plan names a kernel that there is not.
  void add(const TunedKey& key, TunedPlan tuned);
  /// nullptr where there is none.
  const Entry* find(const Problem& problem) const;
  std::size_t size() const { return entries_.size(); }

 private:
  std::map<TunedKey, Entry> entries_;
};

enum class ChosenBy { kPlanner, kTuning, kWish };

struct Choice {
  Plan plan;
  ChosenBy by = ChosenBy::kPlanner;
  const TunedPlan* tuned = nullptr;  ///< where by is kTuning
};

/// What the wish says; else what was tuned, where that is possible with `limit` bytes; else what the planner
/// chooses. Throws as choose() does.
Choice decide(const Problem& problem, const model::Gpu& gpu, std::uint64_t limit,
              const std::optional<Wish>& wish, const TunedPlans& tuned);

}  // namespace tilewise::gpu
