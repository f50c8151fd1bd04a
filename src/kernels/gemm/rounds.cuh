// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps the blocks of a persistent kernel together while they go through a large product.
//
// Tiles that are computed at one time share rows of A and columns of B, which memory is asked for once as long as all who
// read them are at about the same k: then the second-level cache still has them. Blocks that nothing holds together
// drift apart, those behind have to ask memory again, wait for it, and fall back further. 16384×16384×16384 in bf16 read
// 60 GB on an H100 where 14 would do, and took nearly twice its time.
//
// So a block asks for nothing of its next round before every block has asked for nearly all of the last. (A round is one unit
// of each block, or their stretches of streamed tiles.) Nothing but time depends on it: a block that has waited for long goes
// on, and is less patient the next time. So blocks that have no multiprocessor yet, or lost it to another kernel, hold up
// nobody for good.
#pragma once

#include "kernels/gemm/units.cuh"
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// The rounds of a block, for the one thread of its cluster that asks for stages. What it does not need before the first
// stages are asked for it reads later (GemmArguments).
class Rounds {
 public:
  __device__ __forceinline__ Rounds(const GemmArguments& g, bool leads)
      : g_(g), slack_(leads ? g.tiles.round_slack : 0) {}

  // The step of a unit before which the block says that its round ends: -1 where it does not.
  __device__ __forceinline__ int last_step(const Unit& unit) const {
    return slack_ > 0 && !unit.is_streamed ? unit.steps - slack_ : -1;
  }
  __device__ __forceinline__ void end() const { ptx::add_relaxed(g_.rounds.ends + own_, 1); }

  // Goes on to the block's next unit, if there is one: of the same stretch, or of the next round, for which it waits until
  // the last has ended.
  template <class Own> __device__ __forceinline__ bool begin_next(Own& units) {
    const bool streamed = units.streams();
    units.advance();
    if (units.streams()) return true;
    if (slack_ > 0 && streamed) end();
    if (!units.more()) return false;
    if (slack_ > 0) wait(units.blocks());
    return true;
  }

 private:
  __device__ __forceinline__ void wait(unsigned blocks) {
    const unsigned* const ends = g_.rounds.ends + own_++;
    for (int polls = 0; ptx::load_relaxed(ends) < blocks; ++polls) {
      if (polls < patience_) continue;
      patience_ /= 2;
      break;
    }
  }

  const GemmArguments& g_;
  int slack_, own_ = 0;
  int patience_ = 128;  // polls, each as long as the second-level cache takes to answer
};

// Sets all rounds to none: one warp. Should a block be at its first round's end before this is done, it is not counted, and
// the others wait as for one that has no multiprocessor.
__device__ __forceinline__ void prepare_rounds(const GemmArguments& g) {
  if (blockIdx.x > 0 || g.rounds.count == 0) return;
  ptx::wait_for_previous_grid();  // which may have its own there
  for (int i = static_cast<int>(threadIdx.x % 32); i < g.rounds.count; i += 32)
    ptx::store_relaxed(g.rounds.ends + i, 0);
}

}  // namespace gemm
