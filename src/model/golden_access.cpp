// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/golden_access.hpp"

#include <fmt/format.h>

#include <array>

#include "tilewise/error.hpp"

namespace tilewise::model {
namespace {

struct CountColumn {
  std::string_view words;  // in messages
  std::optional<int> AccessCounts::*member;
};

constexpr std::array<CountColumn, 4> kCountColumns{{
    {"wavefronts", &AccessCounts::shared_wavefronts},
    {"bank conflicts", &AccessCounts::shared_bank_conflicts},
    {"requests", &AccessCounts::global_requests},
    {"sectors", &AccessCounts::global_sectors},
}};

AccessCounts shared_counts(const SharedCost& cost) {
  AccessCounts counts;
  counts.shared_wavefronts = cost.wavefronts;
  counts.shared_bank_conflicts = cost.conflicts;
  return counts;
}

// cp.async.{ca,cg}.{shared,global,both}: the offsets are those of the side it ends in; the other side of
// one is 32 neighbours.
AccessCounts copy_counts(const GoldenAccess& row) {
  LaneAddresses neighbours{};
  for (std::size_t lane = 0; lane < neighbours.size(); ++lane) {
    neighbours[lane] = lane * static_cast<std::uint64_t>(row.bytes_per_lane);
  }
  const bool is_both = row.access.ends_with(".both"), is_global = row.access.ends_with(".global");
  const LaneAddresses& to = is_global ? neighbours : row.offsets;
  const LaneAddresses& from = is_both ? row.from : is_global ? row.offsets : neighbours;
  const AsyncCopyCost cost =
      row.access.starts_with("cp.async.cg")
          ? async_copy_bypassing(to, from, row.active_mask)
          : async_copy_cached(to, from, row.active_mask, row.active_mask, row.bytes_per_lane);
  return {cost.wavefronts, cost.conflicts, 1, cost.sectors};
}

AccessCounts global_counts(int sectors) {
  AccessCounts counts;
  counts.global_requests = 1;
  counts.global_sectors = sectors;
  return counts;
}

bool is_measured(const AccessCounts& counts) { return counts != AccessCounts{}; }

// Counts that the file does not hold are not compared.
bool agrees(const AccessCounts& expected, const AccessCounts& computed) {
  for (const CountColumn& column : kCountColumns) {
    const std::optional<int>& wanted = expected.*column.member;
    if (wanted && wanted != computed.*column.member) return false;
  }
  return true;
}

void evaluate_row(const GoldenAccess& row, GoldenFile& file, GoldenReport& report) {
  ++file.rows;
  if (!is_measured(row.expected)) {
    ++file.not_measured;
    return;
  }
  const AccessCounts computed = evaluate(row);
  if (agrees(row.expected, computed)) {
    ++file.matches;
  } else if (report.first_mismatches.size() < kMostMismatches) {
    report.first_mismatches.push_back(
        {file.file, row.id, row.access, row.bytes_per_lane, row.pattern, row.expected, computed});
  }
}

}  // namespace

AccessCounts evaluate(const GoldenAccess& row) {
  const std::string& access = row.access;
  if (access == "ld.shared") {
    return shared_counts(shared_load(row.offsets, row.active_mask, row.bytes_per_lane));
  }
  if (access == "st.shared") {
    return shared_counts(shared_store(row.offsets, row.active_mask, row.bytes_per_lane));
  }
  if (access == "ldmatrix.x1" || access == "stmatrix.x1") {
    return shared_counts(shared_matrix(row.offsets, 1));
  }
  if (access == "ldmatrix.x2" || access == "stmatrix.x2") {
    return shared_counts(shared_matrix(row.offsets, 2));
  }
  if (access == "ldmatrix.x4" || access == "stmatrix.x4") {
    return shared_counts(shared_matrix(row.offsets, 4));
  }
  if (access == "ld.global" || access == "st.global") {
    return global_counts(global_sectors(row.offsets, row.active_mask, row.bytes_per_lane));
  }
  for (const char* copy : {"cp.async.ca.shared", "cp.async.ca.global", "cp.async.ca.both",
                           "cp.async.cg.shared", "cp.async.cg.global", "cp.async.cg.both"}) {
    if (access == copy) return copy_counts(row);
  }
  throw Error(ErrorCode::kInvalidInput,
              fmt::format("access '{}': expected ld.shared, st.shared, ldmatrix.x1|x2|x4, "
                          "stmatrix.x1|x2|x4, ld.global, st.global or "
                          "cp.async.ca|cg.shared|global|both",
                          access));
}

std::string to_text(const GoldenMismatch& mismatch) {
  std::string expected, computed;
  for (const CountColumn& column : kCountColumns) {
    const std::optional<int>& wanted = mismatch.expected.*column.member;
    const std::optional<int>& got = mismatch.computed.*column.member;
    if (!wanted || wanted == got) continue;
    expected += fmt::format("{}{} {}", expected.empty() ? "" : ", ", *wanted, column.words);
    computed += fmt::format("{}{}", computed.empty() ? "" : ", ",
                            got ? std::to_string(*got) : std::string("none"));
  }
  return fmt::format("row {} {} {} {}: expected {}, computed {}", mismatch.id, mismatch.access,
                     mismatch.bytes_per_lane, mismatch.pattern, expected, computed);
}

void check_rows(std::span<const GoldenAccess> rows, const std::filesystem::path& file,
                GoldenReport& report) {
  GoldenFile summary;
  summary.file = file;
  for (const GoldenAccess& row : rows) evaluate_row(row, summary, report);
  report.rows += summary.rows;
  report.matches += summary.matches;
  report.not_measured += summary.not_measured;
  report.files.push_back(std::move(summary));
}

}  // namespace tilewise::model
