// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened to each granule of global memory during one launch: who wrote it last, and two readers,
// the last one and the last one of another block. Pages of records come into being when they are
// touched. Most pages are only ever read: their reads are kept in a list, a row each, until somebody writes
// to the page.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/dim3.hpp"
#include "vgpu/observe/clocks.hpp"
#include "vgpu/observe/granules.hpp"

namespace tilewise::vgpu {

/// Who accesses global memory. Blocks of a cluster know each other's warps by agent, all others by what
/// atomics and flags passed on.
struct GlobalAccessor {
  std::uint32_t block = 0;  ///< of the grid, counted linearly
  std::uint32_t warp = 0;
  Clock clock = 1;
  std::uint32_t place = 0;
  bool is_strong = false;
  /// Not ordered within its cluster by the warp's clock. Of a write, `clock` is that of the warp's group of bulk
  /// copies, and who does not know the group to be written is not ordered.
  bool is_async = false;
};

/// How blocks make clusters.
struct ClusterShape {
  Dim3 grid{1, 1, 1}, cluster_size{1, 1, 1};  ///< in blocks
  std::uint32_t warps_per_block = 1;

  /// Of a block counted linearly: its cluster, named by its first block, and its rank in it.
  std::uint64_t cluster(std::uint32_t block) const;
  std::uint32_t rank(std::uint32_t block) const;
  /// The agent that stands for a warp.
  std::uint32_t agent(std::uint32_t block, std::uint32_t warp) const {
    return (rank(block) * warps_per_block + warp) * kAgentsPerWarp;
  }
  /// The warp itself, its cp.async, what its bulk copies read, its wgmma, what its bulk copies write.
  static constexpr std::uint32_t kAgentsPerWarp = 5;
  static constexpr std::uint32_t kBulkWriter = 4;
};

struct GlobalConflict {
  enum Kind : std::uint8_t { kWrite, kRead } kind = kWrite;
  std::uint64_t address = 0;
  GlobalAccessor earlier;
  std::uint8_t lane = 0;
};

class GlobalShadow {
 public:
  static constexpr std::uint32_t kMostBlocks = 1u << 25;  ///< of a grid that can be checked

  GlobalShadow(const ClusterShape& shape, std::uint32_t granule_bytes)
      : shape_(shape), granule_bytes_(granule_bytes) {}

  // Bytes of an access that do not fill a granule are left out.
  /// Whether the access is ordered after all that it conflicts with.
  bool is_clean_read(std::uint64_t address, std::uint64_t bytes, const GlobalAccessor& who,
                     const Knowledge& known);
  bool is_clean_write(std::uint64_t address, std::uint64_t bytes, const GlobalAccessor& who,
                      const Knowledge& known);
  /// `lanes` holds one lane a granule; nullptr: the whole warp. `lane_granules`: how many each lane has, where
  /// one lane follows the other, else 0.
  void record_read(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* lanes,
                   std::uint32_t lane_granules, const GlobalAccessor& who);
  void record_write(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* lanes,
                    const GlobalAccessor& who);
  /// Both in one: whether the access is ordered. If it is, it is recorded, if not, perhaps in part.
  bool take_read(const ScatteredGranules& g, const GlobalAccessor& who, const Knowledge& known);
  bool take_write(const ScatteredGranules& g, const GlobalAccessor& who, const Knowledge& known);
  /// What made the access unclean, by granule; slow.
  std::vector<GlobalConflict> conflicts(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                        const GlobalAccessor& who, const Knowledge& known);

 private:
  static constexpr std::uint32_t kPageGranules = 4096;
  /// A read of adjacent granules, not yet in its page's arrays.
  struct ListedRead {
    std::uint64_t word = 0;
    std::uint16_t begin = 0, count = 0;
    std::uint8_t lane = 0, lane_granules = 0;  ///< of the first; 0: the whole warp
  };
  static constexpr std::size_t kMostListed = 4096;  ///< in the room of half a page
  struct Page {
    bool has_writes, has_reads;
    bool is_settled;                ///< reads go to the arrays at once
    std::vector<ListedRead>* list;  ///< in lists_; null: none
    std::array<std::uint64_t, kPageGranules> writes, reads, other_reads;
    std::array<std::uint8_t, kPageGranules> write_lanes, read_lanes, other_lanes;
  };
  struct Free {
    void operator()(Page* page) const { std::free(page); }
  };
  struct Piece {  ///< of an access, within one page
    Page* page;
    std::uint32_t begin, count;
  };

  Page* new_page();
  Page& page_at(std::uint64_t number);
  template <class F> void for_each_piece(std::uint64_t address, std::uint64_t bytes, F&& action);
  bool is_ordered(std::uint64_t word, GlobalConflict::Kind kind, const GlobalAccessor& who,
                  const Knowledge& known) const;
  bool are_ordered(const std::uint64_t* words, std::uint32_t count, GlobalConflict::Kind kind,
                   const GlobalAccessor& who, const Knowledge& known) const;
  template <class F> bool for_each(const ScatteredGranules& g, F&& action);
  static void record_read(Page& page, std::uint32_t at, std::uint64_t word, std::uint8_t lane);
  void record_reads(const Piece& piece, const std::uint8_t* lanes, std::uint64_t word);
  bool list_read(const Piece& piece, const std::uint8_t* lanes, std::uint32_t lane_granules,
                 std::uint64_t word);
  void settle(Page& page);

  const ClusterShape& shape_;
  std::uint32_t granule_bytes_;
  std::unordered_map<std::uint64_t, Page*> pages_;
  std::vector<std::unique_ptr<Page, Free>> slabs_;  ///< of many pages each
  std::size_t used_pages_ = 0;                      ///< of the last slab
  std::deque<std::vector<ListedRead>> lists_;       ///< of pages
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };
  std::array<Recent, 64> recent_;
};

}  // namespace tilewise::vgpu
