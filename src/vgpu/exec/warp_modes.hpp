// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What Op::mode says to shuffles, votes, matches and reductions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewise::vgpu {

enum ShuffleMode : std::uint8_t {
  kShuffleUp,
  kShuffleDown,
  kShuffleButterfly,
  kShuffleIndex,
  kShuffleMask = 3,
  kShufflePredicate = 4,  ///< writes whether the source lane was in range
};
enum VoteMode : std::uint8_t {
  kVoteAll,
  kVoteAny,
  kVoteUniform,
  kVoteBallot,
  kVoteMask = 3,
  kVoteNegated = 4,
};
enum MatchMode : std::uint8_t { kMatchAll = 1, kMatchPredicate = 2, kMatchWide = 4 };

inline constexpr std::array<std::string_view, 6> kReduxNames{"add", "min", "max",
                                                             "and", "or",  "xor"};
enum ReduxMode : std::uint8_t { kReduxMask = 7, kReduxSigned = 8 };

}  // namespace tilewise::vgpu
