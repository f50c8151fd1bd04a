// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The compilers of CUDA C++ that can be on a machine: nvcc, or NVRTC, a library that needs no host
// compiler. Either makes PTX; ptxas (or NVRTC itself) makes the cubin.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/sources.hpp"

namespace tilewise::compile {

struct Job {
  Sources* sources = nullptr;
  std::vector<std::string> defines;
  std::string arch;      ///< "sm_90"
  std::string standard;  ///< "c++17"
  /// A kernel as the source would call it, to be instantiated and found; empty: none.
  std::string named_kernel;
};

struct Compilation {
  bool succeeded = false;
  std::string ptx, cubin;    ///< the cubin may be empty
  std::string messages;      ///< what the compiler said
  std::string named_kernel;  ///< mangled
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Makes PTX, and a cubin where it makes both at once. May put code behind the sources, for
  /// Job::named_kernel.
  virtual Compilation compile(const Job& job) = 0;
  /// "nvcc 13.0.88".
  virtual std::string description() const = 0;
  /// What it can read instead of a standard header that it does not have; empty: nothing.
  virtual std::string replacement(const std::string& header) const = 0;
  /// Headers for the host alone, which it cannot read though they may be there.
  virtual std::vector<std::string> unreadable_headers() const { return {}; }
};

/// The copy of the PTX that ptxas reads, in the scratch folder; its messages name it.
inline constexpr const char* kAssembledPtx = "assembled.ptx";

/// ptxas, where there is one: PTX to a cubin with the table of lines.
class Assembler {
 public:
  explicit Assembler(std::filesystem::path ptxas) : ptxas_(std::move(ptxas)) {}

  bool exists() const { return !ptxas_.empty(); }
  /// "ptxas 13.0.88".
  std::string description() const;
  /// The cubin in Compilation::cubin; `arch` is "sm_90".
  Compilation assemble(const std::string& ptx, const std::string& arch,
                       const ScratchFolder& folder) const;

 private:
  std::filesystem::path ptxas_;
};

std::unique_ptr<Compiler> make_nvcc(std::filesystem::path nvcc);
/// nullptr when the library cannot be opened.
std::unique_ptr<Compiler> make_nvrtc(const std::filesystem::path& library,
                                     std::vector<std::filesystem::path> include_folders);

}  // namespace tilewise::compile
