// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "compile/compiler.hpp"
#include "compile/declarations.hpp"
#include "compile/diagnostics.hpp"
#include "compile/kernel_names.hpp"
#include "compile/sources.hpp"
#include "compile/toolkit.hpp"
#include "core/file.hpp"
#include "tilewise/error.hpp"

namespace tilewise::compile {
namespace {

constexpr int kMostRounds = 40;
constexpr std::string_view kDefaultArch = "sm_90", kFeatureArch = "sm_90a";

/// Compiles one request: repairs what the kernel does not need, finds the kernel, makes the cubin.
class Build {
 public:
  explicit Build(const Request& request)
      : request_(request),
        sources_(request.source, request.include_folders),
        compiler_(find_compiler()),
        assembler_(find_assembler()) {
    arch_ = request.arch.empty() ? std::string(default_arch()) : request.arch;
    for (const std::string& header : compiler_->unreadable_headers()) {
      sources_.add_header(header, compiler_->replacement(header));
    }
  }

  Image run() {
    Compilation made = compile_repaired();
    std::vector<std::string> found = matches(kernels_of(made.ptx), request_.kernel);
    if (found.empty()) {
      if (std::optional<std::string> kernel = instantiate(made)) found = {*kernel};
    }
    if (found.size() != 1) refuse(kernels_of(made.ptx), found);
    Image image;
    image.kernel = found.front();
    image.demangled = demangle(found.front());
    image.ptx = made.ptx;
    make_cubin(made, image);
    image.arch = arch_;
    image.compiler = compiler_->description();
    add_notes(image);
    return image;
  }

 private:
  // Sources with instructions of sm_90a, or code that is only there for it, say so in their text.
  std::string_view default_arch() const {
    const std::string& text = sources_.main_text();
    for (const char* sign : {"wgmma", "setmaxnreg", "__CUDA_ARCH_FEAT_SM90", "SM90_ALL"}) {
      if (text.find(sign) != std::string::npos) return kFeatureArch;
    }
    return kDefaultArch;
  }

  // sm_90a can do more than sm_90, and is tried when nobody asked for less.
  bool try_feature_arch(const std::string& messages) {
    if (!request_.arch.empty() || arch_ == kFeatureArch) return false;
    if (messages.find("sm_90") == std::string::npos) return false;
    arch_ = kFeatureArch;
    return true;
  }

  Compilation compile(const std::string& named_kernel = {}) {
    Job job;
    job.named_kernel = named_kernel;
    job.sources = &sources_;
    job.defines = request_.defines;
    job.arch = arch_;
    job.standard = standard_;
    return compiler_->compile(job);
  }

  Compilation compile_repaired() {
    std::string first_messages;
    for (int round = 0; round < kMostRounds; ++round) {
      Compilation made = compile();
      if (made.succeeded) return made;
      if (provide_headers(made.messages)) continue;
      if (first_messages.empty()) {
        first_messages = made.messages;
        if (try_newer_standard(made)) return made;
      }
      if (!leave_out(made.messages)) break;
    }
    fail(first_messages);
  }

  bool provide_headers(const std::string& messages) {
    bool added = false;
    for (const Diagnostic& error : errors_in(messages)) {
      const std::string header = missing_header(error);
      if (header.empty()) continue;
      const std::string contents = compiler_->replacement(header);
      if (!sources_.add_header(header, contents)) continue;
      if (contents.empty()) missing_.push_back(header);
      added = true;
    }
    return added;
  }

  bool try_newer_standard(Compilation& made) {
    standard_ = "c++20";
    Compilation newer = compile();
    if (newer.succeeded) {
      made = std::move(newer);
      return true;
    }
    standard_ = "c++17";
    return false;
  }

  bool leave_out(const std::string& messages) {
    // From the last line on: what is left out above keeps the lines below where they are anyway, but a
    // declaration that is gone takes its later errors with it.
    bool changed = false;
    for (const Diagnostic& error : errors_in(messages)) changed |= sources_.leave_out(error);
    return changed;
  }

  [[noreturn]] void fail(const std::string& messages) const {
    const std::string absent = missing_.empty() ? ""
                                                : fmt::format(" (not found, see --include: {})",
                                                              fmt::join(missing_, ", "));
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("{} does not compile for {} with {}: {}{}", request_.source.string(),
                            arch_, compiler_->description(), first_errors(messages), absent));
  }

  // A kernel that nothing in the file uses (a template that is instantiated elsewhere, a static one) is
  // not in the PTX, until the compiler is asked for it by name.
  std::optional<std::string> instantiate(Compilation& made) {
    if (request_.kernel.starts_with("_Z")) return std::nullopt;
    Compilation named = compile(request_.kernel);
    if (!named.succeeded) {
      instantiation_ = first_errors(named.messages);
      return std::nullopt;
    }
    if (named.named_kernel.empty()) return std::nullopt;
    made = std::move(named);
    return made.named_kernel;
  }

