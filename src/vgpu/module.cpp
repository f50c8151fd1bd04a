// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Loading: parse the PTX, place the module's variables, decode every kernel, and hold it against the
// cubin.
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "tilewise/error.hpp"
#include "vgpu/cubin/cubin.hpp"
#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/flow.hpp"
#include "vgpu/exec/launch.hpp"
#include "vgpu/observe/census.hpp"
#include "vgpu/ptx/ir.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

std::string_view name_of(Fidelity fidelity) {
  return fidelity == Fidelity::kExact ? "exact" : "approximate";
}

struct Module::Impl {
  std::unique_ptr<ptx::Module> ptx;
  Memory memory{UINT64_MAX};  ///< .global and .const variables
  GlobalAddresses globals;
  std::vector<KernelInfo> infos;
  std::map<std::string, LoadedKernel, std::less<>> kernels;

  void place_variables();
  void place(const ptx::Variable& v, std::uint64_t& left);
  void fill_relocations();
  void load_kernel(const ptx::Function& f, const CubinKernel* cubin);
};

// A GPU has 64 KiB of constants; what a module may take of global memory is this host's business.
void Module::Impl::place_variables() {
  std::uint64_t const_left = 64 << 10, global_left = std::uint64_t{1} << 30;
  // Definitions first: what is declared extern as well is the same variable, whichever comes first.
  for (const bool is_extern : {false, true}) {
    for (const ptx::Variable& v : ptx->variables) {
      if (v.is_extern != is_extern || (is_extern && globals.contains(v.name))) continue;
      if (v.space == ptx::Space::kGlobal) place(v, global_left);
      if (v.space == ptx::Space::kConst) place(v, const_left);
    }
  }
}

void Module::Impl::place(const ptx::Variable& v, std::uint64_t& left) {
  if (v.bytes > left) {
    malformed_at(*ptx, v.line,
                 fmt::format("{} takes {} bytes, and .{} has {} left for it", v.name, v.bytes,
                             v.space == ptx::Space::kConst ? "const" : "global", left));
  }
  left -= v.bytes;
  const std::uint64_t address = memory.allocate(v.bytes);
  auto* bytes = reinterpret_cast<std::byte*>(address);
  if (v.initial.empty()) std::memset(bytes, 0, v.bytes);
  else std::memcpy(bytes, v.initial.data(), v.initial.size());
  globals[v.name] = address;
}

// Addresses of variables in initial values of others.
void Module::Impl::fill_relocations() {
  for (const ptx::Variable& v : ptx->variables) {
    for (const auto& r : v.relocations) {
      const auto target = globals.find(r.symbol);
      if (target == globals.end()) {
        throw Error(
            ErrorCode::kUnsupported,
            fmt::format("{}:{}: {} holds the address of {}, which is not a variable of the module",
                        ptx->source_name, v.line, v.name, r.symbol));
      }
      const std::uint64_t value = target->second + static_cast<std::uint64_t>(r.addend);
      std::memcpy(reinterpret_cast<std::byte*>(globals.at(v.name)) + r.offset, &value, 8);
    }
  }
}

void Module::Impl::load_kernel(const ptx::Function& f, const CubinKernel* cubin) {
  const Flat flat = flatten(*ptx, f);
  Decoded decoded = decode(flat, f, globals);
  find_reconvergence(decoded.program);
  const Census census = take_census(decoded, cubin);
  assign_registers(decoded);
  decoded.program.registers = cubin ? cubin->registers : 0;
  decoded.program.lacks_setmaxnreg = cubin && !cubin->sets_registers;
  KernelInfo info;
  info.name = std::string(f.name);
  info.parameter_bytes = decoded.program.parameter_bytes;
  info.static_shared_bytes =
      cubin ? cubin->static_shared_bytes : decoded.program.static_shared_bytes;
  info.registers = cubin ? cubin->registers : 0;
  info.local_bytes = cubin ? cubin->local_bytes : 0;
  info.fidelity = census.fidelity;
  info.fidelity_notes = census.notes;
  infos.push_back(std::move(info));
  LoadedKernel loaded;
  loaded.plain_ops = decoded.program.ops;
  for (std::size_t i = 0; i < loaded.plain_ops.size(); ++i) {
    const PlainHandlers& h = decoded.plain[i];
    loaded.plain_ops[i].full = h.full;
    loaded.plain_ops[i].masked = h.masked;
    loaded.plain_ops[i].body = h.body;
  }
  loaded.program = std::move(decoded.program);
  kernels.emplace(std::string(f.name), std::move(loaded));
}

Module::Module(std::string_view text, std::string source_name,
               std::span<const std::byte> cubin_image, std::string_view only)
    : impl_(std::make_unique<Impl>()) {
  impl_->ptx = ptx::parse(std::string(text), source_name);
  Cubin cubin;
  if (!cubin_image.empty()) cubin = read_cubin(cubin_image, source_name);
  impl_->place_variables();
  impl_->fill_relocations();
  for (const ptx::Function& f : impl_->ptx->functions) {
    if (!f.is_entry || !f.has_body || (!only.empty() && f.name != only)) continue;
    const CubinKernel* machine_code = nullptr;
    for (const CubinKernel& k : cubin.kernels) {
      if (k.name == f.name) machine_code = &k;
    }
    impl_->load_kernel(f, machine_code);
  }
}

Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

const std::vector<KernelInfo>& Module::kernels() const { return impl_->infos; }

const KernelInfo& Module::find(std::string_view kernel) const {
  std::string names;
  for (const KernelInfo& info : impl_->infos) {
    if (info.name == kernel) return info;
    names += (names.empty() ? "" : ", ") + info.name;
  }
  throw Error(ErrorCode::kInvalidArgument, fmt::format("{} has no kernel '{}'; it has: {}",
                                                       impl_->ptx->source_name, kernel, names));
}

LaunchReport Module::launch(std::string_view kernel, const model::Gpu& gpu, Memory& memory,
                            Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                            std::span<const void* const> arguments,
                            const LaunchOptions& options) const {
  find(kernel);  // throws for an unknown name
  LaunchRequest request;
  request.gpu = &gpu;
  request.memory = &memory;
  request.module_memory = &impl_->memory;
  request.grid = grid;
  request.block = block;
  request.dynamic_shared_bytes = dynamic_shared_bytes;
  request.arguments = arguments;
  request.options = options;
  return run_launch(impl_->kernels.find(kernel)->second, request);
}

}  // namespace tilewise::vgpu
