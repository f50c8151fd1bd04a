// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What lanes do together, and what a thread can ask about itself.
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/memory_modes.hpp"
#include "vgpu/exec/warp_modes.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

std::uint32_t* words(const Warp& w, std::uint32_t offset) {
  return cells<std::uint32_t>(w, offset);
}

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

std::uint64_t cluster_value(const BlockState& b, Special special) {
  const Dim3& size = b.cluster->size;
  switch (special) {
    case Special::kClusteridX: return b.index.x / size.x;
    case Special::kClusteridY: return b.index.y / size.y;
    case Special::kClusteridZ: return b.index.z / size.z;
    case Special::kNclusteridX: return b.grid.x / size.x;
    case Special::kNclusteridY: return b.grid.y / size.y;
    case Special::kNclusteridZ: return b.grid.z / size.z;
    case Special::kClusterCtaidX: return b.index.x % size.x;
    case Special::kClusterCtaidY: return b.index.y % size.y;
    case Special::kClusterCtaidZ: return b.index.z % size.z;
    case Special::kClusterNctaidX: return size.x;
    case Special::kClusterNctaidY: return size.y;
    case Special::kClusterNctaidZ: return size.z;
    case Special::kClusterCtarank: return b.rank;
    case Special::kClusterNctarank: return size.count();
    default: return 0;
  }
}

std::uint64_t special_value(const Warp& w, Special special, int lane) {
  const BlockState& b = *w.block;
  const std::uint32_t warps = static_cast<std::uint32_t>((b.block.count() + kLanes - 1) / kLanes);
  const std::uint32_t bit = 1u << lane;
  switch (special) {
    case Special::kTidX: return w.tid[0][lane];
    case Special::kTidY: return w.tid[1][lane];
    case Special::kTidZ: return w.tid[2][lane];
    case Special::kNtidX: return b.block.x;
    case Special::kNtidY: return b.block.y;
    case Special::kNtidZ: return b.block.z;
    case Special::kCtaidX: return b.index.x;
    case Special::kCtaidY: return b.index.y;
    case Special::kCtaidZ: return b.index.z;
    case Special::kNctaidX: return b.grid.x;
    case Special::kNctaidY: return b.grid.y;
    case Special::kNctaidZ: return b.grid.z;
    case Special::kLaneid: return static_cast<std::uint64_t>(lane);
    case Special::kWarpid: return static_cast<std::uint64_t>(w.index);
    case Special::kNwarpid: return warps;
    case Special::kSmid: return static_cast<std::uint64_t>(b.sm);
    case Special::kNsmid: return static_cast<std::uint64_t>(b.sm_count);
    case Special::kGridid: return b.grid_id;
    case Special::kLanemaskEq: return bit;
    case Special::kLanemaskLe: return bit | (bit - 1);
    case Special::kLanemaskLt: return bit - 1;
    case Special::kLanemaskGe: return ~(bit - 1);
    case Special::kLanemaskGt: return ~(bit | (bit - 1));
    case Special::kClock: return static_cast<std::uint32_t>(nanoseconds());
    case Special::kClockHi: return nanoseconds() >> 32;
    case Special::kClock64:
    case Special::kGlobaltimer: return nanoseconds();
    case Special::kGlobaltimerLo: return static_cast<std::uint32_t>(nanoseconds());
    case Special::kGlobaltimerHi: return nanoseconds() >> 32;
    case Special::kDynamicSharedSize: return b.dynamic_shared_bytes;
    case Special::kTotalSharedSize: return b.shared_bytes;
    case Special::kZero: return 0;
    default: return cluster_value(b, special);
  }
}

template <class Cell> struct MoveSpecial {
  static void masked(Warp& w, const Op& op) {
    Cell* d = cells<Cell>(w, op.r[0]);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane))
        d[lane] = static_cast<Cell>(special_value(w, static_cast<Special>(op.mode), lane));
    }
  }
};

struct MovePredicateConstant {
  static void masked(Warp& w, const Op& op) {
    write_predicate(w, op.r[0], static_cast<std::uint32_t>(op.imm));
  }
};

/// %is_explicit_cluster: whether the launch or the kernel names a size of clusters.
struct MoveIsExplicitCluster {
  static void masked(Warp& w, const Op& op) {
    write_predicate(w, op.r[0], w.block->cluster->is_explicit ? ~0u : 0);
  }
};

/// mov of vectors: r[0] is the whole, r[1…] the parts of op.bytes each.
struct Pack {
  static void masked(Warp& w, const Op& op) {
    const bool wide = op.bytes * op.count == 8;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      std::uint64_t whole = 0;
      for (int i = 0; i < op.count; ++i) {
        const std::uint64_t part = words(w, op.r[1 + i])[lane];
        const std::uint64_t mask = (std::uint64_t{1} << (8 * op.bytes)) - 1;
        whole |= (part & mask) << (8 * op.bytes * i);
      }
      if (wide) cells<std::uint64_t>(w, op.r[0])[lane] = whole;
      else words(w, op.r[0])[lane] = static_cast<std::uint32_t>(whole);
    }
  }
};

