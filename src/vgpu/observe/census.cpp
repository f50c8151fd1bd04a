// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "vgpu/observe/liveness.hpp"

namespace tilewise::vgpu {
namespace {

bool is_load(SassAccessKind kind) {
  return kind == SassAccessKind::kSharedLoad || kind == SassAccessKind::kGlobalLoad ||
         kind == SassAccessKind::kGenericLoad || kind == SassAccessKind::kSharedMatrixLoad;
}
bool is_store(SassAccessKind kind) {
  return kind == SassAccessKind::kSharedStore || kind == SassAccessKind::kGlobalStore ||
         kind == SassAccessKind::kGenericStore || kind == SassAccessKind::kSharedMatrixStore;
}
bool is_matrix(SassAccessKind kind) {
  return kind == SassAccessKind::kSharedMatrixLoad || kind == SassAccessKind::kSharedMatrixStore;
}

bool stands_for(SassAccessKind kind, const Site& site) {
  if (site.is_async_copy) return kind == SassAccessKind::kGlobalToShared;
  if (site.is_store ? !is_store(kind) : !is_load(kind)) return false;
  if (site.is_matrix || is_matrix(kind)) return site.is_matrix && is_matrix(kind);
  switch (site.space) {
    case ptx::Space::kShared:
      return kind == SassAccessKind::kSharedLoad || kind == SassAccessKind::kSharedStore;
    case ptx::Space::kGlobal:
      return kind == SassAccessKind::kGlobalLoad || kind == SassAccessKind::kGlobalStore;
    default: return true;
  }
}

bool is_followed(SassAccessKind kind) {
  return is_load(kind) || is_store(kind) || kind == SassAccessKind::kGlobalToShared;
}

bool is_counted(const Site& site) {
  return !site.is_atomic &&
         (site.space == ptx::Space::kShared || site.space == ptx::Space::kGlobal ||
          site.space == ptx::Space::kGeneric);
}

/// Accesses that could be merged: same base value and guard, in one basic block.
struct GroupKey {
  std::size_t block;
  bool is_constant;
  std::uint32_t base;
  int base_version;  ///< how often the base register was written before, in this block
  int guard;
  int guard_version;
  bool is_store, is_shared, is_async_copy;
  bool is_whole;  ///< ptxas merges it with nothing
  auto operator<=>(const GroupKey&) const = default;
};

struct Member {
  std::int64_t offset;
  int site;
  bool is_unused;  ///< a load whose result nothing depends on
  bool covered = false;
};

class CensusTaker {
 public:
  CensusTaker(Decoded& decoded, const CubinKernel& cubin)
      : d_(decoded), p_(decoded.program), cubin_(cubin) {
    for (const SassAccess& a : cubin.accesses) {
      if (!a.never) by_line_[a.ptx_line].push_back(&a);
    }
  }

  Census run() {
    if (!cubin_.has_ptx_lines) return without_lines();
    collect_groups();
    for (auto& [key, members] : groups_) settle(key, members);
    find_strangers();
    find_partial_copies();
    census_.fidelity = census_.notes.empty() ? Fidelity::kExact : Fidelity::kApproximate;
    return census_;
  }

 private:
  int line_of(const Site& site) const { return p_.instructions[site.instruction].ptx_line; }

  void note(const std::string& text) {
    constexpr std::size_t kMost = 8;
    if (census_.notes.size() < kMost) census_.notes.push_back(text);
  }

  // The width of the machine accesses on the site's line; 0: there are none; -1: they differ.
  int machine_bytes(const Site& site) const {
    const auto found = by_line_.find(line_of(site));
    if (found == by_line_.end()) return 0;
    int bytes = 0;
    for (const SassAccess* a : found->second) {
      if (!stands_for(a->kind, site)) continue;
      if (bytes != 0 && bytes != a->bytes) return -1;
      bytes = a->bytes;
    }
    return bytes;
  }

