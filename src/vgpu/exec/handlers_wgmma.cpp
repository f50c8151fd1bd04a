// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma: each warp of a warpgroup multiplies its 16 rows of A with all of B. Registers and shared memory are
// read, and D is written, when the operation takes effect; those of a warp do so in order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>

#include "tilewise/error.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/wgmma_op.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint32_t kAllLanes = 0xFFFFFFFFu;
constexpr int kGroupWarps = 4;
constexpr std::size_t kMostColumns = 256, kMostDepth = 32;

AsyncQueue& queue_of(const Warp& w) { return w.block->cluster->queue; }

[[noreturn]] void fail(const Warp& w, const Op& op, const std::string& what) {
  misbehave(w, op.instruction, w.first_lane(), "bounds", "misuse of wgmma", what);
}

void expect_warpgroup(const Warp& w, const Op& op) {
  if (w.active != kAllLanes) fault(w, op, Fault::kPartialWarp, w.first_lane(), w.active, 0);
  const Dim3& block = w.block->block;
  const std::uint64_t warps = (block.count() + kLanes - 1) / kLanes;
  if (static_cast<std::uint64_t>(w.index / kGroupWarps * kGroupWarps + kGroupWarps) > warps) {
    fail(w, op,
         fmt::format("executes wgmma in a warpgroup of {} warps, it needs 4", warps % kGroupWarps));
  }
}

std::uint32_t sign_of(MatrixType type) {
  switch (type) {
    case MatrixType::kTf32: return 0x8000'0000u;
    case MatrixType::kF16:
    case MatrixType::kBf16: return 0x8000u;
    default: return 0x80u;
  }
}

/// One warp's operation, ready to take effect.
struct Product {
  Warp* warp;
  const Op* op;
  std::uint64_t a_descriptor = 0, b_descriptor = 0;
  bool accumulates = true;

  const WgmmaOp& facts() const { return program().wgmma_ops[op->imm]; }
  const MatrixOp& matrix() const { return program().matrix_ops[facts().matrix]; }
  const Program& program() const { return *warp->worker->program; }

  void run() const {
    const MatrixProduct& p = matrix().product;
    std::array<std::uint32_t, kWarpRows * kMostDepth> a;
    std::array<std::uint32_t, kMostColumns * kMostDepth> b;
    std::array<std::uint32_t, kWarpRows * kMostColumns> d;
    const auto row = static_cast<std::uint32_t>(warp->index % kGroupWarps * kWarpRows);
    if (facts().a_in_registers) {
      gather_fragment(matrix().a, a.data());
      negate(a.data(), kWarpRows * p.k, p.a, facts().negates_a);
    } else {
      from_shared("A", a_descriptor, facts().a_major, row, kWarpRows, p.a, facts().negates_a,
                  a.data());
    }
    from_shared("B", b_descriptor, facts().b_major, 0, static_cast<std::uint32_t>(p.n), p.b,
                facts().negates_b, b.data());
    if (accumulates) gather_fragment(matrix().c, d.data());
    else std::fill_n(d.begin(), kWarpRows * p.n, 0u);
    multiply(p, warp->worker->numerics, a.data(), b.data(), d.data(), d.data());
    scatter_fragment(matrix().d, d.data());
  }

  // Rows of A or columns of B, a cell of 32 bits for each element.
  void from_shared(const char* name, std::uint64_t descriptor, MatrixMajor major,
                   std::uint32_t first, std::uint32_t rows, MatrixType type, bool negates,
                   std::uint32_t* to) const {
    std::array<std::byte, kMostColumns * kDepthBytes> bytes;
    const BlockState& block = *warp->block;
    const std::span<const std::byte> shared(block.shared + block.shared_begin, block.shared_bytes);
    const auto outside = gather(MatrixDescriptor(descriptor, block.reserved_shared), major, first,
                                rows, shared, bytes.data());
    if (outside) {
      fail(*warp, *op,
           fmt::format("reads matrix {} at offset {} of shared memory, but the block has {} bytes "
                       "(descriptor {:#018x})",
                       name, *outside, block.shared_bytes, descriptor));
    }
    const int size = bits_of(type) / 8;
    const std::uint32_t cells = rows * kDepthBytes / static_cast<std::uint32_t>(size);
    if (size == 4) {
      std::memcpy(to, bytes.data(), rows * kDepthBytes);
    } else if (size == 2) {
      widen<std::uint16_t>(bytes.data(), cells, to);
    } else {
      widen<std::uint8_t>(bytes.data(), cells, to);
    }
    negate(to, static_cast<int>(cells), type, negates);
  }

  template <class Element>
  static void widen(const std::byte* from, std::uint32_t cells, std::uint32_t* to) {
    for (std::uint32_t i = 0; i < cells; ++i) {
      Element element;
      std::memcpy(&element, from + i * sizeof(Element), sizeof(Element));
      to[i] = element;
    }
  }

  static void negate(std::uint32_t* matrix, int cells, MatrixType type, bool negates) {
    if (!negates) return;
    for (int i = 0; i < cells; ++i) matrix[i] ^= sign_of(type);
  }

