// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches a launch for mistakes: what threads tell it of their accesses, barriers and waits is held
// against the order that those make (docs/checkers.md). A launch with checks has one LaunchChecker, and
// every cluster (every block, without clusters) that runs has a Checker, which its blocks' BlockState
// points at. Without checks those pointers are null and nothing is called.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "vgpu/exec/warp.hpp"
#include "vgpu/exec/wgmma.hpp"
#include "vgpu/memory/written_bytes.hpp"
#include "vgpu/observe/clocks.hpp"
#include "vgpu/observe/findings.hpp"
#include "vgpu/observe/footprint.hpp"
#include "vgpu/observe/global_shadow.hpp"
#include "vgpu/observe/shared_shadow.hpp"

namespace tilewise::vgpu {

/// What all clusters of a launch share. One host thread uses it.
class LaunchChecker {
 public:
  LaunchChecker(const Program& program, const Checks& checks, const Memory& memory,
                const Memory& module_memory, const ClusterShape& clusters);

  const Checks checks;
  Findings findings;
  GlobalShadow global;
  const ClusterShape shape;
  const std::uint32_t granule_bytes;

  /// Operations that touch registers of wgmma.
  std::unordered_map<std::uint32_t, std::vector<HeldUse>> held_uses;
  std::vector<int> initializers;       ///< instructions: mbarrier.init
  std::vector<CopyFootprints> copies;  ///< of the last cp.async of each site
  /// Where the rows of an operand lie, from its first byte on; memorised.
  struct MatrixRun {
    std::int32_t offset = 0;
    std::uint32_t bytes = 0;
  };
  const std::vector<MatrixRun>& matrix_runs(std::uint64_t descriptor, MatrixMajor major,
                                            std::uint32_t first, std::uint32_t rows);

  std::uint32_t place(int instruction) {
    const std::uint32_t place = places_[static_cast<std::size_t>(instruction)];
    return place != 0 ? place : new_place(instruction);
  }
  int instruction_of(std::uint32_t place) const;
  const Footprint& footprint(int site, int slot, const AccessPattern& pattern,
                             std::uint32_t bytes) {
    Known& known = footprints_[static_cast<std::size_t>(site)][static_cast<std::size_t>(slot)];
    if (known.serial != pattern.serial) {
      known.serial = pattern.serial;
      known.footprint = make_footprint(pattern.mask, pattern.deltas, bytes, granule_bytes);
    }
    return known.footprint;
  }
  /// What is known of the bytes of the allocation that holds `address`.
  WrittenBytes* written(std::uint64_t address) {
    for (WrittenBytes* const recent : recent_) {
      if (recent && address >= recent->begin() && address < recent->end()) return recent;
    }
    return find_written(address);
  }
  Dim3 block_index(std::uint32_t block) const;
  /// What global memory's flags pass on, by address.
  std::unordered_map<std::uint64_t, std::shared_ptr<const Elsewhere>> flags;

 private:
  std::uint32_t new_place(int instruction);
  WrittenBytes* find_written(std::uint64_t address);

  std::vector<std::uint32_t> places_;  ///< by instruction; 0: none yet
  std::vector<int> instructions_;      ///< by place
  struct Known {
    std::uint64_t serial = 0;  ///< of the pattern
    Footprint footprint;
  };
  std::vector<std::array<Known, AccessSite::kPatterns>> footprints_;  ///< by site
  const Memory& memory_;
  std::array<WrittenBytes*, 4> recent_{};  ///< allocations that were accessed last
  std::size_t oldest_ = 0;                 ///< of these
  std::map<std::tuple<std::uint64_t, MatrixMajor, std::uint32_t, std::uint32_t>,
           std::vector<MatrixRun>>
      matrix_runs_;
};

/// What an access does, beyond its addresses.
struct AccessFacts {
  bool is_write = false, is_atomic = false;  ///< an atomic reads and writes
  bool is_strong = false, acquires = false, releases = false;
  std::uint32_t bytes = 0;  ///< a lane
};

class Checker {
 public:
  /// Of a cluster whose blocks are known.
  Checker(LaunchChecker& launch, const ClusterState& cluster);

  /// A new cluster begins.
  void start();

  // Accesses.
  /// After a load or store of the vectorised handlers: its pattern is the site's most recent one.
  void access(Warp& warp, const Op& op, std::uint64_t first);
  /// After an access lane by lane. Addresses are generic: shared memory by its window.
  void access_lanes(Warp& warp, const Op& op, const std::uint64_t* addresses,
                    const AccessFacts& facts);
  /// An access of the whole warp to `bytes` at a shared address.
  void access_shared_range(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                           bool is_write);
  /// The same of global memory.
  void access_global_range(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                           bool is_write);

