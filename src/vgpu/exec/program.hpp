// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel ready to run: device functions inlined, registers assigned to slots, instructions decoded
// once into operations that a warp executes for all its lanes, basic blocks with their terminators.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dim3.hpp"
#include "vgpu/exec/async_modes.hpp"
#include "vgpu/exec/bulk_modes.hpp"
#include "vgpu/exec/wgmma_op.hpp"
#include "vgpu/ptx/ir.hpp"

namespace tilewise::vgpu {

struct Warp;
struct Op;
using Handler = void (*)(Warp&, const Op&);

/// Arithmetic on whole numbers that keeps even steps even: how loops move addresses on.
enum class Affine : std::uint8_t {
  kNone,
  kCopy,
  kAdd,
  kSubtract,
  kMultiply,
  kMultiplyAdd,
  kShiftLeft
};

/// One decoded instruction. What `r` means depends on the handler: lane-wise operations keep their
/// destination in r[0] and their sources behind it; loads and stores keep the address in r[0].
struct Op {
  Handler full = nullptr;            ///< runs when every live lane of the warp is active
  Handler masked = nullptr;          ///< runs otherwise; touches active lanes only
  Handler body = nullptr;            ///< behind a guard: the masked handler
  std::array<std::uint32_t, 6> r{};  ///< byte offsets in the warp's registers, or predicate numbers
  std::int64_t imm = 0;
  std::int32_t site = -1;         ///< index in Program::sites
  std::int32_t instruction = -1;  ///< index in Program::instructions
  std::uint16_t guard = 0;
  bool guard_negated = false;
  bool is_fma = false;
  Affine affine = Affine::kNone;
  std::uint8_t bytes = 0, count = 0;  ///< of loads and stores: element size and vector length
  std::uint8_t mode = 0;              ///< handler-specific
};

enum class TerminatorKind : std::uint8_t {
  kNext,         ///< falls through
  kBranch,       ///< to `target`; conditional when predicate >= 0
  kIndexed,      ///< brx.idx
  kExit,         ///< ends the thread; conditional when predicate >= 0
  kBarrier,      ///< bar.* / barrier.*
  kWarpBarrier,  ///< bar.warp.sync
  kClusterArrive,
  kClusterWait,
  kMbarrierWait,  ///< mbarrier.test_wait, mbarrier.try_wait
};

enum class BarrierKind : std::uint8_t { kSync, kArrive, kReduceAnd, kReduceOr, kReducePopc };

struct Terminator {
  TerminatorKind kind = TerminatorKind::kNext;
  int target = -1;
  int next = -1;  ///< block that follows
  int predicate = -1;
  bool negated = false;
  int instruction = -1;
  std::vector<int> targets;  ///< kIndexed
  std::uint32_t index = 0;   ///< kIndexed: register of the index
  BarrierKind barrier = BarrierKind::kSync;
  bool relaxed = false;          ///< of barrier.cluster.arrive and waits for mbarriers: no order
  bool aligned = false;          ///< of a barrier: all lanes of a warp must execute it together
  std::uint32_t barrier_id = 0;  ///< register offset of the barrier's number, or of the lane mask
  std::int64_t barrier_count = -1;  ///< register offset of the thread count; -1: all threads
  std::uint32_t reduce_result = 0;  ///< predicate (and, or) or register (popc)
  std::uint32_t reduce_source = 0;
  bool reduce_negated = false;
  // kMbarrierWait
  std::uint32_t address = 0;  ///< register of the mbarrier's address
  std::int64_t address_offset = 0;
  bool wide_address = false;  ///< 64 bits
  std::uint32_t awaited = 0;  ///< register of the state token (64 bits) or of the parity
  bool awaits_parity = false;
  std::int64_t result = -1;  ///< predicate; -1: thrown away
};

struct Block {
  std::uint32_t first = 0, end = 0;  ///< operations
  Terminator terminator;
  int reconvergence = -1;  ///< immediate post-dominator; -1: none
  std::uint32_t first_instruction = 0;
  std::uint32_t instructions = 0;  ///< PTX instructions, terminator included
  std::uint32_t unguarded = 0;     ///< of them, without a guard
  std::uint32_t fmas = 0;          ///< unguarded fused multiply-adds
};

/// One static load, store or atomic.
struct Site {
  ptx::Space space = ptx::Space::kGlobal;
  bool is_store = false;
  bool is_atomic = false;
  bool is_async_copy = false;  ///< cp.async: reads global memory, writes shared memory
  bool is_matrix = false;      ///< ldmatrix, stmatrix: a lane gives a row of 16 bytes
  bool is_fragment = false;    ///< of wmma.load or wmma.store: machine accesses of known width
  int bytes = 0;               ///< a lane, the whole vector
  /// What the machine code does for this PTX access: bytes a lane of the SASS access it belongs to; 0
  /// when another site of its group stands for it, or when ptxas dropped it.
  int counted_bytes = 0;
  /// Executions that one machine access stands for: ptxas unrolls loops, and merges accesses of
  /// neighbouring iterations.
  int iterations_merged = 1;
  int instruction = -1;
  // For the checkers (observe/checker.hpp).
  std::uint8_t element_bytes = 0;
  bool has_pattern = false;  ///< its handler keeps AccessSite::patterns
  bool wide_address = false, wide_registers = false;
  bool is_strong = false;  ///< volatile, relaxed, acquire, release, atomic
  bool acquires = false, releases = false;
};

struct InstructionFacts {
  int ptx_line = 0;
  ptx::SourceLocation source;
  bool is_unguarded_fma = false;
};

struct Constant {
  std::uint64_t bits = 0;
  std::uint32_t offset = 0;
  bool wide = false;               ///< a 64-bit slot
  bool parameter_address = false;  ///< bits are an offset in the launch's parameters
  bool shared_address = false;     ///< bits are an offset in the block's shared memory
};

/// An operation other than wgmma touches a register that wgmma reads or writes at a time of its own, or a
/// copy of one.
struct HeldUse {
  std::uint32_t op = 0;
  std::uint32_t offset = 0;  ///< of the register
  bool is_definition = false;
  bool is_copy = false;      ///< mov: compilers make them where the machine code has none
  bool is_constant = false;  ///< mov of a constant
};

/// One kernel, ready to run. Immutable while it does.
struct Program {
  std::string name;  ///< for people: "gemm<128, 8>"
  const ptx::Module* module = nullptr;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  std::vector<Site> sites;
  std::vector<InstructionFacts> instructions;
  std::vector<Constant> constants;
  /// Operands of instructions that name more registers than an Op has room for: byte offsets in the
  /// warp's registers, each instruction's in a row.
  std::vector<std::uint32_t> operands;
  std::vector<AsyncCopyFacts> async_copies;
  std::vector<MatrixOp> matrix_ops;          ///< by Op::imm of tensor-core operations
  std::vector<FragmentMove> fragment_moves;  ///< by Op::r[5] of wmma.load and wmma.store
  std::vector<BulkCopyFacts> bulk_copies;
  std::vector<WgmmaOp> wgmma_ops;
  std::uint32_t register_bytes = 0;  ///< of a warp
  std::uint32_t predicate_count = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_offset = 0;
  std::uint32_t shared_alignment = 1;  ///< the largest that a variable asks for
  std::uint32_t local_bytes = 0;       ///< a lane
  std::vector<std::uint32_t> parameter_offsets, parameter_bytes;
  std::uint32_t parameter_block_bytes = 0;
  int max_threads = 0;
  int registers = 0;               ///< a thread, from the cubin; 0: not known
  bool lacks_setmaxnreg = false;   ///< the cubin does: ptxas left out what there is in the PTX
  std::vector<HeldUse> held_uses;  ///< by operation
  Dim3 cluster = {0, 0, 0};        ///< that the kernel asks for; zeros: none
};

}  // namespace tilewise::vgpu
