// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The head of an opcode test (opcodes/*.ptx): how to launch it, what goes in, what must come out.
// The format is described in opcodes/make.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/dim3.hpp"

namespace tilewise::vgpu {

/// A part of the input or the output buffer: numbers of one kind.
struct OpcodeArray {
  enum class Tolerance { kNone, kAbsolute, kRelative };

  std::string kind;   ///< "u32", "b64", "f32", "bf16"
  std::string label;  ///< what made it: "add.sat.s32"
  Tolerance tolerance = Tolerance::kNone;
  double bound = 0;
  std::vector<std::uint64_t> bits;  ///< each element's pattern
  std::vector<bool> any_nan;        ///< outputs: every NaN will do

  std::size_t element_bytes() const;
  std::size_t bytes() const { return element_bytes() * bits.size(); }
  /// "" when `element` matches what was got, else "expected ..., got ...".
  std::string mismatch(std::size_t element, std::uint64_t got) const;
};

struct OpcodeFile {
  std::string name;  ///< without folder and ending
  std::string ptx;
  Dim3 threads{32}, blocks{1};
  std::uint32_t dynamic_shared_bytes = 0;
  int capability = 80;  ///< at least; major times ten plus minor
  std::vector<OpcodeArray> inputs, outputs;

  std::vector<std::byte> input_bytes() const;
  std::size_t output_size() const;
  /// One line for each of the first mismatches of each array; empty when all is as it must be.
  std::vector<std::string> mismatches(const std::vector<std::byte>& output) const;
};

/// What every byte of the output buffer holds before the run.
inline constexpr unsigned char kUnwritten = 0xA5;

/// Throws Error{kInvalidInput} naming the file and the line that is not understood.
OpcodeFile read_opcode_file(const std::filesystem::path& path);

}  // namespace tilewise::vgpu
