// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which line of the PTX file an instruction of the machine code stands for. ptxas -lineinfo writes
// a DWARF 2 line program (https://dwarfstd.org/doc/dwarf-2.0.0.pdf, section 6.2) into the section
// .nv_debug_line_sass; its only file is the PTX, and its line numbers are those of the PTX file as
// ptxas read it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "vgpu/cubin/elf.hpp"

namespace tilewise::vgpu {

/// The lines of one code section.
class LineTable {
 public:
  /// From `address` on, code stands for `line` (0: for no line) until the next entry.
  void add(std::uint64_t address, int line) { lines_[address] = line; }
  bool empty() const { return lines_.empty(); }
  /// The PTX line of the instruction at `address`; 0 where the table says nothing.
  int line_at(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, int> lines_;
};

/// The tables of all code sections, by section index.
using LineTables = std::map<std::uint16_t, LineTable>;

/// Empty when the file has no such section. Throws Error{kInvalidInput}.
LineTables read_ptx_lines(const ElfFile& file);

/// Runs the line programs in `section`. A relocation says which code section an address is in;
/// sequences without one are left out. Throws Error{kInvalidInput}.
LineTables decode_line_programs(ByteReader section, const std::vector<ElfRelocation>& relocations);

}  // namespace tilewise::vgpu