struct Unpack {
  static void masked(Warp& w, const Op& op) {
    const bool wide = op.bytes * op.count == 8;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint64_t whole =
          wide ? cells<std::uint64_t>(w, op.r[0])[lane] : words(w, op.r[0])[lane];
      const std::uint64_t mask = (std::uint64_t{1} << (8 * op.bytes)) - 1;
      for (int i = 0; i < op.count; ++i) {
        words(w, op.r[1 + i])[lane] =
            static_cast<std::uint32_t>((whole >> (8 * op.bytes * i)) & mask);
      }
    }
  }
};

/// shfl: r = {d, a, b, c}, predicate r[5] (PTX ISA 9.0, 9.7.9.6).
struct Shuffle {
  static void masked(Warp& w, const Op& op) {
    std::uint32_t source[kLanes];
    std::memcpy(source, words(w, op.r[1]), sizeof(source));
    std::uint32_t in_range = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint32_t b = words(w, op.r[2])[lane] & 31, c = words(w, op.r[3])[lane];
      const int segment = static_cast<int>((c >> 8) & 31), limit = static_cast<int>(c & 31);
      const int most = (lane & segment) | (limit & ~segment);
      const int least = lane & segment;
      int from = lane;
      bool valid = false;
      switch (op.mode & kShuffleMask) {
        case kShuffleUp: from = lane - static_cast<int>(b), valid = from >= most; break;
        case kShuffleDown: from = lane + static_cast<int>(b), valid = from <= most; break;
        case kShuffleButterfly: from = lane ^ static_cast<int>(b), valid = from <= most; break;
        default: from = least | (static_cast<int>(b) & ~segment), valid = from <= most; break;
      }
      if (!valid) from = lane;
      words(w, op.r[0])[lane] = source[from & 31];
      in_range |= static_cast<std::uint32_t>(valid) << lane;
    }
    if (op.mode & kShufflePredicate) write_predicate(w, op.r[5], in_range);
  }
};

struct Vote {
  static void masked(Warp& w, const Op& op) {
    std::uint32_t bits = w.predicates[op.r[1]] ^ (op.mode & kVoteNegated ? ~0u : 0u);
    bits &= w.active;
    switch (op.mode & kVoteMask) {
      case kVoteAll: write_predicate(w, op.r[0], bits == w.active ? ~0u : 0u); return;
      case kVoteAny: write_predicate(w, op.r[0], bits != 0 ? ~0u : 0u); return;
      case kVoteUniform:
        write_predicate(w, op.r[0], bits == 0 || bits == w.active ? ~0u : 0u);
        return;
      default: break;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane)) words(w, op.r[0])[lane] = bits;
    }
  }
};

struct Match {
  static void masked(Warp& w, const Op& op) {
    std::uint64_t value[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      value[lane] =
          op.mode & kMatchWide ? cells<std::uint64_t>(w, op.r[1])[lane] : words(w, op.r[1])[lane];
    }
    std::uint32_t all_equal = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      std::uint32_t same = 0;
      for (int other = 0; other < kLanes; ++other) {
        if (is_active(w.active, other) && value[other] == value[lane]) same |= 1u << other;
      }
      if (same == w.active) all_equal |= 1u << lane;
      words(w, op.r[0])[lane] = op.mode & kMatchAll ? (same == w.active ? same : 0) : same;
    }
    if (op.mode & kMatchPredicate) write_predicate(w, op.r[5], all_equal);
  }
};

struct ActiveMask {
  static void masked(Warp& w, const Op& op) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane)) words(w, op.r[0])[lane] = w.active;
    }
  }
};

struct Redux {
  static void masked(Warp& w, const Op& op) {
    const std::uint32_t* a = words(w, op.r[1]);
    std::uint32_t result = a[w.first_lane()];
    for (std::uint32_t rest = w.active & (w.active - 1); rest; rest &= rest - 1) {
      result = combined(op.mode, result, a[std::countr_zero(rest)]);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane)) words(w, op.r[0])[lane] = result;
    }
  }
  static std::uint32_t combined(unsigned mode, std::uint32_t a, std::uint32_t b) {
    const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
    const bool less = mode & kReduxSigned ? sa < sb : a < b;
    switch (mode & kReduxMask) {
      case 0: return a + b;
      case 1: return less ? a : b;
      case 2: return less ? b : a;
      case 3: return a & b;
      case 4: return a | b;
      default: return a ^ b;
    }
  }
};

struct Elect {
  static void masked(Warp& w, const Op& op) {
    const int leader = w.first_lane();
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane)) words(w, op.r[0])[lane] = static_cast<std::uint32_t>(leader);
    }
    write_predicate(w, op.r[1], 1u << leader);
  }
};