  [[noreturn]] void refuse(const std::vector<std::string>& kernels,
                           const std::vector<std::string>& found) const {
    if (found.size() > 1) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--kernel {}: several kernels of {} can be meant: {}",
                              request_.kernel, request_.source.string(), listing(found)));
    }
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("--kernel {}: {} has no such kernel; it has: {}{}{}", request_.kernel,
                            request_.source.string(), listing(kernels), templates_without(kernels),
                            instantiation_.empty()
                                ? ""
                                : fmt::format(" (as a name in the source: {})", instantiation_)));
  }

  // Templates of the file itself that `kernels` has no instance of, as part of a message.
  std::string templates_without(const std::vector<std::string>& kernels) const {
    std::vector<std::string> names = kernel_templates_of(sources_.main_text());
    std::erase_if(names, [&](const std::string& name) {
      return std::any_of(kernels.begin(), kernels.end(), [&](const std::string& kernel) {
        return !matches({kernel}, name + "<").empty();
      });
    });
    if (names.empty()) return "";
    return fmt::format("; templates without an instance, to be named with arguments: {}",
                       fmt::join(names, ", "));
  }

  // ptxas on exactly the PTX that runs; what NVRTC made of it, where there is no ptxas.
  void make_cubin(Compilation& made, Image& image) {
    if (!assembler_.exists()) {
      image.cubin = made.cubin;
      if (image.cubin.empty()) {
        image.notes.push_back("no ptxas was found: counted as the PTX is written");
      }
      return;
    }
    Compilation assembled = assembler_.assemble(made.ptx, arch_, sources_.scratch());
    if (!assembled.succeeded && try_feature_arch(assembled.messages)) {
      made = compile(made.named_kernel.empty() ? "" : request_.kernel);
      if (!made.succeeded) fail(made.messages);
      image.ptx = made.ptx;
      assembled = assembler_.assemble(made.ptx, arch_, sources_.scratch());
    }
    if (!assembled.succeeded) fail(assembled.messages);
    image.cubin = assembled.cubin;
  }

  void add_notes(Image& image) const {
    if (!missing_.empty()) {
      image.notes.push_back(
          fmt::format("headers that were not found count as empty: {}", fmt::join(missing_, ", ")));
    }
    if (!sources_.left_out().empty()) {
      image.notes.push_back(fmt::format("host code left out, because it does not compile here: {}",
                                        fmt::join(sources_.left_out(), ", ")));
    }
  }

  const Request& request_;
  Sources sources_;
  std::unique_ptr<Compiler> compiler_;
  Assembler assembler_;
  std::string arch_, standard_ = "c++17";
  std::vector<std::string> missing_;
  std::string instantiation_;  ///< why the name could not be instantiated
};

// ".target sm_90a, texmode_independent".
std::string target_of(const std::string& ptx) {
  static const std::regex kTarget(R"((?:^|\n)\s*\.target\s+(sm_\d+[af]?))");
  std::smatch found;
  return std::regex_search(ptx, found, kTarget) ? found[1].str() : "";
}

// PTX for an older GPU runs on a newer one, but PTX with features of one GPU runs on that one alone.
std::string arch_for(const std::string& target) {
  const bool newer = target.size() > kDefaultArch.size() || target > kDefaultArch;
  return newer ? target : std::string(kDefaultArch);
}

// What a file of PTX without any kernel lacks, and where it ends: half of one looks like that too.
[[noreturn]] void refuse_without_kernel(const std::string& file, const std::string& ptx) {
  const auto newlines = std::count(ptx.begin(), ptx.end(), '\n');
  const auto last = std::max<std::ptrdiff_t>(newlines + (ptx.ends_with('\n') ? 0 : 1), 1);
  const bool is_blank = ptx.find_first_not_of(" \t\r\n") == std::string::npos;
  throw Error(
      ErrorCode::kInvalidInput,
      fmt::format("{}:{}: {}", file, last,
                  is_blank ? "the file is empty, expected PTX with a kernel (.entry)"
                  : ptx.find(".version") == std::string::npos
                      ? "the file ends without .version and without a kernel (.entry): it is no PTX"
                      : "the file ends without a kernel (.entry): it may have been cut off"));
}

std::string find_in_ptx(const Request& request, const std::string& ptx) {
  const std::vector<std::string> kernels = kernels_of(ptx);
  if (kernels.empty()) refuse_without_kernel(request.source.string(), ptx);
  const std::vector<std::string> found = matches(kernels, request.kernel);
  if (found.size() == 1) return found.front();
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("--kernel {}: {} {}: {}", request.kernel, request.source.string(),
                          found.empty() ? "has no such kernel; it has"
                                        : "has several kernels that can be meant",
                          listing(found.empty() ? kernels : found)));
}

// ptxas read a copy: its messages shall name the file that the user knows.
std::string naming(std::string messages, const std::string& copy, const std::string& file) {
  for (std::size_t at = 0; (at = messages.find(copy, at)) != std::string::npos; at += file.size()) {
    messages.replace(at, copy.size(), file);
  }
  return messages;
}

Image from_ptx(const Request& request) {
  Image image;
  image.ptx = read_file(request.source);
  image.kernel = find_in_ptx(request, image.ptx);
  image.demangled = demangle(image.kernel);
  image.arch = request.arch.empty() ? arch_for(target_of(image.ptx)) : request.arch;
  const Assembler assembler = find_assembler();
  if (!assembler.exists()) {
    image.notes.push_back("no ptxas was found: counted as the PTX is written");
    return image;
  }
  image.compiler = assembler.description();
  const ScratchFolder folder("ptx");
  Compilation made = assembler.assemble(image.ptx, image.arch, folder);
  if (!made.succeeded) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("{} is refused by {} for {}: {}", request.source.string(),
                            image.compiler, image.arch,
                            first_errors(naming(made.messages, (folder / kAssembledPtx).string(),
                                                request.source.string()))));
  }
  image.cubin = std::move(made.cubin);
  return image;
}

}  // namespace

Image build(const Request& request) {
  if (request.source.extension() == ".ptx") return from_ptx(request);
  return Build(request).run();
}

}  // namespace tilewise::compile
