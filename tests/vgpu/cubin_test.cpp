// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cubin/cubin.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>

#include "core/file.hpp"
#include "kernels/listing.hpp"
#include "tilewise/error.hpp"
#include "vgpu/cubin/line_table.hpp"
#include "vgpu/cubin/sass.hpp"

namespace tilewise::vgpu {
namespace {

const std::string kFolder = std::string(TILEWISE_TESTS_DIR) + "/vgpu/cubins/";

std::string read_test_file(const std::string& name) { return read_file(kFolder + name); }

Cubin parse(const std::string& bytes, const std::string& name = "test.cubin") {
  return read_cubin({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, name);
}

/// The message with which parsing fails, or "" when it does not. Any exception but
/// Error{kInvalidInput} leaves this function and fails the test.
std::string failure_of(const std::string& bytes) {
  try {
    parse(bytes);
    return "";
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidInput) throw;
    return error.what();
  }
}

template <class T> T get(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T> void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

std::string opcode_of(SassAccessKind kind) {
  switch (kind) {
    case SassAccessKind::kSharedLoad: return "LDS";
    case SassAccessKind::kSharedStore: return "STS";
    case SassAccessKind::kGlobalLoad: return "LDG";
    case SassAccessKind::kGlobalStore: return "STG";
    case SassAccessKind::kGenericLoad: return "LD";
    case SassAccessKind::kGenericStore: return "ST";
    case SassAccessKind::kLocalLoad: return "LDL";
    case SassAccessKind::kLocalStore: return "STL";
    case SassAccessKind::kSharedMatrixLoad: return "LDSM";
    case SassAccessKind::kSharedMatrixStore: return "STSM";
    case SassAccessKind::kGlobalToShared: return "LDGSTS";
  }
  return "?";
}

/// In the format of the .expected files, without their comments.
std::string listing_of(const Cubin& cubin) {
  std::string text;
  for (const CubinKernel& kernel : cubin.kernels) {
    text += fmt::format("kernel {} {} {} {}\n", kernel.name, kernel.registers,
                        kernel.static_shared_bytes, kernel.local_bytes);
    for (const SassAccess& access : kernel.accesses) {
      text += fmt::format("{} {} {} {} {}\n", opcode_of(access.kind), access.address, access.bytes,
                          access.ptx_line, access.never ? 1 : 0);
    }
  }
  return text;
}

std::string without_comments(const std::string& text) {
  std::istringstream in(text);
  std::string line, kept;
  while (std::getline(in, line)) {
    if (!line.starts_with('#')) kept += line + '\n';
  }
  return kept;
}

class CubinOf : public testing::TestWithParam<int> {
 protected:
  std::string name() const { return GetParam() == 80 ? "accesses.sm_80" : "accesses.sm_90a"; }
};

TEST_P(CubinOf, IsWhatTheDisassemblySays) {
  const Cubin cubin = parse(read_test_file(name() + ".cubin"));
  EXPECT_EQ(cubin.sm, GetParam());
  EXPECT_EQ(listing_of(cubin), without_comments(read_test_file(name() + ".expected")));
  for (const CubinKernel& kernel : cubin.kernels) EXPECT_TRUE(kernel.has_ptx_lines) << kernel.name;
}

TEST_P(CubinOf, LinesAreThoseOfThePtxFile) {
  std::istringstream ptx(read_test_file(name() + ".ptx"));
  std::vector<std::string> lines(1);
  for (std::string line; std::getline(ptx, line);) lines.push_back(line);
  int checked = 0;
  for (const CubinKernel& kernel : parse(read_test_file(name() + ".cubin")).kernels) {
    for (const SassAccess& access : kernel.accesses) {
      if (access.never) continue;
      ASSERT_LT(static_cast<std::size_t>(access.ptx_line), lines.size());
      const std::string opcode = opcode_of(access.kind);
      const std::string expected = opcode == "LDSM"     ? "ldmatrix"
                                   : opcode == "STSM"   ? "stmatrix"
                                   : opcode == "LDGSTS" ? "cp.async"
                                   : opcode[0] == 'L'   ? "ld."
                                                        : "st.";
      EXPECT_NE(lines[access.ptx_line].find(expected), std::string::npos)
          << kernel.name << " " << opcode << ": " << lines[access.ptx_line];
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

// The section headers stand behind everything else but the program headers, which are not read.
TEST_P(CubinOf, EveryTruncationIsAnError) {
  const std::string whole = read_test_file(name() + ".cubin");
  const std::size_t needed = get<std::uint64_t>(whole, 40) + 64u * get<std::uint16_t>(whole, 60);
  ASSERT_LE(needed, whole.size());
  for (std::size_t length = 0; length < needed; ++length) {
    ASSERT_NE(failure_of(whole.substr(0, length)), "") << length << " bytes";
  }
  EXPECT_EQ(failure_of(whole.substr(0, needed)), "");
}

TEST_P(CubinOf, CorruptionsAreErrorsOrHarmless) {
  const std::string whole = read_test_file(name() + ".cubin");
  const std::size_t section_headers = get<std::uint64_t>(whole, 40);
  std::mt19937 random(20260101u + static_cast<unsigned>(GetParam()));
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const std::uint32_t telling[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF};
  int errors = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = whole;
    // A third of them anywhere, a third in the section headers, a third with telling words there.
    const std::size_t first = round % 3 == 0 ? 0 : section_headers;
    for (std::size_t change = 0, changes = 1 + below(8); change < changes; ++change) {
      const std::size_t at = first + below(bytes.size() - first - 4);
      if (round % 3 == 2) {
        put(bytes, at & ~std::size_t{3}, telling[below(std::size(telling))]);
      } else {
        bytes[at] = static_cast<char>(random());
      }
    }
    errors += failure_of(bytes).empty() ? 0 : 1;
  }
  EXPECT_GT(errors, kRounds / 10);
  EXPECT_LT(errors, kRounds);
}

INSTANTIATE_TEST_SUITE_P(Architectures, CubinOf, testing::Values(80, 90));

TEST(Cubin, WithoutLineInformationHasNoLines) {
  const Cubin plain = parse(read_test_file("no_lines.sm_80.cubin"));
  const Cubin lined = parse(read_test_file("accesses.sm_80.cubin"));
  ASSERT_EQ(plain.kernels.size(), lined.kernels.size());
  for (std::size_t i = 0; i < plain.kernels.size(); ++i) {
    EXPECT_FALSE(plain.kernels[i].has_ptx_lines);
    ASSERT_EQ(plain.kernels[i].accesses.size(), lined.kernels[i].accesses.size());
    for (std::size_t j = 0; j < plain.kernels[i].accesses.size(); ++j) {
      EXPECT_EQ(plain.kernels[i].accesses[j].ptx_line, 0);
      EXPECT_EQ(plain.kernels[i].accesses[j].bytes, lined.kernels[i].accesses[j].bytes);
    }
  }
}

TEST(Cubin, ErrorsNameTheFileAndTheFault) {
  const std::string whole = read_test_file("accesses.sm_80.cubin");
  const auto broken = [&](std::size_t offset, auto value) {
    std::string bytes = whole;
    put(bytes, offset, value);
    return failure_of(bytes);
  };
  const std::size_t headers = get<std::uint64_t>(whole, 40);
  EXPECT_EQ(failure_of(""),
            "cubin 'test.cubin': header: truncated: 1 bytes needed at offset 0, "
            "0 left");
  EXPECT_EQ(failure_of("// a PTX file is no cubin"),
            "cubin 'test.cubin': not a little-endian ELF64 file");
  EXPECT_EQ(broken(18, std::uint16_t{62}), "cubin 'test.cubin': machine 62, expected 190 (CUDA)");
  EXPECT_EQ(broken(48, std::uint32_t{52} << 8),
            "cubin 'test.cubin': architecture sm_52, expected sm_70 or later");
  EXPECT_EQ(broken(58, std::uint16_t{40}),
            "cubin 'test.cubin': section headers of 40 bytes, expected 64");
  EXPECT_EQ(broken(62, std::uint16_t{900}).find("cubin 'test.cubin': names are in section 900"),
            0u);
  EXPECT_NE(broken(headers + 64 + 32, ~std::uint64_t{0}).find("leave the file of"),
            std::string::npos);
}

TEST(Cubin, EveryKernelOfThisBuildParses) {
  for (const kernels::KernelImage& image : kernels::images()) {
    SCOPED_TRACE(fmt::format("{} {}", image.unit, image.arch));
    const kernels::Listing listing = kernels::listing_of(image);
    const Cubin cubin = read_cubin(listing.cubin, std::string(image.unit));
    EXPECT_EQ(cubin.sm, std::stoi(std::string(image.arch.substr(3))));
    EXPECT_FALSE(cubin.kernels.empty());
    const auto last_line = std::ranges::count(listing.ptx, '\n');
    for (const CubinKernel& kernel : cubin.kernels) {
      EXPECT_NE(listing.ptx.find(".entry " + kernel.name + "("), std::string::npos) << kernel.name;
      EXPECT_TRUE(kernel.has_ptx_lines) << kernel.name;
      EXPECT_LE(kernel.registers, 255) << kernel.name;
      EXPECT_LE(kernel.static_shared_bytes, 48u * 1024) << kernel.name;
      // One kernel only waits (probe/pause.cu).
      EXPECT_EQ(kernel.accesses.empty(), image.unit == "pause") << kernel.name;
      for (const SassAccess& access : kernel.accesses) {
        EXPECT_GE(access.ptx_line, 1) << kernel.name << " at " << access.address;
        EXPECT_LE(access.ptx_line, last_line) << kernel.name << " at " << access.address;
      }
    }
  }
}

struct Encoding {
  std::uint64_t low, high;
  int sm;
  SassAccessKind kind;
  int bytes;
  bool never;
};

TEST(Sass, DecodesKindWidthAndPredicate) {
  using enum SassAccessKind;
  const Encoding encodings[] = {
      {0x0000000000057984, 0x000e280008000800, 90, kSharedLoad, 4, false},
      {0x00000000ff00f984, 0x000e280008000800, 90, kSharedLoad, 4, true},    // @!PT
      {0x00000000ff000984, 0x000e280008000800, 90, kSharedLoad, 4, false},   // @P0
      {0x0000000000007984, 0x000e280000000200, 80, kSharedLoad, 1, false},   // S8
      {0x0000000000007388, 0x000fe20000000400, 80, kSharedStore, 2, false},  // U16
      {0x0000000006007388, 0x000fe2000000cc00, 80, kSharedStore, 16, false},
      {0x0000000005007988, 0x0004fe2008000a04, 90, kSharedStore, 8, false},
      {0x0000000402007981, 0x000ea2000c1e1d00, 80, kGlobalLoad, 16, false},
      {0x0000000502007986, 0x001fe2000c101100, 80, kGlobalStore, 1, false},  // U8
      {0x00007004060c7980, 0x000ea2000c101d00, 80, kGenericLoad, 16, false},
      {0x0000400c06007985, 0x000fe2000c101900, 80, kGenericStore, 4, false},
      {0x0000000000007983, 0x000ea20000100a00, 80, kLocalLoad, 8, false},
      {0x0000000401007387, 0x000fe20000100c00, 80, kLocalStore, 16, false},
      {0x00000000000f783b, 0x000e680000000000, 80, kSharedMatrixLoad, 4, false},
      {0x000000000014783b, 0x000e680000004100, 80, kSharedMatrixLoad, 8, false},
      {0x000000000004783b, 0x000e680000000200, 80, kSharedMatrixLoad, 16, false},
      {0x000000040f007844, 0x000fe20000004200, 90, kSharedMatrixStore, 16, false},
      {0x00000000020d7fae, 0x000fe8000b921c46, 90, kGlobalToShared, 16, false},
      {0x00000000020d7fae, 0x000fe8000b9a1806, 100, kGlobalToShared, 16, false},
      {0x00000000020d7fae, 0x000fe2000b9a1406, 100, kGlobalToShared, 8, false},
      {0x0000000402007981, 0x000ea2000c1e1f00, 80, kGlobalLoad, 0, false},  // no such width
      {0x000000000004783b, 0x000e680000000300, 80, kSharedMatrixLoad, 0, false},
  };
  for (const Encoding& encoding : encodings) {
    SCOPED_TRACE(fmt::format("{:016x} {:016x}", encoding.low, encoding.high));
    const auto access = decode_access({encoding.low, encoding.high}, encoding.sm);
    ASSERT_TRUE(access.has_value());
    EXPECT_EQ(access->kind, encoding.kind);
    EXPECT_EQ(access->bytes, encoding.bytes);
    EXPECT_EQ(access->never, encoding.never);
  }
}

TEST(Sass, OtherInstructionsAreNoAccesses) {
  EXPECT_FALSE(decode_access({0x00000a00ff017b82, 0x000fe20000000800}, 90));  // LDC
  EXPECT_FALSE(decode_access({0x00008200000679ab, 0x000fe20000000a00}, 90));
  EXPECT_FALSE(decode_access({0x000000070200098e, 0x000fe8000c10e184}, 80));  // RED
  EXPECT_FALSE(decode_access({0x00000000000079af, 0x000e220000000000}, 80));  // LDGDEPBAR
  EXPECT_FALSE(decode_access({0x000000000000794d, 0x000fea0003800000}, 80));  // EXIT
}

/// One line unit around `program`, as ptxas writes it but with DWARF 3's opcodes 10-12 too.
std::string line_unit(const std::string& program) {
  using namespace std::string_literals;
  const std::string header =
      "\x01\x01\xfb\x0e\x0d\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00\x01\x00\x00"s;
  std::string unit(10, '\0');
  put(unit, 0, static_cast<std::uint32_t>(6 + header.size() + program.size()));
  put(unit, 4, std::uint16_t{2});
  put(unit, 6, static_cast<std::uint32_t>(header.size()));
  return unit + header + program;
}

LineTables decode(const std::string& section, const std::vector<ElfRelocation>& relocations) {
  return decode_line_programs(
      ByteReader({reinterpret_cast<const std::byte*>(section.data()), section.size()}, "lines"),
      relocations);
}

using namespace std::string_literals;
const std::string kSetAddress = "\x00\x09\x02\x00\x00\x00\x00\x00\x00\x00\x00"s;
const std::string kEndSequence = "\x00\x01\x01"s;
constexpr std::size_t kProgramOffset = 29;  // of the program in line_unit()

TEST(LineTable, RunsEveryOpcode) {
  const std::string program = kSetAddress +
                              "\x03\xe4\x00\x01"s              // line 101 at 0
                              "\x02\x10\x01"                   // advance_pc 16: line 101 at 16
                              "\x14"                           // special 20: +7-5 lines at +0
                              "\x00\x05\x90\x80\x01\x02\x03"s  // an opcode of NVIDIA's: skipped
                              "\x04\x07\x05\x80\x01\x06\x07"   // file, column, statement, block
                              "\x0a\x0b\x0c\x81\x01"           // DWARF 3's, one with an operand
                              "\x03\x7d\x09\x20\x00\x01"s      // line -3, fixed_advance_pc 32
                              "\x08\x01"                       // const_add_pc: +17
                              "\x02\x80\x01" +                 // advance_pc 128
                              kEndSequence;
  const LineTables tables = decode(line_unit(program), {{kProgramOffset + 3, 2, 7, 1000}});
  ASSERT_EQ(tables.size(), 1u);
  const LineTable& table = tables.at(7);
  EXPECT_EQ(table.line_at(999), 0);
  EXPECT_EQ(table.line_at(1000), 101);
  EXPECT_EQ(table.line_at(1015), 101);
  EXPECT_EQ(table.line_at(1016), 103);  // the special opcode replaced 101 at the same address
  EXPECT_EQ(table.line_at(1047), 103);
  EXPECT_EQ(table.line_at(1048), 100);
  EXPECT_EQ(table.line_at(1065), 100);
  EXPECT_EQ(table.line_at(1192), 100);
  EXPECT_EQ(table.line_at(1193), 0);  // behind the end of the sequence
}

TEST(LineTable, KeepsSequencesAndUnitsApart) {
  const std::string one = kSetAddress + "\x03\x04\x01\x02\x10"s + kEndSequence;
  const std::string program = one + one;
  const std::size_t second_unit = line_unit(program).size();
  const std::vector<ElfRelocation> relocations{{kProgramOffset + 3, 2, 1, 0},
                                               {kProgramOffset + one.size() + 3, 2, 2, 64},
                                               {second_unit + kProgramOffset + 3, 2, 1, 256}};
  const LineTables tables = decode(line_unit(program) + line_unit(one), relocations);
  EXPECT_EQ(tables.at(1).line_at(0), 5);
  EXPECT_EQ(tables.at(1).line_at(16), 0);
  EXPECT_EQ(tables.at(1).line_at(256), 5);
  EXPECT_EQ(tables.at(2).line_at(0), 0);
  EXPECT_EQ(tables.at(2).line_at(64), 5);
}

TEST(LineTable, WithoutRelocationNamesNoSection) {
  const std::string unit = line_unit(kSetAddress + "\x03\x04\x01"s + kEndSequence);
  EXPECT_TRUE(decode(unit, {}).empty());
}

TEST(LineTable, MalformedProgramsAreErrors) {
  const std::vector<ElfRelocation> at_start{{kProgramOffset + 3, 2, 1, 0}};
  const auto fails = [&](const std::string& section,
                         const std::vector<ElfRelocation>& relocations) {
    EXPECT_THROW(decode(section, relocations), Error);
  };
  fails(line_unit(kSetAddress + "\x03\x7b\x01"s), at_start);                      // line -4
  fails(line_unit(kSetAddress + "\x03\xff\xff\xff\xff\xff\x00\x01"s), at_start);  // a huge step
  fails(line_unit(kSetAddress + "\x03\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x01"s + kEndSequence),
        at_start);  // the step that has no absolute value
  fails(line_unit(kSetAddress + "\x00\xff\xff\xff\x7f\x01"s), at_start);  // a huge length
  fails(line_unit(kSetAddress + "\x02\x80\x80"s), at_start);              // an open number
  fails(line_unit(kSetAddress), {{kProgramOffset + 3, 40, 1, 0}});        // half an address
  std::string unit = line_unit(kSetAddress);
  put(unit, 4, std::uint16_t{5});  // DWARF 5
  fails(unit, at_start);
  unit = line_unit(kSetAddress);
  put(unit, 13, std::uint8_t{0});  // line_range, which divides
  fails(unit, at_start);
  unit = line_unit(kSetAddress);
  put(unit, 0, std::uint32_t{4000});
  fails(unit, at_start);
}

}  // namespace
}  // namespace tilewise::vgpu
