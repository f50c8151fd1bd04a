// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a cubin: what ptxas made of the PTX. Registers and static shared memory come from here, and
// so does the census of memory accesses: every SASS load and store with its width and the line of
// the PTX file it stands for (ptxas -lineinfo writes that mapping into .nv_debug_line_sass).
//
// The SASS encoding is not documented; the opcodes and the place of the width were read off
// disassemblies: opcode = low 12 bits of an instruction's 128, log2-like width code in bits 73-75.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise::vgpu {

enum class SassAccessKind {
  kSharedLoad,         ///< LDS
  kSharedStore,        ///< STS
  kGlobalLoad,         ///< LDG
  kGlobalStore,        ///< STG
  kGenericLoad,        ///< LD
  kGenericStore,       ///< ST
  kLocalLoad,          ///< LDL
  kLocalStore,         ///< STL
  kSharedMatrixLoad,   ///< LDSM
  kSharedMatrixStore,  ///< STSM
  kGlobalToShared,     ///< LDGSTS
};

/// One memory instruction of the machine code.
struct SassAccess {
  SassAccessKind kind = SassAccessKind::kSharedLoad;
  std::uint64_t address = 0;  ///< byte offset in the kernel's code
  int bytes = 0;              ///< a lane: 1, 2, 4, 8 or 16; LDSM and STSM: 4 for each matrix
  int ptx_line = 0;           ///< line in the PTX file, from 1; 0 where the cubin has no such table
  bool never = false;  ///< predicated on !PT: issued, but accesses nothing (a wait in disguise)
  bool partial =
      false;  ///< LDGSTS that may copy a part of its bytes, which its address says at run time
};

struct CubinKernel {
  std::string name;
  int registers = 0;                      ///< a thread
  std::uint32_t static_shared_bytes = 0;  ///< a block
  std::uint32_t local_bytes = 0;          ///< a thread: the stack, called functions included
  bool has_ptx_lines = false;
  bool sets_registers =
      false;  ///< setmaxnreg: ptxas leaves it out where it cannot tell what a warp begins with
  std::vector<SassAccess> accesses;  ///< in code order
};

struct Cubin {
  int sm = 0;  ///< 80, 90
  std::vector<CubinKernel> kernels;
};

/// Throws Error{kInvalidInput} naming what is malformed; `source_name` stands in the message.
Cubin read_cubin(std::span<const std::byte> image, const std::string& source_name);

}  // namespace tilewise::vgpu
