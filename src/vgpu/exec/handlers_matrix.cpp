// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// mma.sync, ldmatrix, stmatrix, movmatrix: what a whole warp does together (PTX ISA 9.0, section 9.7.14).
#include <array>
#include <cstring>
#include <iterator>

#include "model/access.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/matrix_modes.hpp"
#include "vgpu/exec/matrix_op.hpp"
#include "vgpu/exec/shared_access.hpp"
#include "vgpu/exec/small_float.hpp"
#include "vgpu/exec/whole_warp.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint32_t kAllLanes = 0xFFFFFFFFu;
constexpr int kRowBytes = 16, kMatrixRows = 8;

void gather(const Warp& w, const Fragment& f, std::uint32_t* matrix) {
  const std::uint32_t* offsets = w.worker->program->operands.data() + f.first;
  const std::uint16_t* cell = f.cells.data();
  const std::uint32_t mask = f.element_bits == 32 ? ~0u : (1u << f.element_bits) - 1;
  for (int r = 0; r < f.registers / f.copies; ++r) {  // the hardware looks at no copy either
    const std::uint32_t* lanes = cells<std::uint32_t>(w, offsets[r]);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < f.elements; ++e)
        matrix[*cell++] = lanes[lane] >> (e * f.element_bits) & mask;
    }
  }
}

void scatter(const Warp& w, const Fragment& f, const std::uint32_t* matrix) {
  const std::uint32_t* offsets = w.worker->program->operands.data() + f.first;
  const std::uint16_t* cell = f.cells.data();
  for (int r = 0; r < f.registers; ++r) {
    std::uint32_t* lanes = cells<std::uint32_t>(w, offsets[r]);
    for (int lane = 0; lane < kLanes; ++lane) {
      std::uint32_t value = 0;
      for (int e = 0; e < f.elements; ++e) value |= matrix[*cell++] << (e * f.element_bits);
      lanes[lane] = value;
    }
  }
}

// Registers of a fragment of f64, read into a matrix or written from one.
template <class Move> void each_f64(const Warp& w, const Fragment& f, Move move) {
  const std::uint32_t* offsets = w.worker->program->operands.data() + f.first;
  const std::uint16_t* cell = f.cells.data();
  for (int r = 0; r < f.registers; ++r) {
    std::uint64_t* lanes = cells<std::uint64_t>(w, offsets[r]);
    for (int lane = 0; lane < kLanes; ++lane) move(lanes[lane], *cell++);
  }
}

// All sources are read before a result is written: they may share registers.
struct Mma {
  static constexpr std::size_t kMostCells = 1024;
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    const MatrixOp& m = w.worker->program->matrix_ops[static_cast<std::size_t>(op.imm)];
    std::array<std::uint32_t, kMostCells> a, b, c;
    gather(w, m.a, a.data());
    gather(w, m.b, b.data());
    gather(w, m.c, c.data());
    if (m.narrow_c) each_cell(m, c.data(), widened);
    multiply(m.product, w.worker->numerics, a.data(), b.data(), c.data(), c.data());
    if (m.narrow_d) each_cell(m, c.data(), narrowed);
    scatter(w, m.d, c.data());
    ++w.worker->matrix_runs[static_cast<std::size_t>(op.imm)];
  }

  // f16 as f32 and back, rounded to nearest even.
  static std::uint32_t widened(std::uint32_t cell) {
    return put<float>(static_cast<float>(F16::decode(static_cast<std::uint16_t>(cell))));
  }
  static std::uint32_t narrowed(std::uint32_t cell) {
    return F16::encode(static_cast<double>(get<float>(cell)), kRoundNearest);
  }
  static void each_cell(const MatrixOp& m, std::uint32_t* matrix,
                        std::uint32_t (*convert)(std::uint32_t)) {
    for (int i = 0; i < m.product.m * m.product.n; ++i) matrix[i] = convert(matrix[i]);
  }
};

struct MmaF64 {
  static constexpr std::size_t kMostCells = 256;
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    const MatrixOp& m = w.worker->program->matrix_ops[static_cast<std::size_t>(op.imm)];
    std::array<double, kMostCells> a, b, c;
    const auto read_into = [](std::array<double, kMostCells>& matrix) {
      return [&matrix](std::uint64_t bits, int cell) { matrix[cell] = get<double>(bits); };
    };
    each_f64(w, m.a, read_into(a));
    each_f64(w, m.b, read_into(b));
    each_f64(w, m.c, read_into(c));
    multiply_f64(m.product.m, m.product.n, m.product.k, a.data(), b.data(), c.data(), c.data());
    each_f64(w, m.d, [&](std::uint64_t& bits, int cell) { bits = put<double>(c[cell]); });
    ++w.worker->matrix_runs[static_cast<std::size_t>(op.imm)];
  }
};

/// Addresses of the rows, one a lane: lanes 0-7 those of the first matrix, and so on.
struct RowAddresses {
  model::LaneAddresses at{};
  std::byte* memory[kLanes];

  RowAddresses(Warp& w, const Op& op) {
    const auto offset = static_cast<std::uint64_t>(op.imm);
    for (int lane = 0; lane < kMatrixRows * op.count; ++lane) {
      at[lane] = op.mode & kMatrixWideAddress
                     ? cells<std::uint64_t>(w, op.r[0])[lane] + offset
                     : static_cast<std::uint32_t>(cells<std::uint32_t>(w, op.r[0])[lane] + offset);
      if ((op.mode & kMatrixGeneric) && (at[lane] & kWindowMask) == kSharedWindow)
        at[lane] &= ~kWindowMask;
      memory[lane] = shared_memory_at(w, op, lane, at[lane], kRowBytes, kRowBytes);
    }
  }
};

