// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/tuned.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/phrase.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

using Stand = FactorKey::Stand;

constexpr std::array<std::pair<Stand, std::string_view>, 4> kStands{
    {{Stand::kShared, " shared"},
     {Stand::kStrided, " strided"},
     {Stand::kBackwards, " backwards"},
     {Stand::kPointers, " pointers"}}};

FactorKey factor_key(const kernels::GemmFactor& factor, std::int64_t count, Dtype operand) {
  constexpr std::int64_t kWidest =
      32;  // bytes: kernels ask for 16, estimates for sectors of memory
  FactorKey key;
  key.alignment = std::min(kWidest, alignment_of(factor, count, size_of(operand)));
  if (factor.pointers != nullptr) key.stand = Stand::kPointers;
  else if (count == 1) key.stand = Stand::kOne;
  else if (factor.stride == 0) key.stand = Stand::kShared;
  else key.stand = factor.stride > 0 ? Stand::kStrided : Stand::kBackwards;
  return key;
}

}  // namespace

std::string text_of(const FactorKey& key) {
  std::string text = std::to_string(key.alignment);
  for (const auto& [stand, word] : kStands)
    if (stand == key.stand) text += word;
  return text;
}

FactorKey factor_key_of(std::string_view text) {
  FactorKey key;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, key.alignment);
  const std::string_view word = text.substr(static_cast<std::size_t>(stop - text.data()));
  const auto* const found =
      std::ranges::find(kStands, word, [](const auto& each) { return each.second; });
  if (failure == std::errc() && (word.empty() || found != kStands.end())) {
    if (!word.empty()) key.stand = found->first;
    return key;
  }
  throw Error(ErrorCode::kInvalidInput,
              phrase("'{}': expected an alignment, as in '16 strided'", text));
}

std::string TunedKey::trans() const {
  return std::string(a_along_k ? "n" : "t") + (b_along_k ? "t" : "n");
}

TunedKey key_of(const Problem& problem) {
  const kernels::GemmArguments& x = problem.arguments;
  return {problem.operand,
          problem.result,
          problem.mode,
          problem.a_along_k,
          problem.b_along_k,
          problem.m(),
          problem.n(),
          problem.k(),
          problem.count,
          factor_key(x.a, problem.count, problem.operand),
          factor_key(x.b, problem.count, problem.operand)};
}

std::string wish_text(const Plan& plan) {
  if (plan.streamed > 0) return name_in_cluster(plan) + ",stream";
  return phrase("{},split={}", name_in_cluster(plan), plan.parts);
}

void TunedPlans::add(const TunedKey& key, TunedPlan tuned) {
  const Wish wish = parse_wish(tuned.plan, "plan ");
  entries_.insert_or_assign(key, Entry{wish, std::move(tuned)});
}

const TunedPlans::Entry* TunedPlans::find(const Problem& problem) const {
  if (entries_.empty()) return nullptr;
  const auto found = entries_.find(key_of(problem));
  return found == entries_.end() ? nullptr : &found->second;
}

Choice decide(const Problem& problem, const model::Gpu& gpu, std::uint64_t limit,
              const std::optional<Wish>& wish, const TunedPlans& tuned) {
  if (wish && concerns(*wish, problem))
    return {choose(problem, gpu, limit, wish), ChosenBy::kWish, nullptr};
  if (const TunedPlans::Entry* const entry = tuned.find(problem)) {
    if (std::optional<Plan> plan = plan_by(entry->wish, problem, gpu, limit))
      return {*plan, ChosenBy::kTuning, &entry->tuned};
  }
  return {choose(problem, gpu, limit), ChosenBy::kPlanner, nullptr};
}

}  // namespace tilewise::gpu
