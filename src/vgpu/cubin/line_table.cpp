// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cubin/line_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>

namespace tilewise::vgpu {
namespace {

constexpr const char* kSectionName = ".nv_debug_line_sass";
constexpr std::uint32_t kRelocation64 = 2;  // R_CUDA_64: all eight bytes of the address

// Standard opcodes of DWARF 2.
enum : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kNegateStatement = 6,
  kSetBasicBlock = 7,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
// Extended opcodes.
enum : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

constexpr std::int64_t kMostLines = std::numeric_limits<std::int32_t>::max();

using RelocationsByOffset = std::map<std::uint64_t, ElfRelocation>;

/// The state machine of section 6.2.2, over one unit of the section.
class LineProgram {
 public:
  LineProgram(ByteReader unit, std::uint64_t unit_offset, const RelocationsByOffset& relocations,
              LineTables& tables)
      : in_(std::move(unit)), offset_(unit_offset), relocations_(relocations), tables_(tables) {}

  void run() {
    read_header();
    while (!in_.at_end()) step(in_.u8());
  }

 private:
  void read_header() {
    const std::uint16_t version = in_.u16();
    if (version < 2 || version > 3) {
      in_.fail(fmt::format("line program of version {}, expected 2 or 3", version));
    }
    const std::uint32_t header_bytes = in_.u32();
    const std::size_t program = in_.position() + header_bytes;
    instruction_bytes_ = in_.u8();
    in_.skip(1);  // default_is_stmt
    line_base_ = static_cast<std::int8_t>(in_.u8());
    line_range_ = in_.u8();
    opcode_base_ = in_.u8();
    if (line_range_ == 0 || opcode_base_ == 0) in_.fail("a line program with a zero in its header");
    for (int opcode = 1; opcode < opcode_base_; ++opcode) operand_counts_.push_back(in_.u8());
    in_.seek(program);
  }

  void step(std::uint8_t opcode) {
    if (opcode >= opcode_base_) {
      const int special = opcode - opcode_base_;
      advance(static_cast<std::uint64_t>(special / line_range_));
      line_ += line_base_ + special % line_range_;
      emit();
      return;
    }
    if (opcode == kExtended) return extended();
    standard(opcode);
  }

  void standard(std::uint8_t opcode) {
    switch (opcode) {
      case kCopy: return emit();
      case kAdvancePc: return advance(in_.uleb128());
      case kAdvanceLine: return advance_line(in_.sleb128());
      case kConstAddPc:
        return advance(static_cast<std::uint64_t>((255 - opcode_base_) / line_range_));
      case kFixedAdvancePc: address_ += in_.u16(); return;
      default: break;
    }
    // Files, columns, statements and blocks do not matter here; nor does what later versions add.
    for (int operand = 0; operand < operand_counts_[opcode - 1]; ++operand) in_.uleb128();
  }

  /// Skips by the length byte what it does not know: NVIDIA adds opcodes for inlined functions.
  void extended() {
    const std::uint64_t length = in_.uleb128();
    ByteReader operands = in_.take(length);
    if (length == 0) return;
    const std::uint64_t operand_offset = offset_ + in_.position() - length + 1;
    switch (operands.u8()) {
      case kEndSequence: return end_sequence();
      case kSetAddress: return set_address(operands, operand_offset);
      default: return;
    }
  }

  void set_address(ByteReader& operands, std::uint64_t operand_offset) {
    address_ = operands.u64();
    table_ = nullptr;
    // Without a relocation there is no saying which kernel the address is in.
    const auto found = relocations_.find(operand_offset);
    if (found == relocations_.end()) return;
    if (found->second.type != kRelocation64) {
      in_.fail(
          fmt::format("relocation of type {}, expected {}", found->second.type, kRelocation64));
    }
    address_ += found->second.value;
    table_ = &tables_[found->second.section];
  }

  void end_sequence() {
    if (table_ != nullptr) table_->add(address_, 0);
    table_ = nullptr;
    address_ = 0;
    line_ = 1;
  }

  void emit() {
    if (line_ < 0 || line_ > kMostLines) in_.fail(fmt::format("line number {}", line_));
    if (table_ != nullptr) table_->add(address_, static_cast<int>(line_));
  }

  void advance(std::uint64_t instructions) { address_ += instructions * instruction_bytes_; }

  void advance_line(std::int64_t lines) {
    if (lines > kMostLines || lines < -kMostLines)
      in_.fail(fmt::format("a step of {} lines", lines));
    line_ += lines;
  }

  ByteReader in_;
  std::uint64_t offset_;  ///< of in_ in the section: relocations count from the section's start
  const RelocationsByOffset& relocations_;
  LineTables& tables_;
  std::uint8_t instruction_bytes_ = 1, line_range_ = 1, opcode_base_ = 1;
  std::int8_t line_base_ = 0;
  std::vector<std::uint8_t> operand_counts_;
  std::uint64_t address_ = 0;
  std::int64_t line_ = 1;
  LineTable* table_ = nullptr;  ///< of the section the current sequence is in
};

}  // namespace

int LineTable::line_at(std::uint64_t address) const {
  const auto after = lines_.upper_bound(address);
  return after == lines_.begin() ? 0 : std::prev(after)->second;
}

LineTables decode_line_programs(ByteReader section, const std::vector<ElfRelocation>& relocations) {
  RelocationsByOffset by_offset;
  for (const ElfRelocation& relocation : relocations) by_offset[relocation.offset] = relocation;
  LineTables tables;
  while (!section.at_end()) {
    const std::uint32_t unit_bytes = section.u32();
    const std::size_t unit_offset = section.position();
    LineProgram(section.take(unit_bytes), unit_offset, by_offset, tables).run();
  }
  return tables;
}

LineTables read_ptx_lines(const ElfFile& file) {
  const ElfSection* section = file.find(kSectionName);
  if (section == nullptr) return {};
  return decode_line_programs(file.reader(*section), file.relocations(kSectionName));
}

}  // namespace tilewise::vgpu