// Costs do not change when all rows move by a multiple of four bytes, so a pattern that repeats is priced
// once.
void count_rows(Warp& w, const Op& op, const RowAddresses& rows) {
  AccessSite& site = w.worker->site_data[op.site];
  AccessPattern& p = site.patterns[0];
  const int lanes = kMatrixRows * op.count;
  bool same = p.mask != 0;
  for (int lane = 0; lane < lanes && same; ++lane)
    same = p.deltas[lane] == rows.at[lane] - rows.at[0];
  if (!same) {
    const model::SharedCost cost = model::shared_matrix(rows.at, op.count);
    p.mask = kAllLanes;
    for (int lane = 0; lane < lanes; ++lane) p.deltas[lane] = rows.at[lane] - rows.at[0];
    p.wavefronts = static_cast<std::uint32_t>(cost.wavefronts);
    p.conflicts = static_cast<std::uint32_t>(cost.conflicts);
  }
  ++site.instructions;
  site.wavefronts += p.wavefronts;
  site.conflicts += p.conflicts;
}

void tell_checker(Warp& w, const Op& op, const RowAddresses& rows, bool is_store) {
  const int lanes = kMatrixRows * op.count;
  for (int first = 0, end = 1; first < lanes; first = end++) {
    while (end < lanes && rows.at[end] == rows.at[end - 1] + kRowBytes) ++end;
    w.block->checker->access_shared_range(w, op.instruction, rows.at[first],
                                          static_cast<std::uint32_t>((end - first) * kRowBytes),
                                          is_store);
  }
}

using Matrix = std::array<std::array<std::uint16_t, 8>, kMatrixRows>;

/// A lane holds two neighbours of row lane / 4; of the transposed matrix when `transposed`.
std::uint32_t two_elements(const Matrix& m, int lane, bool transposed) {
  const int row = lane / 4, column = lane % 4 * 2;
  const std::uint32_t low = transposed ? m[column][row] : m[row][column];
  const std::uint32_t high = transposed ? m[column + 1][row] : m[row][column + 1];
  return low | high << 16;
}

void put_two_elements(Matrix& m, int lane, bool transposed, std::uint32_t value) {
  const int row = lane / 4, column = lane % 4 * 2;
  (transposed ? m[column][row] : m[row][column]) = static_cast<std::uint16_t>(value);
  (transposed ? m[column + 1][row] : m[row][column + 1]) = static_cast<std::uint16_t>(value >> 16);
}

template <bool kCounting> struct LoadMatrix {
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    const RowAddresses rows(w, op);
    if constexpr (kCounting) count_rows(w, op, rows);
    if (w.block->checker) tell_checker(w, op, rows, false);
    for (int i = 0; i < op.count; ++i) {
      Matrix m;
      for (int row = 0; row < kMatrixRows; ++row)
        std::memcpy(m[row].data(), rows.memory[kMatrixRows * i + row], kRowBytes);
      std::uint32_t* d = cells<std::uint32_t>(w, op.r[1 + i]);
      for (int lane = 0; lane < kLanes; ++lane)
        d[lane] = two_elements(m, lane, op.mode & kMatrixTransposed);
    }
  }
};

template <bool kCounting> struct StoreMatrix {
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    const RowAddresses rows(w, op);
    if constexpr (kCounting) count_rows(w, op, rows);
    if (w.block->checker) tell_checker(w, op, rows, true);
    for (int i = 0; i < op.count; ++i) {
      Matrix m;
      const std::uint32_t* s = cells<std::uint32_t>(w, op.r[1 + i]);
      for (int lane = 0; lane < kLanes; ++lane)
        put_two_elements(m, lane, op.mode & kMatrixTransposed, s[lane]);
      for (int row = 0; row < kMatrixRows; ++row)
        std::memcpy(rows.memory[kMatrixRows * i + row], m[row].data(), kRowBytes);
    }
  }
};

struct MoveMatrix {
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    Matrix m;
    const std::uint32_t* a = cells<std::uint32_t>(w, op.r[1]);
    for (int lane = 0; lane < kLanes; ++lane) put_two_elements(m, lane, false, a[lane]);
    std::uint32_t* d = cells<std::uint32_t>(w, op.r[0]);
    for (int lane = 0; lane < kLanes; ++lane) d[lane] = two_elements(m, lane, true);
  }
};

constexpr HandlerEntry kTable[] = {
    {"mma", Mma::masked, Mma::masked},
    {"mma.f64", MmaF64::masked, MmaF64::masked},
    {"movmatrix", MoveMatrix::masked, MoveMatrix::masked},
};
constexpr HandlerEntry kCounted[] = {
    {"ldmatrix", LoadMatrix<true>::masked, LoadMatrix<true>::masked},
    {"stmatrix", StoreMatrix<true>::masked, StoreMatrix<true>::masked},
};
constexpr HandlerEntry kPlain[] = {
    {"ldmatrix", LoadMatrix<false>::masked, LoadMatrix<false>::masked},
    {"stmatrix", StoreMatrix<false>::masked, StoreMatrix<false>::masked},
};

}  // namespace

HandlerTables handlers_matrix() {
  return {
      {kTable, std::size(kTable)}, {kCounted, std::size(kCounted)}, {kPlain, std::size(kPlain)}};
}

}  // namespace tilewise::vgpu
