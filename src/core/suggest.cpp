// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/phrase.hpp"

namespace tilewise {
namespace {

// ASCII only: names of rungs, GPUs and options are.
std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Levenshtein's distance, case ignored; two neighbouring letters exchanged count once
// (optimal string alignment), for that is the commonest slip of the keyboard.
std::size_t edit_distance(const std::string& left, const std::string& right) {
  std::vector<std::size_t> before_last(right.size() + 1), last(right.size() + 1),
      current(right.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[right.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // Words longer than any sensible name are not slips; do not spend quadratic time on them.
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::string wanted = lower(word);
  std::string_view best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    // Near: at most a third of the longer word, but always one slip, and never a whole word.
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t near = std::min(std::max<std::size_t>(1, longer / 3), longer - 1);
    if (distance > near) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view name = nearest(word, candidates);
  return name.empty() ? std::string() : phrase("; did you mean '{}'?", name);
}

}  // namespace tilewise
