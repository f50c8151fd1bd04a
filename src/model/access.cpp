// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/access.hpp"

#include <algorithm>
#include <bit>

namespace tilewise::model {
namespace {

constexpr int kLanes = 32;
constexpr int kBanks = 32;
constexpr std::uint64_t kWordBytes = 4;     // what one bank serves in one wavefront
constexpr std::uint64_t kSectorBytes = 32;  // the unit in which global memory is moved

// The words that one phase asks of every bank. Lanes that ask for the same word share it.
class PhaseWords {
 public:
  void add(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t last = (address + bytes - 1) / kWordBytes;
    for (std::uint64_t word = address / kWordBytes; word <= last; ++word) add_word(word);
  }
  /// Passes the phase takes: the bank with the most distinct words decides.
  int wavefronts() const { return most_; }

 private:
  // A phase covers 32 distinct words when aligned (merged phases repeat addresses in pairs), and an
  // unaligned access adds at most one word a lane: 64 always suffice.
  static constexpr int kMostWords = 64;

  // Words of one bank form a chain: head_[bank] -> next_[i] -> ..., indices into words_ plus one.
  void add_word(std::uint64_t word) {
    const std::size_t bank = word % kBanks;
    for (int i = head_[bank]; i != 0; i = next_[i - 1]) {
      if (words_[i - 1] == word) return;
    }
    words_[used_] = word;
    next_[used_] = head_[bank];
    head_[bank] = static_cast<std::uint8_t>(++used_);
    most_ = std::max<int>(most_, ++depth_[bank]);
  }