  // Order.
  void fence(Warp& warp);                          ///< fence, membar
  void proxy_fence(Warp& warp);                    ///< fence.proxy.async
  void arrive(Warp& warp, std::uint32_t barrier);  ///< barriers of a block
  void leave(Warp& warp, std::uint32_t barrier);
  void reset_barrier(const Warp& warp, std::uint32_t barrier);
  void cluster_arrive(Warp& warp, bool releases);  ///< barrier.cluster
  void cluster_release();
  void cluster_leave(Warp& warp);

  // mbarriers, by shared address.
  enum MbarrierEvent { kInitialized, kInvalidated, kArrived, kCopiesArrive, kCounted };
  void mbarrier_before(Warp& warp, int instruction, std::uint64_t address, bool initializes);
  /// `expected`: bytes that the phase waits for from now on.
  void mbarrier_after(Warp& warp, int instruction, int lane, std::uint64_t address,
                      MbarrierEvent event, bool is_relaxed, std::uint64_t expected);
  /// Throws KernelError for an operation on bytes that are no mbarrier: where the kernel initialises one
  /// the operation comes too early.
  [[noreturn]] void mbarrier_missing(const Warp& warp, int instruction, int lane,
                                     std::uint64_t address, const std::string& what) const;
  /// A wait for its last phase returned.
  void mbarrier_passed(Warp& warp, int instruction, std::uint64_t address, bool is_relaxed);
  /// An asynchronous operation arrived there or completed bytes.
  void mbarrier_changed(std::uint64_t address);

  // Asynchronous operations, told when they are issued.
  enum AsyncKind : std::uint32_t { kCopies = 1, kBulk = 2, kMatrix = 3 };
  /// cp.async of the active lanes: shared address, global address, bytes that are read.
  void async_copy(Warp& warp, const Op& op, const std::uint64_t* to, const std::uint64_t* from,
                  const std::uint8_t* source_bytes, std::uint32_t bytes);
  /// A read of shared memory through the async proxy, in the open group of this kind: of wgmma, and of
  /// bulk copies to global memory.
  void async_read(Warp& warp, int instruction, AsyncKind kind, std::uint64_t address,
                  std::uint32_t bytes);
  /// An access to shared memory that reports to an mbarrier, and then how many bytes it reports.
  void reporting_access(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                        std::uint64_t mbarrier, bool is_write, bool is_strong);
  void reporting_bytes(std::uint64_t mbarrier, std::uint64_t bytes);
  /// The global side of a bulk copy.
  void async_global(Warp& warp, int instruction, std::uint64_t address, std::uint64_t bytes,
                    bool is_write, bool is_strong);
  /// Rows of an operand of wgmma.
  void matrix_read(Warp& warp, const Op& op, std::uint64_t descriptor, MatrixMajor major,
                   std::uint32_t first, std::uint32_t rows);
  /// Registers of a wgmma, told after its operands.
  void matrix_registers(Warp& warp, const Op& op);
  void matrix_fence(Warp& warp);
  /// Before an operation of LaunchChecker::held_uses.
  void held_use(Warp& warp, const Op& op, std::uint32_t index);
  void commit_group(Warp& warp, AsyncKind kind);
  /// All but the `pending` youngest groups are done; of bulk copies perhaps only what they read.
  void wait_group(Warp& warp, AsyncKind kind, std::uint64_t pending, bool only_reads = false);

  void set_registers(Warp& warp, const Op& op, int count, bool gives_up);
  /// The cluster is done: what it leaves behind.
  void finish();

  LaunchChecker& launch() { return launch_; }
  /// Says what is wrong with an instruction, `message` with the place of it put in front.
  void report(Warp& warp, int instruction, std::uint32_t lanes, const char* check, const char* kind,
              const std::string& message);

 private:
  /// Groups of asynchronous operations of one kind of a warp, as clocks of their agent.
  struct Groups {
    Clock clock = 1;  ///< of what is issued now
    std::vector<Clock> committed;
    Clock last = 0;  ///< of the last operation, and its instruction
    int instruction = -1;
  };
  struct MbarrierOrder {
    std::uint32_t agent = 0;
    bool is_live = false;
    Accessor initializer;
    std::uint32_t parity = 0;
    Knowledge pending, completed;
    // Copies that report there are its agent's clock. Those that a phase certainly waits for are the
    // first whose bytes are no more than what was expected.
    std::vector<std::uint64_t> issued;  ///< bytes up to each copy
    std::uint64_t expected = 0;
    Clock done = 0;
  };
  /// What a register is waiting for.
  struct HeldRegister {
    Clock clock = 0;  ///< of the wgmma on its way
    int instruction = -1;
    bool is_result = false;  ///< it writes the register; else it only reads it
    int set_by = -1;         ///< instruction that wrote it since the last wgmma.fence
  };
  struct RegisterCount {
    int instruction = -1, count = 0;
  };