struct IsInSpace {
  static void masked(Warp& w, const Op& op) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t window = cells<std::uint64_t>(w, op.r[1])[lane] & kWindowMask;
      const bool shared = window == kSharedWindow, local = window == kLocalWindow;
      const bool result = op.mode == 0   ? !shared && !local
                          : op.mode == 1 ? shared
                                         : op.mode == 2 && local;
      bits |= static_cast<std::uint32_t>(result) << lane;
    }
    write_predicate(w, op.r[0], bits);
  }
};

// A read-modify-write of one variable that all host threads share orders their accesses as a fence would,
// and unlike a fence ThreadSanitizer understands it.
struct Fence {
  static void masked(Warp& w, const Op&) {
    static std::atomic<unsigned> order{0};
    order.fetch_add(0, std::memory_order_seq_cst);
    if (w.block->checker) w.block->checker->fence(w);
  }
};
struct Nanosleep {
  static void masked(Warp& w, const Op&) { w.yields = true; }
};
struct Trap {
  static void masked(Warp& w, const Op& op) { fault(w, op, Fault::kTrap, w.first_lane(), 0, 0); }
};

template <class H> constexpr HandlerEntry entry(const char* key) {
  return {key, H::masked, H::masked};
}

// clang-format off
constexpr HandlerEntry kTable[] = {
    entry<MoveSpecial<std::uint32_t>>("mov.special"),
    entry<MoveSpecial<std::uint64_t>>("mov.special.wide"),
    entry<MovePredicateConstant>("mov.pred.constant"),
    entry<MoveIsExplicitCluster>("mov.pred.is_explicit_cluster"),
    entry<Pack>("mov.pack"), entry<Unpack>("mov.unpack"),
    entry<Shuffle>("shfl"), entry<Vote>("vote"), entry<Match>("match"),
    entry<ActiveMask>("activemask"), entry<Redux>("redux"), entry<Elect>("elect"),
    entry<IsInSpace>("isspacep"), entry<Fence>("fence"), entry<Nanosleep>("nanosleep"),
    entry<Trap>("trap"),
};
// clang-format on
struct SpecialName {
  std::string_view name;
  Special special;
};
// clang-format off
constexpr SpecialName kSpecials[] = {
    {"tid.x", Special::kTidX}, {"tid.y", Special::kTidY}, {"tid.z", Special::kTidZ},
    {"ntid.x", Special::kNtidX}, {"ntid.y", Special::kNtidY}, {"ntid.z", Special::kNtidZ},
    {"ctaid.x", Special::kCtaidX}, {"ctaid.y", Special::kCtaidY}, {"ctaid.z", Special::kCtaidZ},
    {"nctaid.x", Special::kNctaidX}, {"nctaid.y", Special::kNctaidY}, {"nctaid.z", Special::kNctaidZ},
    {"laneid", Special::kLaneid}, {"warpid", Special::kWarpid}, {"nwarpid", Special::kNwarpid},
    {"smid", Special::kSmid}, {"nsmid", Special::kNsmid}, {"gridid", Special::kGridid},
    {"lanemask_eq", Special::kLanemaskEq}, {"lanemask_le", Special::kLanemaskLe},
    {"lanemask_lt", Special::kLanemaskLt}, {"lanemask_ge", Special::kLanemaskGe},
    {"lanemask_gt", Special::kLanemaskGt}, {"clock", Special::kClock}, {"clock_hi", Special::kClockHi},
    {"clock64", Special::kClock64}, {"globaltimer", Special::kGlobaltimer},
    {"globaltimer_lo", Special::kGlobaltimerLo}, {"globaltimer_hi", Special::kGlobaltimerHi},
    {"dynamic_smem_size", Special::kDynamicSharedSize}, {"total_smem_size", Special::kTotalSharedSize},
    {"aggr_smem_size", Special::kTotalSharedSize}, {"tid.w", Special::kZero}, {"ctaid.w", Special::kZero},
    {"clusterid.x", Special::kClusteridX}, {"clusterid.y", Special::kClusteridY},
    {"clusterid.z", Special::kClusteridZ}, {"nclusterid.x", Special::kNclusteridX},
    {"nclusterid.y", Special::kNclusteridY}, {"nclusterid.z", Special::kNclusteridZ},
    {"cluster_ctaid.x", Special::kClusterCtaidX}, {"cluster_ctaid.y", Special::kClusterCtaidY},
    {"cluster_ctaid.z", Special::kClusterCtaidZ}, {"cluster_nctaid.x", Special::kClusterNctaidX},
    {"cluster_nctaid.y", Special::kClusterNctaidY}, {"cluster_nctaid.z", Special::kClusterNctaidZ},
    {"cluster_ctarank", Special::kClusterCtarank}, {"cluster_nctarank", Special::kClusterNctarank},
};
// clang-format on
}  // namespace

HandlerSpan handlers_warp() { return {kTable, std::size(kTable)}; }

std::optional<Special> find_special(std::string_view name) {
  for (const SpecialName& s : kSpecials) {
    if (s.name == name) return s.special;
  }
  return std::nullopt;
}

}  // namespace tilewise::vgpu
