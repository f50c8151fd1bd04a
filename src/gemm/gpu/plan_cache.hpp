// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Choices already made. Weighing all plans takes the host 6 to 30 µs, more than a GPU takes for a small product; looking
// one up takes a tenth of one.
#pragma once

#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "gemm/gpu/tuned.hpp"

namespace tilewise::gpu {

/// Choices by all that they depend on: a call is planned the same way whatever was planned before. Any number of
/// threads may use one.
class PlanCache {
 public:
  /// The key of a problem within `limit` bytes of workspace.
  struct Key {
    TunedKey problem;
    std::uint64_t limit;
    bool reads_c;
    bool operator==(const Key&) const = default;
  };
  static Key key_of(const Problem& problem, std::uint64_t limit);

  std::optional<Choice> find(const Key& key) const;
  void keep(const Key& key, const Choice& choice);
  std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  static constexpr std::size_t kMost =
      4096;  // then it begins anew: a program with more shapes has no favourites

  mutable std::shared_mutex mutex_;
  std::unordered_map<Key, Choice, Hash> choices_;
};

}  // namespace tilewise::gpu
