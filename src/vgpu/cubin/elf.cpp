// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cubin/elf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewise::vgpu {
namespace {

constexpr std::uint64_t kSectionHeaderBytes = 64, kSymbolBytes = 24;
constexpr std::uint64_t kRelBytes = 16, kRelaBytes = 24;
constexpr std::uint64_t kMostOverlap = 4;
constexpr std::uint32_t kSymbolTable = 2, kRela = 4, kNoBits = 8, kRel = 9;

// 0x7F 'E' 'L' 'F', 64-bit, little-endian, version 1.
constexpr std::array<std::uint8_t, 7> kIdentity{0x7F, 'E', 'L', 'F', 2, 1, 1};

}  // namespace

ElfFile::ElfFile(std::span<const std::byte> image, std::string source_name)
    : image_(image), source_name_(std::move(source_name)) {
  read_header();
  read_sections();
  name_sections();
  read_symbols();
}

void ElfFile::fail(const std::string& message) const {
  throw Error(ErrorCode::kInvalidInput, fmt::format("cubin '{}': {}", source_name_, message));
}

void ElfFile::read_header() {
  ByteReader in(image_, fmt::format("cubin '{}': header", source_name_));
  for (const std::uint8_t expected : kIdentity) {
    if (in.u8() != expected) fail("not a little-endian ELF64 file");
  }
  in.skip(1);  // the ABI's number
  abi_version_ = in.u8();
  in.seek(18);
  machine_ = in.u16();
  in.seek(40);
  section_table_ = in.u64();
  flags_ = in.u32();
  in.seek(58);
  const std::uint16_t entry_bytes = in.u16();
  section_count_ = in.u16();
  name_section_ = in.u16();
  if (section_count_ != 0 && entry_bytes != kSectionHeaderBytes) {
    fail(fmt::format("section headers of {} bytes, expected {}", entry_bytes, kSectionHeaderBytes));
  }
}

void ElfFile::read_sections() {
  ByteReader in(image_, fmt::format("cubin '{}': section headers", source_name_));
  in.seek(section_table_);
  std::uint64_t total = 0;
  for (int index = 0; index < section_count_; ++index) {
    ElfSection section;
    section_names_.push_back(in.u32());
    section.type = in.u32();
    in.skip(16);  // flags, address
    const std::uint64_t offset = in.u64();
    section.size = in.u64();
    section.link = in.u32();
    section.info = in.u32();
    in.skip(16);  // alignment, entry size
    if (section.type != kNoBits && section.type != 0) {
      if (offset > image_.size() || section.size > image_.size() - offset) {
        fail(fmt::format("section {}: {} bytes at offset {} leave the file of {} bytes", index,
                         section.size, offset, image_.size()));
      }
      section.contents = image_.subspan(offset, section.size);
      total += section.size;
    }
    sections_.push_back(section);
  }
  // Sections may share bytes, but many of them would let a small file stand for gigabytes.
  if (total > kMostOverlap * image_.size()) fail("its sections overlap");
}

void ElfFile::name_sections() {
  for (std::size_t index = 0; index < sections_.size(); ++index) {
    sections_[index].name = text_at(name_section_, section_names_[index]);
  }
}

std::string_view ElfFile::text_at(std::uint32_t string_section, std::uint32_t offset) const {
  if (string_section >= sections_.size()) {
    fail(fmt::format("names are in section {}, but there are {} sections", string_section,
                     sections_.size()));
  }
  ByteReader in(sections_[string_section].contents,
                fmt::format("cubin '{}': names in section {}", source_name_, string_section));
  in.seek(offset);
  return in.text();
}

void ElfFile::read_symbols() {
  for (const ElfSection& section : sections_) {
    if (section.type != kSymbolTable) continue;
    if (!symbols_.empty()) fail("more than one symbol table");
    ByteReader in = reader(section);
    while (in.remaining() >= kSymbolBytes) {
      ElfSymbol symbol;
      symbol.name = text_at(section.link, in.u32());
      symbol.type = in.u8() & 0xF;
      symbol.other = in.u8();
      symbol.section = in.u16();
      symbol.value = in.u64();
      in.skip(8);  // size
      symbols_.push_back(symbol);
    }
  }
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

std::vector<ElfRelocation> ElfFile::relocations(std::string_view section) const {
  for (const ElfSection& candidate : sections_) {
    if (candidate.type != kRel && candidate.type != kRela) continue;
    if (candidate.info >= sections_.size() || sections_[candidate.info].name != section) continue;
    return read_relocations(candidate);
  }
  return {};
}

std::vector<ElfRelocation> ElfFile::read_relocations(const ElfSection& section) const {
  const std::uint64_t entry_bytes = section.type == kRela ? kRelaBytes : kRelBytes;
  std::vector<ElfRelocation> all;
  ByteReader in = reader(section);
  while (in.remaining() >= entry_bytes) {
    ElfRelocation relocation;
    relocation.offset = in.u64();
    relocation.type = in.u32();
    const std::uint32_t symbol = in.u32();
    const std::uint64_t addend = section.type == kRela ? in.u64() : 0;
    if (symbol >= symbols_.size()) in.fail(fmt::format("symbol {} of {}", symbol, symbols_.size()));
    relocation.section = symbols_[symbol].section;
    relocation.value = symbols_[symbol].value + addend;
    all.push_back(relocation);
  }
  return all;
}

ByteReader ElfFile::reader(const ElfSection& section) const {
  return ByteReader(section.contents,
                    fmt::format("cubin '{}': section '{}'", source_name_, section.name));
}

}  // namespace tilewise::vgpu
