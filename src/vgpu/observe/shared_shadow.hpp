// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened to each granule of one block's shared memory: who wrote it last, and by agent, when it
// was read last. A granule is the smallest element that the kernel accesses, so an access always covers
// whole ones and no byte masks are needed.
//
// Reads are kept in one row an agent: recording a warp's read fills a few vectors, and a write compares
// each row with what the writer knows of that agent. Rows whose agent is known to be past its latest
// read are not looked at, which after a barrier is all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vgpu/observe/clocks.hpp"
#include "vgpu/observe/granules.hpp"

namespace tilewise::vgpu {

/// Who accesses, as records keep it.
struct Accessor {
  std::uint32_t agent = 0;
  Clock clock = 1;
  std::uint32_t place = 0;  ///< of LaunchChecker::places: stands for an instruction
  bool is_strong = false;   ///< atomic, volatile, relaxed: no race with others of the kind
  bool is_async = false;    ///< through the async proxy
};

/// Something earlier that an access is not ordered with.
struct Conflict {
  enum Kind : std::uint8_t { kUnwritten, kWrite, kRead, kProxy } kind = kUnwritten;
  std::uint32_t granule = 0;
  Accessor earlier;
  std::uint8_t lane = kManyLanes;  ///< of `earlier`
};

class SharedShadow {
 public:
  static constexpr std::uint32_t kPlaceBits = 14;
  static constexpr std::uint32_t kMostPlaces = (1u << kPlaceBits) - 1;
  /// The greatest clock of a read. Before an agent's clock passes it, everything must be forgotten.
  static constexpr Clock kLastClock = (1u << (31 - kPlaceBits)) - 1;

  SharedShadow(std::uint32_t bytes, std::uint32_t granule_bytes);

  /// A new block: nothing is written.
  void reset();
  /// Everything so far is ordered before everything from now on.
  void forget();

  std::uint32_t granule_bytes() const { return granule_bytes_; }

  /// Whether the access is ordered after all that it conflicts with. `unwritten` asks whether granules
  /// that nothing wrote are a mistake of a read.
  bool is_clean_read(Granules g, const Accessor& who, const Knowledge& known, bool unwritten) const;
  bool is_clean_write(Granules g, const Accessor& who, const Knowledge& known) const;
  /// Both in one: whether the access is ordered; if it is, it is recorded.
  bool take_read(const ScatteredGranules& g, const Accessor& who, const Knowledge& known,
                 bool unwritten);
  bool take_write(const ScatteredGranules& g, const Accessor& who, const Knowledge& known);
  /// What made the access unclean, by granule; slow.
  std::vector<Conflict> conflicts_of_read(Granules g, const Accessor& who, const Knowledge& known,
                                          bool unwritten) const;
  std::vector<Conflict> conflicts_of_write(Granules g, const Accessor& who,
                                           const Knowledge& known) const;

  /// The last access of each agent outside of [begin, end) that `known` lacks; writes only where they
  /// are the last one.
  std::vector<Conflict> not_known(const Knowledge& known, std::uint32_t begin,
                                  std::uint32_t end) const;

  void record_read(Granules g, const Accessor& who);
  void record_write(Granules g, const Accessor& who);

 private:
  struct Row {
    std::uint32_t agent = 0;
    bool is_strong = false;
    Clock latest = 0;
    Clock latest_scattered = 0;       ///< of reads that are in no segment's clock
    std::vector<Clock> segments;      ///< the latest clock of each kSegment granules
    std::vector<std::int32_t> words;  ///< clock, place
    std::vector<std::uint8_t> lanes;
  };
  static constexpr std::uint32_t kSegment = 64;

  Row& row_of(const Accessor& who);
  static bool can_skip(const Row& row, const Accessor& who, const Knowledge& known);
  static bool can_skip(const Row& row, Granules g, const Knowledge& known);
  static std::int32_t last_known(const Row& row, const Knowledge& known);
  bool words_are_ordered(Granules g, const Accessor& who, const Knowledge& known) const;
  bool words_are_ordered(const ScatteredGranules& g, const Accessor& who, const Knowledge& known,
                         bool unwritten) const;

  std::uint32_t granule_bytes_, granules_;
  std::vector<std::uint64_t> writes_;
  std::vector<std::uint8_t> write_lanes_;
  std::vector<std::unique_ptr<Row>> rows_;  ///< by agent and strength; most are null
  std::vector<Row*> used_;
};

}  // namespace tilewise::vgpu
