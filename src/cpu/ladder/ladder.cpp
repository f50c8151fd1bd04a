// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/ladder/ladder.hpp"

#include <array>

#include "cpu/instruction_set.hpp"
#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {

// What the files of 05 to 07 are compiled into, once for each instruction set.
#define TILEWISE_LADDER_FUNCTIONS(set)   \
  namespace set {                        \
  void simd(const Product& product);     \
  void packing(const Product& product);  \
  void prefetch(const Product& product); \
  }
TILEWISE_LADDER_FUNCTIONS(portable)
TILEWISE_LADDER_FUNCTIONS(avx2)
TILEWISE_LADDER_FUNCTIONS(avx512)

namespace {

using Function = void (*)(const Product&);

// The one of the instruction set in use.
Function chosen(Function portable, [[maybe_unused]] Function avx2,
                [[maybe_unused]] Function avx512) {
  switch (instruction_set()) {
    case InstructionSet::kAvx512: return avx512;
    case InstructionSet::kAvx2: return avx2;
    case InstructionSet::kPortable: break;
  }
  return portable;
}

constexpr std::array kRungs{
    Rung{.name = "triple_loop",
         .title = "Triple loop",
         .idea = "The definition of the product: for each element of C, walk along a row of A and "
                 "down a column of B.",
         .unit = "01_triple_loop",
         .on_all_threads = false,
         .function = triple_loop},
    Rung{.name = "loop_order",
         .title = "Loop order",
         .idea =
             "The columns of C innermost: rows of B and C are streams, and every byte of a cache "
             "line is used.",
         .unit = "02_loop_order",
         .on_all_threads = false,
         .function = loop_order},
    Rung{.name = "cache_blocks",
         .title = "Cache blocks",
         .idea = "All rows of C use a block of B while it is in L2: pays once B is larger than L3.",
         .unit = "03_cache_blocks",
         .on_all_threads = false,
         .function = cache_blocks},
    Rung{.name = "registers",
         .title = "Registers",
         .idea =
             "A tile of 6x2 sums stays in registers: 0.67 loads for each product instead of two "
             "loads and a store.",
         .unit = "04_registers",
         .on_all_threads = false,
         .function = registers},
    Rung{.name = "simd",
         .title = "SIMD",
         .idea =
             "The sums are vectors: one instruction multiplies and adds 16, 8 or 4 elements; masks "
             "cut the edges.",
         .unit = "05_simd",
         .on_all_threads = false,
         .function = simd},
    Rung{.name = "packing",
         .title = "Packing",
         .idea =
             "Blocks of B and panels of A are copied into the order in which tiles read them: no "
             "conflicts in L1, few pages.",
         .unit = "06_packing",
         .on_all_threads = false,
         .function = packing},
    Rung{.name = "prefetch",
         .title = "Prefetch",
         .idea = "A tile's lines of C and the next rows of packed B are asked for before they are "
                 "needed.",
         .unit = "07_prefetch",
         .on_all_threads = false,
         .function = prefetch},
    Rung{.name = "threads",
         .title = "Threads",
         .idea = "C is cut into one piece a thread; each packs what it needs, and none waits for "
                 "another.",
         .unit = "08_threads",
         .on_all_threads = true,
         .function = threads},
    Rung{.name = "engine",
         .title = "The engine",
         .idea =
             "The library's own engine: these ideas, and the tiles, blocks, paths and threads that "
             "fit the shape.",
         .unit = "09_engine",
         .on_all_threads = true,
         .function = engine},
};

}  // namespace

#if defined(__x86_64__)
#define TILEWISE_LADDER_CHOSEN(name) chosen(portable::name, avx2::name, avx512::name)
#else
#define TILEWISE_LADDER_CHOSEN(name) chosen(portable::name, nullptr, nullptr)
#endif

void simd(const Product& product) { TILEWISE_LADDER_CHOSEN(simd)(product); }
void packing(const Product& product) { TILEWISE_LADDER_CHOSEN(packing)(product); }
void prefetch(const Product& product) { TILEWISE_LADDER_CHOSEN(prefetch)(product); }

std::span<const Rung> rungs() { return kRungs; }

void multiply(const Rung& rung, Product product) {
  if (product.alpha == 0) product.k = 0;
  if (product.m > 0 && product.n > 0) rung.function(product);
}

}  // namespace tilewise::cpu::ladder
