// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// As much of ELF64 as a cubin needs: sections, symbols, relocations. Everything is checked against
// the file's size before it is read.
// Format: https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/cubin/byte_reader.hpp"

namespace tilewise::vgpu {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t size = 0;
  std::span<const std::byte> contents;  ///< empty for sections that have only a size (NOBITS)
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0;      ///< STT_FUNC is 2
  std::uint8_t other = 0;     ///< visibility, and NVIDIA's flags
  std::uint16_t section = 0;  ///< index; may be a reserved number
  std::uint64_t value = 0;
};

/// A relocation, resolved to where it points.
struct ElfRelocation {
  std::uint64_t offset = 0;  ///< in the section that is relocated
  std::uint32_t type = 0;
  std::uint16_t section = 0;  ///< the section the symbol is in
  std::uint64_t value = 0;    ///< symbol's value plus the explicit addend
};

/// Parses on construction; throws Error{kInvalidInput}. The bytes must outlive it and its names.
class ElfFile {
 public:
  ElfFile(std::span<const std::byte> image, std::string source_name);

  std::uint16_t machine() const { return machine_; }
  std::uint8_t abi_version() const { return abi_version_; }
  std::uint32_t flags() const { return flags_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }

  /// nullptr when there is none.
  const ElfSection* find(std::string_view name) const;
  /// The relocations of `section`, whether they carry their addends (RELA) or not (REL).
  std::vector<ElfRelocation> relocations(std::string_view section) const;
  /// A reader whose errors name the file and the section.
  ByteReader reader(const ElfSection& section) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void read_header();
  void read_sections();
  void name_sections();
  void read_symbols();
  std::string_view text_at(std::uint32_t string_section, std::uint32_t offset) const;
  std::vector<ElfRelocation> read_relocations(const ElfSection& section) const;

  std::span<const std::byte> image_;
  std::string source_name_;
  std::uint16_t machine_ = 0, section_count_ = 0, name_section_ = 0;
  std::uint8_t abi_version_ = 0;
  std::uint32_t flags_ = 0;
  std::uint64_t section_table_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<std::uint32_t> section_names_;  ///< offsets into the section-name table
  std::vector<ElfSymbol> symbols_;
};

}  // namespace tilewise::vgpu
