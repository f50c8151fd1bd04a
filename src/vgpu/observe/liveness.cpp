// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/liveness.hpp"

namespace tilewise::vgpu {
namespace {

class Liveness {
 public:
  explicit Liveness(const Decoded& d)
      : d_(d),
        sources_of_(d.program.ops.size()),
        definers_of_(d.registers.size()),
        is_unused_(d.program.ops.size(), true),
        is_read_(d.registers.size()) {}

  std::vector<bool> run() {
    std::vector<bool> defines(d_.program.ops.size());
    for (const Reference& r : d_.references) {
      if (r.is_constant) continue;
      if (r.is_definition) {
        defines[r.op] = true;
        definers_of_[r.index].push_back(r.op);
      } else {
        sources_of_[r.op].push_back(r.index);
      }
    }
    for (const TerminatorReference& r : d_.terminator_references) {
      if (!r.is_constant && !r.is_definition) read(r.index);
    }
    for (std::uint32_t op = 0; op < defines.size(); ++op) {
      if (!defines[op] || has_effect(d_.program.ops[op])) use(op);
    }
    for (; !to_visit_.empty();) {
      const std::uint32_t reg = to_visit_.back();
      to_visit_.pop_back();
      for (const std::uint32_t op : definers_of_[reg]) use(op);
    }
    return std::move(is_unused_);
  }

 private:
  bool has_effect(const Op& op) const {
    if (op.site < 0) return false;
    const Site& site = d_.program.sites[op.site];
    return site.is_store || site.is_atomic || site.is_async_copy;
  }

  void use(std::uint32_t op) {
    if (!is_unused_[op]) return;
    is_unused_[op] = false;
    for (const std::uint32_t reg : sources_of_[op]) read(reg);
  }

  void read(std::uint32_t reg) {
    if (is_read_[reg]) return;
    is_read_[reg] = true;
    to_visit_.push_back(reg);
  }

  const Decoded& d_;
  std::vector<std::vector<std::uint32_t>> sources_of_;   ///< by operation: registers
  std::vector<std::vector<std::uint32_t>> definers_of_;  ///< by register: operations
  std::vector<bool> is_unused_;                          ///< by operation
  std::vector<bool> is_read_;                            ///< by register
  std::vector<std::uint32_t> to_visit_;
};

}  // namespace

std::vector<bool> find_unused(const Decoded& decoded) { return Liveness(decoded).run(); }

}  // namespace tilewise::vgpu
