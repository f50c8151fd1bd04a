// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Handlers that run the original one and then tell the checker. The address of the first active lane is
// read before, because a load may overwrite the register it comes from; the other lanes follow from the
// pattern that the original handler has found.
#include "vgpu/observe/checked_ops.hpp"

#include "vgpu/observe/checker.hpp"

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

template <class Address, Which kWhich> void run_checked(Warp& w, const Op& op) {
  const std::uint64_t first = first_address<Address>(w, op);
  const Op& o = original(w, op);
  (kWhich == kFull ? o.full : kWhich == kMasked ? o.masked : o.body)(w, o);
  w.block->checker->access(w, op, first);
}

template <class Address> void wrap(Op& op) {
  if (op.body) {
    op.body = run_checked<Address, kBody>;
  } else {
    op.full = run_checked<Address, kFull>;
    op.masked = run_checked<Address, kMasked>;
  }
}

}  // namespace

std::vector<Op> checked_ops(const Program& program, const Op* ops) {
  std::vector<Op> result(ops, ops + program.ops.size());
  for (Op& op : result) {
    if (op.site < 0) continue;
    const Site& site = program.sites[op.site];
    if (!site.has_pattern || site.space == ptx::Space::kConst) continue;
    if (site.wide_address) wrap<std::uint64_t>(op);
    else wrap<std::uint32_t>(op);
  }
  return result;
}

}  // namespace tilewise::vgpu
