// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies factors to where each row begins at a multiple of 16 bytes: what TMA asks for. Memory is read and written
// in aligned pieces of 16 bytes. A row that begins within a piece is shifted on the way: a thread makes a piece of
// the copy out of the two that hold it, and its neighbour finds the second of them in the cache.
//
// Nothing outside of a row is read. So the pieces at its ends are copied element by element, by other threads: the
// rest, nearly all, asks for no bounds, and is little code. Code that is met for the first time costs more than what it
// does (docs/lab/gpu_gemm.md).
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/restride.hpp"
#include "kernels/ptx/grid.cuh"

namespace {

using namespace tilewise::kernels;
using Half = unsigned short;

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

// Block number `block` of those that copy all but the ends of rows.
__device__ __forceinline__ void copy_insides(const RestrideFactor& f, const Half* source, Half* to,
                                             unsigned block) {
  const unsigned lanes = 1u << f.lanes_log2, rows_at_a_time = kRestrideThreads >> f.lanes_log2;
  const unsigned down = block / f.across, across = block - down * f.across;
  const long long piece = 1 + static_cast<long long>(across) * lanes + (threadIdx.x & (lanes - 1));
  const long long row = static_cast<long long>(down) * rows_at_a_time * kRestridePieces +
                        (threadIdx.x >> f.lanes_log2);
  if ((piece + kRestrideEnds - 1) * kRestridePiece >= f.width) return;
  const char* from = reinterpret_cast<const char*>(source + row * f.source.leading_dimension +
                                                   piece * kRestridePiece);
  const long long step = rows_at_a_time * f.source.leading_dimension * sizeof(Half);
  to += row * f.pitch + piece * kRestridePiece;
  const long long left = f.rows - row;

  // All loads before the first store, so that they are on their way at the same time.
  uint4 pieces[kRestridePieces][2];
#pragma unroll
  for (int i = 0; i < kRestridePieces; ++i) {
    if (i * rows_at_a_time >= left) break;
    const char* const at = from + i * step;
    const unsigned shift = reinterpret_cast<size_t>(at) % 16;
    pieces[i][0] = *reinterpret_cast<const uint4*>(at - shift);
    pieces[i][1] = make_uint4(0, 0, 0, 0);
    if (shift != 0) pieces[i][1] = *reinterpret_cast<const uint4*>(at - shift + 16);
  }
#pragma unroll
  for (int i = 0; i < kRestridePieces; ++i) {
    if (i * rows_at_a_time >= left) break;
    const unsigned shift = reinterpret_cast<size_t>(from + i * step) % 16;
    *reinterpret_cast<uint4*>(to + i * rows_at_a_time * f.pitch) =
        shifted(pieces[i][0], pieces[i][1], shift);
  }
}

// Block number `block` of those that copy the ends of rows, zeros behind them. A row that is short is all ends.
__device__ __forceinline__ void copy_ends(const RestrideFactor& f, const Half* source, Half* to,
                                          unsigned block) {
  const long long number = static_cast<long long>(block) * kRestrideThreads + threadIdx.x;
  const long long row = number / kRestrideEnds, end = number - row * kRestrideEnds;
  const long long pieces = (f.width + kRestridePiece - 1) / kRestridePiece;
  const long long piece = end == 0 ? 0 : pieces - kRestrideEnds + end;
  if (row >= f.rows || (end > 0 && piece <= 0)) return;
  const Half* const from = source + row * f.source.leading_dimension + piece * kRestridePiece;
  const long long left = f.width - piece * kRestridePiece;
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < kRestridePiece; ++i)
    if (i < left) words[i / 2] |= unsigned{from[i]} << (i % 2 * 16);
  *reinterpret_cast<uint4*>(to + row * f.pitch + piece * kRestridePiece) =
      make_uint4(words[0], words[1], words[2], words[3]);
}

}  // namespace

// Blocks in x: of A, then of B, those of a row next to each other, then of its rows' ends. In z the matrices of a
// batch.
extern "C" __global__ void __launch_bounds__(kRestrideThreads)
    gemm_restride(const __grid_constant__ RestrideArguments r) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (blockIdx.x == 0 && blockIdx.z == 0) {
    for (int i = static_cast<int>(threadIdx.x); i < r.arrivals_count; i += kRestrideThreads)
      r.arrivals[i] = 0;
  }
  const unsigned of_a = r.factors[0].blocks + r.factors[0].end_blocks;
  const bool is_b = blockIdx.x >= of_a;
  const RestrideFactor& f = r.factors[is_b];
  if (static_cast<int>(blockIdx.z) >= f.matrices) return;
  const unsigned block = blockIdx.x - (is_b ? of_a : 0);
  const Half* const source = gemm::matrix_of<Half>(f.source);
  Half* const to = static_cast<Half*>(f.to) + blockIdx.z * f.stride;
  if (block < f.blocks) copy_insides(f, source, to, block);
  else copy_ends(f, source, to, block - f.blocks);
}