  std::array<std::uint64_t, kMostWords> words_;  // only the first used_ entries are set
  std::array<std::uint8_t, kMostWords> next_;
  std::array<std::uint8_t, kBanks> head_{};
  std::array<std::uint8_t, kBanks> depth_{};
  int used_ = 0;
  int most_ = 0;
};

// Lanes [first, first + lanes) as a mask.
constexpr std::uint32_t phase_mask(int first, int lanes) {
  const std::uint32_t ones = lanes == kLanes ? ~0u : (1u << lanes) - 1;
  return ones << first;
}

// Adds up the phases of `lanes_per_phase` lanes each. A phase without an active lane is not run.
SharedCost sum_phases(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes,
                      int lanes_per_phase) {
  SharedCost cost;
  for (int first = 0; first < kLanes; first += lanes_per_phase) {
    std::uint32_t left = active_mask & phase_mask(first, lanes_per_phase);
    if (left == 0) continue;
    PhaseWords words;
    for (; left != 0; left &= left - 1) {
      words.add(addresses[std::countr_zero(left)], static_cast<std::uint64_t>(bytes));
    }
    cost.wavefronts += words.wavefronts();
    cost.conflicts += words.wavefronts() - 1;
  }
  return cost;
}

// Whether every active lane whose partner (lane ^ distance) is active reads the partner's address.
bool partners_agree(const LaneAddresses& addresses, std::uint32_t active_mask, int distance) {
  for (std::uint32_t left = active_mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const int partner = lane ^ distance;
    if ((active_mask >> partner & 1u) != 0 && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

// 128 bytes go through the pipe in one phase: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16.
int lanes_per_phase(int bytes) { return bytes <= 4 ? kLanes : 128 / bytes; }

// Which lanes of `lanes` use each bank.
std::array<std::uint32_t, kBanks> users_of_banks(const LaneAddresses& addresses,
                                                 std::uint32_t lanes, int bytes) {
  std::array<std::uint32_t, kBanks> users{};
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t word = addresses[lane] / kWordBytes;
    for (int i = 0; i < bytes / static_cast<int>(kWordBytes); ++i) {
      users[(word + static_cast<std::uint64_t>(i)) % kBanks] |= 1u << lane;
    }
  }
  return users;
}

// Lanes that share a bank on one side or on the other, with the same address too, take turns: a phase
// takes as many as the lane with most such neighbours has, itself among them. Who does not read is in
// nobody's way on that side.
int lanes_in_turn(const LaneAddresses& to, const LaneAddresses& from, std::uint32_t active_mask,
                  std::uint32_t reading, int bytes) {
  int sum = 0;
  const int lanes = lanes_per_phase(bytes);
  for (int first = 0; first < kLanes; first += lanes) {
    const std::uint32_t here = active_mask & phase_mask(first, lanes);
    const auto written = users_of_banks(to, here, bytes);
    const auto read = users_of_banks(from, here & reading, bytes);
    std::array<std::uint32_t, kLanes> neighbours{};
    for (const auto& users : {written, read}) {
      for (const std::uint32_t sharing : users) {
        for (std::uint32_t left = sharing; left != 0; left &= left - 1) {
          neighbours[std::countr_zero(left)] |= sharing;
        }
      }
    }
    int most = 0;
    for (const std::uint32_t lane : neighbours) most = std::max(most, std::popcount(lane));
    sum += most;
  }
  return sum;
}

int phases(std::uint32_t active_mask, int bytes) {
  int count = 0;
  const int lanes = lanes_per_phase(bytes);
  for (int first = 0; first < kLanes; first += lanes) {
    count += (active_mask & phase_mask(first, lanes)) != 0;
  }
  return count;
}

/// A part of a sector on its way into a part of a sector of shared memory.
struct SectorMove {
  std::uint64_t from = 0, to = 0;  ///< sectors
  unsigned halves = 0;             ///< bit 2·s + d: half s of the one goes to half d of the other
};

// What 16-byte copies make of each pair of sectors. Of lanes that write one place the first wins.
class SectorMoves {
 public:
  void add(std::uint64_t from, std::uint64_t to) {
    constexpr std::uint64_t kHalf = kSectorBytes / 2;
    for (int i = 0; i < chunk_count_; ++i) {
      if (chunks_[i] == to) return;
    }
    chunks_[chunk_count_++] = to;
    const unsigned bit = 1u << (from / kHalf % 2 * 2 + to / kHalf % 2);
    for (int i = 0; i < count_; ++i) {
      SectorMove& move = moves_[i];
      if (move.from != from / kSectorBytes || move.to != to / kSectorBytes) continue;
      // A half that is wanted twice is moved twice.
      const unsigned same_half = from / kHalf % 2 ? 0xC : 0x3;
      if (move.halves & same_half) break;
      move.halves |= bit;
      return;
    }
    moves_[count_++] = {from / kSectorBytes, to / kSectorBytes, bit};
  }
  int count() const { return count_; }

  // One wavefront moves sectors of one 128-byte line to one line, all in the same halves, all with sector
  // numbers that differ in their lowest bit or none that do, no sector from or to twice.
  int wavefronts() const {
    int sum = 0;
    std::array<bool, kLanes> taken{};
    for (int i = 0; i < count_; ++i) {
      if (taken[i]) continue;
      std::array<int, 4> from{}, to{};
      for (int j = i; j < count_; ++j) {
        if (taken[j] || !together(moves_[i], moves_[j])) continue;
        taken[j] = true;
        ++from[moves_[j].from % 4];
        ++to[moves_[j].to % 4];
      }
      sum += std::max(*std::max_element(from.begin(), from.end()),
                      *std::max_element(to.begin(), to.end()));
    }
    return sum;
  }

 private:
  static bool together(const SectorMove& a, const SectorMove& b) {
    return a.from / 4 == b.from / 4 && a.to / 4 == b.to / 4 && a.halves == b.halves &&
           ((a.from ^ a.to ^ b.from ^ b.to) & 1) == 0;
  }

  std::array<SectorMove, kLanes> moves_{};
  std::array<std::uint64_t, kLanes> chunks_{};
  int count_ = 0, chunk_count_ = 0;
};

}  // namespace

AsyncCopyCost async_copy_cached(const LaneAddresses& to, const LaneAddresses& from,
                                std::uint32_t active_mask, std::uint32_t reading, int bytes) {
  AsyncCopyCost cost;
  cost.wavefronts = lanes_in_turn(to, from, active_mask, reading, bytes);
  cost.conflicts = cost.wavefronts - phases(active_mask, bytes);
  cost.sectors = global_sectors(from, active_mask & reading, bytes);
  return cost;
}

AsyncCopyCost async_copy_bypassing(const LaneAddresses& to, const LaneAddresses& from,
                                   std::uint32_t active_mask) {
  SectorMoves moves;
  for (std::uint32_t left = active_mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    moves.add(from[lane], to[lane]);
  }
  return {moves.wavefronts(), 0, moves.count()};
}

SharedCost shared_load(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes) {
  int lanes = lanes_per_phase(bytes);
  // Two phases become one when one of the two pairings holds over the whole warp. Checked per half
  // warp instead, the golden row of 8-byte loads whose halves pair differently would come out
  // wrong.
  if (bytes > 4 &&
      (partners_agree(addresses, active_mask, 1) || partners_agree(addresses, active_mask, 2))) {
    lanes *= 2;
  }
  return sum_phases(addresses, active_mask, bytes, lanes);
}

SharedCost shared_store(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes) {
  return sum_phases(addresses, active_mask, bytes, lanes_per_phase(bytes));
}

SharedCost shared_matrix(const LaneAddresses& addresses, int matrices) {
  constexpr int kRowBytes = 16;  // eight 2-byte elements
  constexpr int kRowsPerMatrix = 8;
  return sum_phases(addresses, phase_mask(0, kRowsPerMatrix * matrices), kRowBytes, kRowsPerMatrix);
}

int global_sectors(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes) {
  std::array<std::uint64_t, 2 * kLanes> sectors;  // an unaligned access touches two
  int count = 0;
  bool ascending = true;
  for (std::uint32_t left = active_mask; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[std::countr_zero(left)];
    const std::uint64_t last = (address + static_cast<std::uint64_t>(bytes) - 1) / kSectorBytes;
    for (std::uint64_t sector = address / kSectorBytes; sector <= last; ++sector) {
      if (count > 0 && sectors[count - 1] == sector) continue;
      ascending = ascending && (count == 0 || sectors[count - 1] < sector);
      sectors[count++] = sector;
    }
  }
  if (ascending) return count;  // the common case: neighbouring lanes, neighbouring addresses
  std::sort(sectors.begin(), sectors.begin() + count);
  return static_cast<int>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
}

}  // namespace tilewise::model
