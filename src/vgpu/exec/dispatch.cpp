// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which table of operations this machine uses, and looking one up by its key.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "tilewise/error.hpp"
#include "vgpu/exec/fused_sum.hpp"
#include "vgpu/exec/handlers.hpp"

namespace tilewise::vgpu {
namespace {

struct Level {
  std::string_view name;
  bool supported;
  HandlerTables (*tables)();
  FusedSumFunction fused_sums;
};

// Best first. A level needs every feature its file was compiled for.
const Level* levels(std::size_t& count) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  static const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd");
  static const Level all[] = {{"avx512", avx512, handlers_avx512, fused_sums_avx512},
                              {"avx2", avx2, handlers_avx2, fused_sums_avx2},
                              {"portable", true, handlers_portable, fused_sums_portable}};
#else
  static const Level all[] = {{"portable", true, handlers_portable, fused_sums_portable}};
#endif
  count = std::size(all);
  return all;
}

const Level& choose() {
  std::size_t count = 0;
  const Level* all = levels(count);
  const char* wanted = std::getenv("TILEWISE_VGPU_SIMD");
  for (std::size_t i = 0; i < count; ++i) {
    if (wanted && *wanted ? all[i].name == wanted : all[i].supported) {
      if (all[i].supported) return all[i];
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("TILEWISE_VGPU_SIMD={}: this processor does not have it", wanted));
    }
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("TILEWISE_VGPU_SIMD={}: expected avx512, avx2 or portable", wanted));
}

const Level& level() {
  static const Level& chosen = choose();
  return chosen;
}

using Table = std::unordered_map<std::string_view, const HandlerEntry*>;

void add(Table& table, HandlerSpan span) {
  for (std::size_t i = 0; i < span.count; ++i) table.emplace(span.entries[i].key, &span.entries[i]);
}

Table make_table(bool counting) {
  Table table;
  for (const HandlerTables& tables : {level().tables(), handlers_memory(), handlers_async(),
                                      handlers_matrix(), handlers_wmma()}) {
    add(table, tables.arithmetic);
    add(table, counting ? tables.counted_accesses : tables.plain_accesses);
  }
  add(table, handlers_float());
  add(table, handlers_warp());
  add(table, handlers_remote());
  add(table, handlers_bulk());
  add(table, handlers_wgmma());
  add(table, handlers_tensormap());
  add(table, handlers_calls());
  return table;
}

}  // namespace

const HandlerEntry* find_handler(std::string_view key, bool counting) {
  static const Table counted = make_table(true), plain = make_table(false);
  const Table& table = counting ? counted : plain;
  const auto found = table.find(key);
  return found == table.end() ? nullptr : found->second;
}

FusedSumFunction fused_sum_function() { return level().fused_sums; }

std::string_view simd_level() { return level().name; }

void run_guarded(Warp& warp, const Op& op) {
  std::uint32_t guard = warp.predicates[op.guard];
  if (op.guard_negated) guard = ~guard;
  const std::uint32_t active = warp.active;
  warp.active = active & guard;
  if (warp.active != 0) {
    const auto lanes = static_cast<std::uint64_t>(std::popcount(warp.active));
    warp.worker->guarded_lanes += lanes;
    if (op.is_fma) warp.worker->guarded_fmas[op.instruction] += lanes;
    op.body(warp, op);
  }
  warp.active = active;
}

}  // namespace tilewise::vgpu
