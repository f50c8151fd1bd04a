// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// st.async and red.async: stores to and reductions in the shared memory of a block of the cluster, which tell
// an mbarrier there how many bytes have come (PTX ISA 9.0, sections 9.7.9.12 and 9.7.13.7).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "tilewise/error.hpp"
#include "vgpu/exec/async_modes.hpp"
#include "vgpu/exec/bulk_reduction.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/mbarrier.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::size_t kMostValues = 4;  ///< of a vector; of eight bytes each only two

/// One lane's part, and where it goes.
struct RemoteStore {
  std::byte* to = nullptr;
  std::byte* barrier = nullptr;
  std::uint64_t barrier_address = 0;
  int bytes = 0;
  std::array<std::byte, 8 * kMostValues> value{};
};

std::byte* place(const Warp& w, const Op& op, int lane, std::uint32_t offset, std::int64_t add,
                 int bytes, const char* what) {
  const std::uint64_t address =
      cells<std::uint32_t>(w, offset)[lane] + static_cast<std::uint64_t>(add);
  std::byte* const at = shared_memory(*w.block, address, static_cast<unsigned>(bytes));
  if (at != nullptr && address % static_cast<unsigned>(bytes) == 0) return at;
  misbehave(w, op.instruction, lane, "bounds", "access out of bounds",
            fmt::format("gives the shared address {:#x} for {}, which is no place of {} aligned "
                        "bytes in its cluster",
                        address, what, bytes));
}

void finish(const Warp& w, const Op& op, int lane, const RemoteStore& store) {
  const Mbarrier::Trouble trouble = Mbarrier(store.barrier).complete_bytes(store.bytes);
  ++w.block->cluster->events;
  if (trouble != Mbarrier::Trouble::kNone) {
    misbehave(w, op.instruction, lane, "sync", "mbarrier misuse",
              fmt::format("reports its bytes: {}", describe(trouble)));
  }
  if (w.block->checker) w.block->checker->mbarrier_changed(store.barrier_address);
}

/// r = {address, mbarrier, values…}.
template <class Effect> void issue(Warp& w, const Op& op, bool is_strong, Effect effect) {
  const AsyncCopyFacts& facts = w.worker->program->async_copies[op.imm];
  ClusterState* const cluster = w.block->cluster;
  for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    RemoteStore store;
    store.bytes = facts.bytes;
    store.to = place(w, op, lane, op.r[0], facts.destination_offset, facts.bytes, "its data");
    store.barrier = place(w, op, lane, op.r[1], facts.source_offset, 8, "its mbarrier");
    store.barrier_address =
        cells<std::uint32_t>(w, op.r[1])[lane] + static_cast<std::uint64_t>(facts.source_offset);
    for (std::size_t i = 0; i < std::min<std::size_t>(op.count, kMostValues); ++i) {
      if (op.bytes == 8) {
        std::memcpy(&store.value[8 * i], &cells<std::uint64_t>(w, op.r[2 + i])[lane], 8);
      } else {
        std::memcpy(&store.value[4 * i], &cells<std::uint32_t>(w, op.r[2 + i])[lane], 4);
      }
    }
    if (w.block->checker) {
      const std::uint64_t to = cells<std::uint32_t>(w, op.r[0])[lane] +
                               static_cast<std::uint64_t>(facts.destination_offset);
      w.block->checker->reporting_access(w, op.instruction, to,
                                         static_cast<std::uint32_t>(facts.bytes),
                                         store.barrier_address, true, is_strong);
      w.block->checker->reporting_bytes(store.barrier_address,
                                        static_cast<std::uint64_t>(facts.bytes));
    }
    cluster->queue.add(AsyncQueue::kNoChain, [=, warp = &w, what = &op] {
      effect(store);
      finish(*warp, *what, lane, store);
    });
  }
}

struct StoreAsync {
  static void masked(Warp& w, const Op& op) {
    issue(w, op, false, [](const RemoteStore& store) {
      std::memcpy(store.to, store.value.data(), static_cast<std::size_t>(store.bytes));
    });
  }
};

struct ReduceAsync {
  static void masked(Warp& w, const Op& op) {
    const auto reduction = static_cast<BulkReduction>(op.mode & 0xF);
    const auto type = static_cast<TensorType>(op.mode >> 4);
    issue(w, op, true, [reduction, type](const RemoteStore& store) {
      reduce(reduction, type, store.to, store.value.data(),
             static_cast<std::uint64_t>(store.bytes));
    });
  }
};

constexpr HandlerEntry kTable[] = {
    {"st.async", StoreAsync::masked, StoreAsync::masked},
    {"red.async", ReduceAsync::masked, ReduceAsync::masked},
};

}  // namespace

HandlerSpan handlers_remote() { return {kTable, std::size(kTable)}; }

}  // namespace tilewise::vgpu
