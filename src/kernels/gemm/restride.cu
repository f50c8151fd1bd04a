// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies factors to where each row begins at a multiple of 16 bytes: what TMA asks for. Memory is read and written
// in aligned pieces of 16 bytes. A row that begins within a piece is shifted on the way: a thread makes a piece of
// the copy out of the two that hold it, and its neighbour finds the second of them in the cache.
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/restride.hpp"
#include "kernels/ptx/grid.cuh"

namespace {

using namespace tilewise::kernels;
using Half = unsigned short;

constexpr int kOfPiece = 8;  // halves

// A row of the source: the halves from `begin` to `end`.
struct Row {
  const Half *begin, *end;
};

// The aligned piece at `piece`, of which only what belongs to the row is read.
__device__ __forceinline__ uint4 load_piece(const Half* piece, const Row& row) {
  if (piece >= row.begin && piece + kOfPiece <= row.end)
    return *reinterpret_cast<const uint4*>(piece);
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < kOfPiece; ++i) {
    if (piece + i >= row.begin && piece + i < row.end)
      words[i / 2] |= unsigned{piece[i]} << (i % 2 * 16);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// 16 bytes from byte `shift`, an even number below 16, of two neighbours on.
__device__ __forceinline__ uint4 shifted(const uint4& first, const uint4& second, unsigned shift) {
  unsigned w[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
  if (shift & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) w[i] = w[i + 2];
  }
  if (shift & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) w[i] = w[i + 1];
  }
  const unsigned bits = shift % 4 * 8;
  return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                    __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

}  // namespace

// Blocks in x: of A, then of B, those of a row next to each other. In z the matrices of a batch.
extern "C" __global__ void __launch_bounds__(kRestrideThreads)
    gemm_restride(const __grid_constant__ RestrideArguments r) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (blockIdx.x == 0 && blockIdx.z == 0) {
    for (int i = static_cast<int>(threadIdx.x); i < r.arrivals_count; i += kRestrideThreads)
      r.arrivals[i] = 0;
  }
  const bool is_b = blockIdx.x >= r.factors[0].blocks;
  const RestrideFactor& f = r.factors[is_b];
  if (static_cast<int>(blockIdx.z) >= f.matrices) return;
  const unsigned block = blockIdx.x - (is_b ? r.factors[0].blocks : 0);
  const unsigned lanes = 1u << f.lanes_log2, rows_at_a_time = kRestrideThreads >> f.lanes_log2;
  const unsigned lane = threadIdx.x & (lanes - 1);
  const long long column = (static_cast<long long>(block % f.across) * lanes + lane) * kOfPiece;
  const long long first =
      static_cast<long long>(block / f.across) * rows_at_a_time * kRestridePieces +
      (threadIdx.x >> f.lanes_log2);
  if (column >= f.width) return;
  const Half* const source = gemm::matrix_of<Half>(f.source);
  Half* const to = static_cast<Half*>(f.to) + blockIdx.z * f.stride + column;

  // All loads before the first store, so that they are on their way at the same time.
  uint4 pieces[kRestridePieces][2];
  unsigned shifts[kRestridePieces];
#pragma unroll
  for (int i = 0; i < kRestridePieces; ++i) {
    const long long at = first + i * rows_at_a_time;
    if (at >= f.rows) break;
    const Half* const begin = source + at * f.source.leading_dimension;
    const Row row{begin, begin + f.width};
    const auto address = reinterpret_cast<size_t>(begin + column);
    shifts[i] = address % 16;
    const Half* const piece = reinterpret_cast<const Half*>(address - address % 16);
    pieces[i][0] = load_piece(piece, row);
    pieces[i][1] = shifts[i] == 0 ? make_uint4(0, 0, 0, 0) : load_piece(piece + kOfPiece, row);
  }
#pragma unroll
  for (int i = 0; i < kRestridePieces; ++i) {
    const long long at = first + i * rows_at_a_time;
    if (at >= f.rows) break;
    *reinterpret_cast<uint4*>(to + at * f.pitch) = shifted(pieces[i][0], pieces[i][1], shifts[i]);
  }
}