  // Versions of registers tell whether two accesses see the same base.
  void collect_groups() {
    std::vector<const Reference*> address_of(p_.ops.size(), nullptr);
    std::vector<std::vector<std::uint32_t>> defined(p_.ops.size());
    const std::vector<bool> unused = find_unused(d_);
    references_of_.resize(p_.ops.size());
    for (const Reference& r : d_.references) {
      references_of_[r.op].push_back(&r);
      if (r.is_definition) defined[r.op].push_back(r.index);
      else if (r.slot == 0 && !r.is_listed && p_.ops[r.op].site >= 0) address_of[r.op] = &r;
    }
    for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
      std::map<std::uint32_t, int> version;
      int predicate_version = 0;  // any predicate written: guards before and after are told apart
      for (std::uint32_t i = p_.blocks[b].first; i < p_.blocks[b].end; ++i) {
        const Op& op = p_.ops[i];
        if (op.site >= 0 && address_of[i] && is_counted(p_.sites[op.site])) {
          const Site& site = p_.sites[op.site];
          const Reference& a = *address_of[i];
          const bool guarded = op.body != nullptr;
          const GroupKey key{b,
                             a.is_constant,
                             a.is_constant ? 0 : a.index,
                             a.is_constant ? 0 : version[a.index],
                             guarded ? op.guard * 2 + op.guard_negated : -1,
                             guarded ? predicate_version : 0,
                             site.is_store,
                             site.space == ptx::Space::kShared,
                             site.is_async_copy,
                             site.is_matrix || site.is_fragment};
          std::int64_t offset = op.imm;
          if (a.is_constant) offset += static_cast<std::int64_t>(p_.constants[a.index].bits);
          groups_[key].push_back({offset, op.site, unused[i]});
        }
        for (const std::uint32_t reg : defined[i]) {
          ++version[reg];
          definitions_[{b, reg}].push_back(i);
        }
        if (defined[i].empty() && op.site < 0) ++predicate_version;
      }
    }
  }