  void gather_fragment(const Fragment& f, std::uint32_t* to) const {
    const std::uint32_t* offsets = program().operands.data() + f.first;
    const std::uint16_t* cell = f.cells.data();
    const std::uint32_t mask = f.element_bits == 32 ? ~0u : (1u << f.element_bits) - 1;
    for (int r = 0; r < f.registers; ++r) {
      const std::uint32_t* lanes = cells<std::uint32_t>(*warp, offsets[r]);
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int e = 0; e < f.elements; ++e)
          to[*cell++] = lanes[lane] >> (e * f.element_bits) & mask;
      }
    }
  }

  void scatter_fragment(const Fragment& f, const std::uint32_t* from) const {
    const std::uint32_t* offsets = program().operands.data() + f.first;
    const std::uint16_t* cell = f.cells.data();
    for (int r = 0; r < f.registers; ++r) {
      std::uint32_t* lanes = cells<std::uint32_t>(*warp, offsets[r]);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::uint32_t value = 0;
        for (int e = 0; e < f.elements; ++e) value |= from[*cell++] << (e * f.element_bits);
        lanes[lane] = value;
      }
    }
  }
};

struct Wgmma {
  static void masked(Warp& w, const Op& op) {
    expect_warpgroup(w, op);
    Product product{&w, &op};
    const WgmmaOp& facts = product.facts();
    if (!facts.a_in_registers) product.a_descriptor = cells<std::uint64_t>(w, op.r[0])[0];
    product.b_descriptor = cells<std::uint64_t>(w, op.r[1])[0];
    product.accumulates = facts.constant_scale;
    if (facts.scale_predicate >= 0) {
      product.accumulates =
          is_active(w.predicates[facts.scale_predicate], 0) != facts.scale_negated;
    }
    ++w.worker->matrix_runs[facts.matrix];
    if (w.block->checker) tell_checker(w, op, product);
    AsyncQueue& queue = queue_of(w);
    if (queue.order() == AsyncOrder::kEarliest) return product.run();
    w.matrix_groups.add(queue.add(chain_of(w), [product] { product.run(); }), w.active);
  }

  static void tell_checker(Warp& w, const Op& op, const Product& product) {
    Checker& checker = *w.block->checker;
    const WgmmaOp& facts = product.facts();
    const auto row = static_cast<std::uint32_t>(w.index % kGroupWarps * kWarpRows);
    if (!facts.a_in_registers)
      checker.matrix_read(w, op, product.a_descriptor, facts.a_major, row, kWarpRows);
    checker.matrix_read(w, op, product.b_descriptor, facts.b_major, 0,
                        static_cast<std::uint32_t>(product.matrix().product.n));
    checker.matrix_registers(w, op);
  }

  static std::uint64_t chain_of(const Warp& w) {
    return 1 + (std::uint64_t{w.block->rank} << 8) + static_cast<std::uint64_t>(w.index);
  }
};

struct CommitProducts {
  static void masked(Warp& w, const Op&) {
    if (w.block->checker) w.block->checker->commit_group(w, Checker::kMatrix);
    if (queue_of(w).order() != AsyncOrder::kEarliest) w.matrix_groups.commit(w.active);
  }
};

struct WaitForProducts {
  static void masked(Warp& w, const Op& op) {
    if (w.block->checker)
      w.block->checker->wait_group(w, Checker::kMatrix, static_cast<std::uint64_t>(op.imm));
    if (queue_of(w).order() == AsyncOrder::kEarliest) return;
    // The four warps of a warpgroup are never far apart: none overwrites what another has yet to multiply.
    if (queue_of(w).order() == AsyncOrder::kSoon) w.yields = true;
    for (const AsyncTicket t : w.matrix_groups.due(static_cast<std::uint64_t>(op.imm), w.active))
      queue_of(w).complete(t);
  }
};

/// mov.b32 of a register that wgmma accumulates in.
struct SettledMove {
  static void masked(Warp& w, const Op& op) {
    for (const AsyncTicket t : w.matrix_groups.all(w.active)) queue_of(w).complete(t);
    std::uint32_t* to = cells<std::uint32_t>(w, op.r[0]);
    const std::uint32_t* from = cells<std::uint32_t>(w, op.r[1]);
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1)
      to[std::countr_zero(rest)] = from[std::countr_zero(rest)];
  }
};

struct Fence {
  static void masked(Warp& w, const Op&) {
    if (w.block->checker) w.block->checker->matrix_fence(w);
  }
};

constexpr HandlerEntry kTable[] = {
    {"wgmma.mma_async", Wgmma::masked, Wgmma::masked},
    {"wgmma.commit_group", CommitProducts::masked, CommitProducts::masked},
    {"wgmma.wait_group", WaitForProducts::masked, WaitForProducts::masked},
    {"wgmma.fence", Fence::masked, Fence::masked},
    {"mov.b32.settled", SettledMove::masked, SettledMove::masked},
};

}  // namespace

HandlerSpan handlers_wgmma() { return {kTable, std::size(kTable)}; }

}  // namespace tilewise::vgpu
