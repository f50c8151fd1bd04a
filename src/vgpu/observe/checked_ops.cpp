// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Handlers that run the original one and then tell the checker. The address of the first active lane is
// read before, because a load may overwrite the register it comes from; the other lanes follow from the
// pattern that the original handler has found.
#include "vgpu/observe/checked_ops.hpp"

namespace tilewise::vgpu {
namespace {

template <class Address> std::uint64_t first_address(const Warp& w, const Op& op) {
  const auto* lanes = reinterpret_cast<const Address*>(w.registers + op.r[0]);
  return static_cast<Address>(lanes[w.first_lane()] + static_cast<Address>(op.imm));
}

const Op& original(const Warp& w, const Op& op) {
  return w.worker->unchecked_ops[&op - w.worker->checked_ops];
}

enum Which { kFull, kMasked, kBody };

template <Which kWhich> void run_original(Warp& w, const Op& op) {
  const Op& o = original(w, op);
  (kWhich == kFull ? o.full : kWhich == kMasked ? o.masked : o.body)(w, o);
}

void tell_held_use(Warp& w, const Op& op) {
  w.block->checker->held_use(w, op, static_cast<std::uint32_t>(&op - w.worker->checked_ops));
}

template <class Address, bool kHeld> struct Access {
  template <Which kWhich> static void run(Warp& w, const Op& op) {
    if constexpr (kHeld) tell_held_use(w, op);
    const std::uint64_t first = first_address<Address>(w, op);
    run_original<kWhich>(w, op);
    w.block->checker->access(w, op, first);
  }
};

struct Held {
  template <Which kWhich> static void run(Warp& w, const Op& op) {
    tell_held_use(w, op);
    run_original<kWhich>(w, op);
  }
};

template <class Wrapper> void wrap(Op& op) {
  if (op.body) {
    op.body = Wrapper::template run<kBody>;
  } else {
    op.full = Wrapper::template run<kFull>;
    op.masked = Wrapper::template run<kMasked>;
  }
}

template <class Address> void wrap_access(Op& op, bool is_held) {
  if (is_held) wrap<Access<Address, true>>(op);
  else wrap<Access<Address, false>>(op);
}

}  // namespace

std::vector<Op> checked_ops(const LaunchChecker& launch, const Op* ops) {
  const Program& program = launch.findings.program();
  std::vector<Op> result(ops, ops + program.ops.size());
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    Op& op = result[i];
    const bool is_held = launch.held_uses.contains(i);
    const Site* site = op.site >= 0 ? &program.sites[op.site] : nullptr;
    if (site && site->has_pattern && site->space != ptx::Space::kConst) {
      if (site->wide_address) wrap_access<std::uint64_t>(op, is_held);
      else wrap_access<std::uint32_t>(op, is_held);
    } else if (is_held) {
      wrap<Held>(op);
    }
  }
  return result;
}

}  // namespace tilewise::vgpu
