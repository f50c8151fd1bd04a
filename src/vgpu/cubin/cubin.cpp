// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cubin/cubin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "vgpu/cubin/elf.hpp"
#include "vgpu/cubin/line_table.hpp"
#include "vgpu/cubin/sass.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint8_t kFunction = 2;      // STT_FUNC
constexpr std::uint8_t kCudaEntry = 0x10;  // STO_CUDA_ENTRY: a kernel, not a device function
// From compute capability 9.0 on, the system keeps the first bytes of every block's shared memory,
// and .nv.shared.<kernel> includes them; `ptxas -v` and the driver's attribute do not.
constexpr std::uint32_t kReservedSharedBytes = 1024;
constexpr int kFirstSmWithReservedShared = 90;

// Attributes in .nv.info that speak of a kernel: a symbol's index and a number.
constexpr std::uint8_t kFrameSize = 0x11, kMinimumStackSize = 0x12, kRegisterCount = 0x2F;
// How an attribute's value is stored: in the record's own last two bytes, or as that many bytes.
constexpr std::uint8_t kSizedValue = 4;

// The stack's size where recursion leaves it open.
constexpr std::uint32_t kUnboundedStack = 0xFFFFFFFF;

/// What .nv.info says of one function.
struct Attributes {
  std::uint32_t registers = 0, frame_bytes = 0, stack_bytes = 0;
};

/// By symbol index.
using AttributeTable = std::map<std::uint32_t, Attributes>;

int sm_of(const ElfFile& file) {
  // ABI 8 (CUDA 13) moved the architecture from the lowest byte to the one above it.
  const int sm =
      static_cast<int>((file.abi_version() >= 8 ? file.flags() >> 8 : file.flags()) & 0xFF);
  if (sm < kFirstSmWithWideInstructions) {
    file.fail(fmt::format("architecture sm_{}, expected sm_{} or later", sm,
                          kFirstSmWithWideInstructions));
  }
  return sm;
}

void read_attribute(ByteReader& in, AttributeTable& table) {
  const std::uint8_t format = in.u8();
  const std::uint8_t attribute = in.u8();
  const std::uint16_t value = in.u16();
  if (format == 0 || format > kSizedValue) in.fail(fmt::format("attribute of format {}", format));
  if (format != kSizedValue) return;
  ByteReader payload = in.take(value);
  if (attribute != kFrameSize && attribute != kMinimumStackSize && attribute != kRegisterCount)
    return;
  Attributes& of_symbol = table[payload.u32()];
  const std::uint32_t number = payload.u32();
  if (attribute == kRegisterCount) of_symbol.registers = number;
  if (attribute == kFrameSize) of_symbol.frame_bytes = number;
  if (attribute == kMinimumStackSize) of_symbol.stack_bytes = number;
}

AttributeTable read_attributes(const ElfFile& file) {
  AttributeTable table;
  for (const ElfSection& section : file.sections()) {
    if (section.name != ".nv.info" && !section.name.starts_with(".nv.info.")) continue;
    ByteReader in = file.reader(section);
    while (!in.at_end()) read_attribute(in, table);
  }
  return table;
}

std::uint32_t static_shared_bytes(const ElfFile& file, std::string_view kernel, int sm) {
  const ElfSection* section = file.find(fmt::format(".nv.shared.{}", kernel));
  if (section == nullptr) return 0;
  if (section->size > std::numeric_limits<std::uint32_t>::max()) {
    file.fail(fmt::format("kernel '{}': {} bytes of shared memory", kernel, section->size));
  }
  const auto size = static_cast<std::uint32_t>(section->size);
  const bool reserves = sm >= kFirstSmWithReservedShared && size >= kReservedSharedBytes;
  return reserves ? size - kReservedSharedBytes : size;
}

int checked_registers(const ElfFile& file, std::string_view kernel, std::uint32_t registers) {
  if (registers == 0 || registers > 255) {
    file.fail(fmt::format("kernel '{}': {} registers, expected 1 to 255", kernel, registers));
  }
  return static_cast<int>(registers);
}

// Into `kernel`: its accesses, and whether it sets registers.
void read_code(const ElfFile& file, const ElfSection& code, int sm, const LineTable* lines,
               CubinKernel& kernel) {
  ByteReader in = file.reader(code);
  if (in.remaining() % kSassInstructionBytes != 0) {
    in.fail(fmt::format("{} bytes of code, expected a multiple of {}", in.remaining(),
                        kSassInstructionBytes));
  }
  while (!in.at_end()) {
    const std::uint64_t address = in.position();
    SassInstruction instruction;
    instruction.low = in.u64();
    instruction.high = in.u64();
    kernel.sets_registers |= sets_registers(instruction);
    std::optional<SassAccess> access = decode_access(instruction, sm);
    if (!access) continue;
    if (access->bytes == 0) in.fail(fmt::format("access of unknown width at offset {}", address));
    access->address = address;
    access->ptx_line = lines == nullptr ? 0 : lines->line_at(address);
    kernel.accesses.push_back(*access);
  }
}

/// The code section of a kernel's symbol.
const ElfSection& code_of(const ElfFile& file, const ElfSymbol& symbol) {
  if (symbol.section >= file.sections().size()) {
    file.fail(fmt::format("kernel '{}' is in section {} of {}", symbol.name, symbol.section,
                          file.sections().size()));
  }
  return file.sections()[symbol.section];
}

/// Everything a cubin says besides its machine code.
struct Tables {
  AttributeTable attributes;
  LineTables lines;
};

CubinKernel read_kernel(const ElfFile& file, std::uint32_t symbol_index, int sm,
                        const Tables& tables) {
  const ElfSymbol& symbol = file.symbols()[symbol_index];
  const ElfSection& code = code_of(file, symbol);
  const auto found = tables.attributes.find(symbol_index);
  const Attributes known = found == tables.attributes.end() ? Attributes{} : found->second;
  const auto lines = tables.lines.find(symbol.section);

  CubinKernel kernel;
  kernel.name = symbol.name;
  // Without the attribute the count stands in the upper byte of the code section's info.
  kernel.registers = checked_registers(file, symbol.name,
                                       known.registers != 0 ? known.registers : code.info >> 24);
  kernel.static_shared_bytes = static_shared_bytes(file, symbol.name, sm);
  const bool recursive = known.stack_bytes == kUnboundedStack;
  kernel.local_bytes = std::max(known.frame_bytes, recursive ? 0 : known.stack_bytes);
  kernel.has_ptx_lines = lines != tables.lines.end() && !lines->second.empty();
  read_code(file, code, sm, kernel.has_ptx_lines ? &lines->second : nullptr, kernel);
  return kernel;
}

}  // namespace

Cubin read_cubin(std::span<const std::byte> image, const std::string& source_name) {
  const ElfFile file(image, source_name);
  if (file.machine() != kMachineCuda) {
    file.fail(fmt::format("machine {}, expected {} (CUDA)", file.machine(), kMachineCuda));
  }
  Cubin cubin;
  cubin.sm = sm_of(file);
  const Tables tables{read_attributes(file), read_ptx_lines(file)};
  std::set<std::uint16_t> sections;
  for (std::uint32_t index = 0; index < file.symbols().size(); ++index) {
    const ElfSymbol& symbol = file.symbols()[index];
    if (symbol.type != kFunction || (symbol.other & kCudaEntry) == 0) continue;
    if (!sections.insert(symbol.section).second) {
      file.fail(fmt::format("kernel '{}' shares its code with another", symbol.name));
    }
    cubin.kernels.push_back(read_kernel(file, index, cubin.sm, tables));
  }
  return cubin;
}

}  // namespace tilewise::vgpu
