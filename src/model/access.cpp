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

}  // namespace

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
