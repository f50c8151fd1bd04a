// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/plan_cache.hpp"

#include <mutex>

namespace tilewise::gpu {

std::size_t PlanCache::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  const auto mix = [&](auto x) {  // the finaliser of MurmurHash3 over what came before
    hash = (hash ^ static_cast<std::uint64_t>(x)) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  };
  const TunedKey& p = key.problem;
  mix(p.m), mix(p.n), mix(p.k), mix(p.count);
  mix(static_cast<int>(p.operand) * 64 + static_cast<int>(p.result) * 8 + static_cast<int>(p.mode));
  for (const FactorKey& factor : {p.a, p.b})
    mix(factor.alignment * 8 + static_cast<int>(factor.stand));
  mix(p.a_along_k * 4 + p.b_along_k * 2 + key.reads_c);
  mix(key.limit);
  return hash;
}

PlanCache::Key PlanCache::key_of(const Problem& problem, std::uint64_t limit) {
  return {gpu::key_of(problem), limit, problem.reads_c()};
}

std::optional<Choice> PlanCache::find(const Key& key) const {
  const std::shared_lock lock(mutex_);
  const auto known = choices_.find(key);
  if (known == choices_.end()) return {};
  return known->second;
}

void PlanCache::keep(const Key& key, const Choice& choice) {
  const std::scoped_lock lock(mutex_);
  if (choices_.size() >= kMost) choices_.clear();
  choices_.emplace(key, choice);
}

std::size_t PlanCache::size() const {
  const std::shared_lock lock(mutex_);
  return choices_.size();
}

}  // namespace tilewise::gpu
