// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// nvcc and ptxas as programs. The flags are those of cmake/kernels.cmake: -lineinfo gives the cubin the
// table from machine instructions to PTX lines that exact counting stands on.
#include <fmt/format.h>

#include <regex>

#include "compile/compiler.hpp"
#include "core/file.hpp"

namespace tilewise::compile {
namespace {

namespace fs = std::filesystem;

// "13.0.88" of "release 13.0, V13.0.88".
std::string version_of(const fs::path& program) {
  static const std::regex kVersion(R"(\bV(\d+\.\d+\.\d+))");
  const ScratchFolder folder("version");
  const std::string output = run_program({program.string(), "--version"}, folder).output;
  std::smatch found;
  return std::regex_search(output, found, kVersion) ? found[1].str() : "of unknown version";
}

class Nvcc final : public Compiler {
 public:
  explicit Nvcc(fs::path nvcc) : nvcc_(std::move(nvcc)), version_(version_of(nvcc_)) {}

  Compilation compile(const Job& job) override {
    if (!job.named_kernel.empty()) {
      job.sources->append(fmt::format(
          "extern \"C\" {{ __device__ const void* tilewise_named = (const void*)&{}; }}",
          job.named_kernel));
    }
    const fs::path ptx = job.sources->scratch() / "kernel.ptx";
    std::vector<std::string> command{nvcc_.string(), "-std=" + job.standard,
                                     "-O3",          "-lineinfo",
                                     "-w",           "--expt-relaxed-constexpr",
                                     "-ptx",         "-arch=compute_" + job.arch.substr(3),
                                     "-x",           "cu"};
    for (const std::string& define : job.defines) command.push_back("-D" + define);
    for (const fs::path& folder : job.sources->include_folders()) {
      command.push_back("-I" + folder.string());
    }
    command.insert(command.end(), {job.sources->main_file().string(), "-o", ptx.string()});
    const ProgramOutcome outcome = run_program(command, job.sources->scratch());
    Compilation result{outcome.code == 0, {}, {}, outcome.output, {}};
    if (result.succeeded) result.ptx = read_file(ptx);
    if (result.succeeded && !job.named_kernel.empty()) take_name(result);
    return result;
  }

  std::string description() const override { return "nvcc " + version_; }
  std::string replacement(const std::string&) const override { return {}; }

 private:
  // A variable that holds a kernel's address instantiates it, and says its mangled name:
  // ".global .align 8 .u64 tilewise_named = _Z6kernelILi8EEvPf;". That line is taken out again.
  static void take_name(Compilation& made) {
    static const std::regex kVariable(R"(\.\w+ [^\n]*\btilewise_named\b *= *([\w$]+);)");
    std::smatch found;
    if (!std::regex_search(made.ptx, found, kVariable)) return;
    made.named_kernel = found[1];
    made.ptx.erase(static_cast<std::size_t>(found.position()),
                   static_cast<std::size_t>(found.length()));
  }

  fs::path nvcc_;
  std::string version_;
};

}  // namespace

std::unique_ptr<Compiler> make_nvcc(fs::path nvcc) {
  return std::make_unique<Nvcc>(std::move(nvcc));
}

std::string Assembler::description() const { return "ptxas " + version_of(ptxas_); }

Compilation Assembler::assemble(const std::string& ptx, const std::string& arch,
                                const ScratchFolder& folder) const {
  const fs::path input = folder / kAssembledPtx, output = folder / "assembled.cubin";
  write_file(input, ptx);
  const ProgramOutcome outcome = run_program(
      {ptxas_.string(), "-lineinfo", "-O3", "-arch=" + arch, input.string(), "-o", output.string()},
      folder);
  Compilation result{outcome.code == 0, {}, {}, outcome.output, {}};
  if (result.succeeded) result.cubin = read_file(output);
  return result;
}

}  // namespace tilewise::compile