  std::uint32_t index_of(const Warp& warp) const;
  void tick(const Warp& warp);
  void forget();
  void forget_order();
  Groups& groups_of(const Warp& warp, AsyncKind kind);
  MbarrierOrder& mbarrier_at(std::uint64_t address);
  void settle(MbarrierOrder& order, std::uint64_t address);
  void check_initializer(Warp& warp, int instruction, std::uint64_t address,
                         const MbarrierOrder& order);
  void count_arrival(Warp& warp, int instruction, std::uint64_t address, bool ended);
  Accessor accessor(const Warp& warp, int instruction, bool is_strong);
  GlobalAccessor global_accessor(const Warp& warp, int instruction, bool is_strong) const;

  void access_shared(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                     const std::uint8_t* lanes, const Accessor& who, bool is_write);
  void access_global(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                     const std::uint8_t* lanes, const GlobalAccessor& who, bool is_write,
                     bool is_read, std::uint32_t lane_granules = 0);
  void async_copy_lanes(Warp& warp, const Op& op, const std::uint64_t* to,
                        const std::uint64_t* from, const std::uint8_t* source_bytes,
                        std::uint32_t bytes, const Accessor& who, const GlobalAccessor& reader);
  void check_partial_copy(Warp& warp, const Op& op, int lane, std::uint64_t from,
                          std::uint32_t source_bytes, std::uint32_t bytes);
  void access_shared_rows(Warp& warp, int instruction, std::uint64_t first, const Footprint& f,
                          const Accessor& who, bool is_write);
  void access_global_rows(Warp& warp, int instruction, std::uint64_t first, const Footprint& f,
                          const GlobalAccessor& who, bool is_write);
  bool take_shared(Warp& warp, std::uint64_t first, const Footprint& f, const Accessor& who,
                   bool is_write);
  bool take_global(Warp& warp, std::uint64_t first, const Footprint& f, const GlobalAccessor& who,
                   bool is_write);
  void check_one_store(Warp& warp, const Op& op, const AccessPattern& pattern, std::uint64_t first);
  bool may_synchronise(const Warp& warp, ptx::Space space, const AccessFacts& facts) const;
  void synchronise_shared(Warp& warp, std::uint64_t address, const AccessFacts& facts);
  void synchronise_global(Warp& warp, std::uint64_t address, const AccessFacts& facts);
  void report_shared(Warp& warp, int instruction, std::uint32_t rank, Granules g,
                     const std::vector<Conflict>& conflicts, bool is_write);
  void report_global(Warp& warp, int instruction, std::uint64_t begin, const std::uint8_t* lanes,
                     const std::vector<GlobalConflict>& conflicts, bool is_write);
  std::string name_of_agent(std::uint32_t agent, std::uint32_t lanes) const;
  void report_at(const Finding::Place& place, int instruction, const char* check, const char* kind,
                 const std::string& message);
  Finding::Place place_of_warp(std::uint32_t index, int instruction, std::uint32_t lanes) const;
  void end_register(Warp& warp, const Op& op, const HeldRegister& held, bool is_definition);
  void check_exits();
  void check_register_counts();

  LaunchChecker& launch_;
  const ClusterState& cluster_;
  std::uint32_t warps_per_block_;
  std::vector<SharedShadow> shadows_;                ///< by rank
  std::vector<WarpKnowledge> warps_;                 ///< by rank and warp
  std::vector<Clock> clocks_;                        ///< of the warps
  std::vector<std::array<Groups, 4>> groups_;        ///< by warp and kind
  std::vector<std::array<Knowledge, 16>> barriers_;  ///< by rank
  Knowledge cluster_arrivals_, cluster_barrier_;
  std::unordered_map<std::uint64_t, MbarrierOrder> mbarriers_;         ///< by shared address
  std::vector<std::unordered_map<std::uint32_t, HeldRegister>> held_;  ///< by warp and offset
  std::vector<std::vector<RegisterCount>> register_counts_;            ///< by warp: setmaxnreg
  std::uint64_t ended_by_this_ = 0;  ///< mbarrier + 1 whose phase the current instruction ended
  std::unordered_map<std::uint64_t, Knowledge> flags_;       ///< by shared address
  std::vector<std::shared_ptr<const Elsewhere>> published_;  ///< by warp: at_fence, for others
};

}  // namespace tilewise::vgpu