  // From the lowest offset on: an access of its own, or the first of a group.
  void settle(const GroupKey& key, std::vector<Member>& members) {
    std::stable_sort(members.begin(), members.end(),
                     [](const Member& a, const Member& b) { return a.offset < b.offset; });
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].covered) continue;
      Site& site = p_.sites[members[i].site];
      if (machine_bytes(site) == site.bytes) continue;
      const bool may_merge = !site.is_matrix && !site.is_fragment && !site.is_async_copy;
      if (may_merge && (cover_group(members, i) || cover_iterations(key, members, i))) continue;
      if (machine_bytes(site) == 0 && (members[i].is_unused || has_twin(members, i)))
        site.counted_bytes = 0;  // ptxas dropped it, or one machine access serves both
      else lost(site);
    }
  }

  // Another access of the same bytes, which the machine code has.
  bool has_twin(const std::vector<Member>& members, std::size_t index) const {
    const Member& member = members[index];
    const int bytes = p_.sites[member.site].bytes;
    return std::any_of(members.begin(), members.end(), [&](const Member& other) {
      const Site& site = p_.sites[other.site];
      return other.site != member.site && other.offset == member.offset && site.bytes == bytes &&
             (other.covered || machine_bytes(site) == bytes);
    });
  }

  // A wider access that neighbouring iterations of an unrolled loop share: members[first] and those
  // right behind it are a part of its width, the base moves on by that part in every iteration, and no
  // machine access on their lines has another width.
  bool cover_iterations(const GroupKey& key, std::vector<Member>& members, std::size_t first) {
    const int part = p_.sites[members[first].site].bytes;
    for (int width = 16; width > part; width /= 2) {
      for (int run = width / 2; run >= part; run /= 2) {
        if (advance_of(key) != run || !cover_run(members, first, run, width)) continue;
        p_.sites[members[first].site].iterations_merged = width / run;
        return true;
      }
    }
    return false;
  }

  // Marks the members that fill `run` bytes from members[first] on as parts of an access of `width`.
  bool cover_run(std::vector<Member>& members, std::size_t first, int run, int width) {
    const int part = p_.sites[members[first].site].bytes;
    const std::int64_t begin = members[first].offset;
    std::vector<std::size_t> parts;
    bool led = false;
    for (std::int64_t offset = begin; offset < begin + run; offset += part) {
      const std::size_t next = find_member(members, first, offset, part);
      if (next == members.size()) return false;
      const int bytes = machine_bytes(p_.sites[members[next].site]);
      if (bytes != 0 && bytes != width) return false;
      led |= bytes == width;
      parts.push_back(next);
    }
    if (!led) return false;
    for (const std::size_t i : parts) {
      members[i].covered = true;
      p_.sites[members[i].site].counted_bytes = 0;
    }
    p_.sites[members[first].site].counted_bytes = width;
    return true;
  }

  // By how much the block itself moves the group's base on, for the next iteration of its loop; 0 when
  // it does something else with it.
  std::int64_t advance_of(const GroupKey& key) const {
    return key.is_constant ? 0 : advance_of(key.block, key.base, 0).value_or(0);
  }

  // The step of a register that the block writes once, worked out from those of what it is made of; a
  // register that the block does not write stays as it is.
  std::optional<std::int64_t> advance_of(std::size_t block, std::uint32_t reg, int depth) const {
    constexpr int kDeepest = 8;
    const auto found = definitions_.find({block, reg});
    if (found == definitions_.end()) return 0;
    const std::uint32_t op = found->second.front();
    if (found->second.size() > 1 || depth == kDeepest || p_.ops[op].body) return std::nullopt;
    std::optional<std::int64_t> steps[3] = {0, 0, 0}, values[3];
    bool from_itself = false;
    int sources = 0;
    for (const Reference* r : references_of_[op]) {
      if (r->is_definition || r->is_listed || sources == 3) continue;
      const int i = sources++;
      if (r->is_constant) values[i] = static_cast<std::int64_t>(p_.constants[r->index].bits);
      else if (r->index == reg) from_itself = true;
      else steps[i] = advance_of(block, r->index, depth + 1);
    }
    if (from_itself) return own_step(p_.ops[op].affine, values);
    for (const auto& step : steps) {
      if (!step) return std::nullopt;
    }
    return combined(p_.ops[op].affine, steps, values);
  }

  // r = r + constant.
  static std::optional<std::int64_t> own_step(Affine affine,
                                              const std::optional<std::int64_t> (&values)[3]) {
    if (affine != Affine::kAdd) return std::nullopt;
    return values[0] ? values[0] : values[1];
  }

  static std::optional<std::int64_t> combined(Affine affine,
                                              const std::optional<std::int64_t> (&steps)[3],
                                              const std::optional<std::int64_t> (&values)[3]) {
    const bool still = *steps[0] == 0 && *steps[1] == 0 && *steps[2] == 0;
    if (still) return 0;
    switch (affine) {
      case Affine::kCopy: return *steps[0];
      case Affine::kAdd: return *steps[0] + *steps[1];
      case Affine::kSubtract: return *steps[0] - *steps[1];
      case Affine::kShiftLeft:
        if (values[1] && *values[1] >= 0 && *values[1] < 32) return *steps[0] << *values[1];
        return std::nullopt;
      case Affine::kMultiply:
      case Affine::kMultiplyAdd:
        if (values[1]) return *steps[0] * *values[1] + *steps[2];
        if (values[0]) return *steps[1] * *values[0] + *steps[2];
        return std::nullopt;
      case Affine::kNone: break;
    }
    return std::nullopt;
  }

  // A wider access that begins at members[first] and whose parts are all there.
  bool cover_group(std::vector<Member>& members, std::size_t first) {
    const int part = p_.sites[members[first].site].bytes;
    for (int width = 16; width > part; width /= 2) {
      std::vector<std::size_t> parts;
      bool led = false, fits = true;
      for (std::int64_t offset = members[first].offset; offset < members[first].offset + width;
           offset += part) {
        const std::size_t next = find_member(members, first, offset, part);
        if (next == members.size()) {
          fits = false;
          break;
        }
        const int bytes = machine_bytes(p_.sites[members[next].site]);
        if (bytes != 0 && bytes != width) fits = false;
        led |= bytes == width;
        parts.push_back(next);
      }
      if (!fits || !led) continue;
      for (const std::size_t i : parts) {
        members[i].covered = true;
        p_.sites[members[i].site].counted_bytes = 0;
      }
      p_.sites[members[first].site].counted_bytes = width;
      return true;
    }
    return false;
  }

  std::size_t find_member(const std::vector<Member>& members, std::size_t from, std::int64_t offset,
                          int bytes) const {
    for (std::size_t i = from; i < members.size() && members[i].offset <= offset; ++i) {
      if (members[i].offset == offset && !members[i].covered &&
          p_.sites[members[i].site].bytes == bytes)
        return i;
    }
    return members.size();
  }

  void lost(const Site& site) {
    const int machine = machine_bytes(site);
    const char* what = site.is_async_copy ? "copy" : site.is_store ? "store" : "load";
    if (machine == 0) {
      note(fmt::format("PTX line {}: no machine {} stands for this {}-byte {}", line_of(site), what,
                       site.bytes, what));
    } else if (machine < 0) {
      note(fmt::format("PTX line {}: machine {}s of several widths stand for this one",
                       line_of(site), what));
    } else {
      note(fmt::format("PTX line {}: a {}-byte machine {} stands for this {}-byte one",
                       line_of(site), machine, what, site.bytes));
    }
  }

  // Machine accesses on lines that hold no access of their kind.
  void find_strangers() {
    std::set<std::pair<int, bool>> known;  // line, is_store
    for (const Site& site : p_.sites) known.insert({line_of(site), site.is_store});
    for (const SassAccess& a : cubin_.accesses) {
      if (a.never || !is_followed(a.kind)) continue;
      if (known.contains({a.ptx_line, is_store(a.kind)})) continue;
      note(fmt::format("machine code at {:#x} {} {} bytes for PTX line {}, which is no such access",
                       a.address, is_store(a.kind) ? "stores" : "loads", a.bytes, a.ptx_line));
    }
  }

  // A copy that may read a part of its bytes is one machine instruction, but hardware may execute two, and
  // when it does is not known here. Where it is all or nothing, a predicate says which, and it is one.
  void find_partial_copies() {
    std::set<int> lines;
    for (const SassAccess& a : cubin_.accesses) {
      if (a.partial && !a.never) lines.insert(a.ptx_line);
    }
    for (const int line : lines) {
      note(fmt::format(
          "PTX line {}: hardware may execute a copy twice that reads a part of its bytes", line));
    }
  }

  // Without the table of lines only the totals can be compared.
  Census without_lines() {
    enum Form { kPlain, kCopy, kMatrix };
    std::map<std::tuple<bool, bool, Form, int>, int> difference;  // shared, store, form, bytes
    for (const Site& site : p_.sites) {
      if (!is_counted(site)) continue;
      const Form form = site.is_async_copy ? kCopy : site.is_matrix ? kMatrix : kPlain;
      ++difference[{site.space == ptx::Space::kShared, site.is_store, form, site.bytes}];
    }
    for (const SassAccess& a : cubin_.accesses) {
      if (a.never || !is_followed(a.kind)) continue;
      const bool shared = a.kind == SassAccessKind::kSharedLoad ||
                          a.kind == SassAccessKind::kSharedStore || is_matrix(a.kind);
      const Form form = a.kind == SassAccessKind::kGlobalToShared ? kCopy
                        : is_matrix(a.kind)                       ? kMatrix
                                                                  : kPlain;
      --difference[{shared, is_store(a.kind), form, a.bytes}];
    }
    const bool equal = std::all_of(difference.begin(), difference.end(),
                                   [](const auto& d) { return d.second == 0; });
    find_partial_copies();
    census_.fidelity = equal && census_.notes.empty() ? Fidelity::kExact : Fidelity::kApproximate;
    if (!equal)
      note(
          "the cubin has no line information (compile with -lineinfo), and its accesses differ in "
          "number or width");
    return census_;
  }

  Decoded& d_;
  Program& p_;
  const CubinKernel& cubin_;
  std::map<int, std::vector<const SassAccess*>> by_line_;
  std::map<GroupKey, std::vector<Member>> groups_;
  std::vector<std::vector<const Reference*>> references_of_;  ///< by operation
  /// By block and register: the operations of the block that write it.
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::uint32_t>> definitions_;
  Census census_;
};

}  // namespace

Census take_census(Decoded& decoded, const CubinKernel* cubin) {
  if (!cubin) {
    Census census;
    census.notes.push_back("no cubin: accesses are counted with the widths the PTX gives them");
    return census;
  }
  return CensusTaker(decoded, *cubin).run();
}

}  // namespace tilewise::vgpu
