// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/counting.hpp"

#include <map>
#include <string>

namespace tilewise::vgpu {
namespace {

class Tally {
 public:
  explicit Tally(const Program& program) : program_(program) {}

  void add(const Worker& w) {
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) add_block(w, b);
    for (std::size_t i = 0; i < w.guarded_fmas.size(); ++i) {
      if (w.guarded_fmas[i]) at(static_cast<int>(i)).fma_threads += w.guarded_fmas[i];
    }
    for (std::size_t m = 0; m < w.matrix_runs.size(); ++m)
      add_products(program_.matrix_ops[m], w.matrix_runs[m]);
    for (std::size_t b = 0; b < w.bulk_bytes.size(); ++b)
      add_bulk(program_.bulk_copies[b], w.bulk_bytes[b]);
    for (std::size_t s = 0; s < program_.sites.size(); ++s) add_site(program_.sites[s], w.sites[s]);
    lane_instructions_ += w.guarded_lanes;
  }

  LaunchReport report() const {
    LaunchReport result;
    for (const auto& [line, counters] : lines_) {
      if (counters == Counters{}) continue;
      result.lines.push_back({line.first, line.second, counters});
      result.counters += counters;
    }
    result.lane_instructions = lane_instructions_;
    return result;
  }

 private:
  void add_block(const Worker& w, std::size_t index) {
    const Block& block = program_.blocks[index];
    const std::uint64_t runs = w.block_runs[index], lanes = w.block_lanes[index];
    if (runs == 0) return;
    lane_instructions_ += lanes * block.unguarded;
    for (std::uint32_t i = 0; i < block.instructions; ++i) {
      const int instruction = static_cast<int>(block.first_instruction + i);
      Counters& line = at(instruction);
      line.warp_instructions += runs;
      if (program_.instructions[instruction].is_unguarded_fma) line.fma_threads += lanes;
    }
    if (block.terminator.kind == TerminatorKind::kBarrier)
      at(block.terminator.instruction).barriers += runs;
  }

  void add_products(const MatrixOp& matrix, std::uint64_t runs) {
    const MatrixProduct& p = matrix.product;
    const auto products = static_cast<std::uint64_t>(p.m) * p.n * p.k;
    if (runs == 0) return;
    Counters& line = at(matrix.instruction);
    line.*counter_of(p.a) += runs * products;
    line.wgmma_shared_bytes += runs * static_cast<std::uint64_t>(matrix.shared_bytes) / 4;
  }

  static std::uint64_t Counters::*counter_of(MatrixType type) {
    switch (type) {
      case MatrixType::kF16: return &Counters::tensor_fmas_f16;
      case MatrixType::kBf16: return &Counters::tensor_fmas_bf16;
      case MatrixType::kTf32: return &Counters::tensor_fmas_tf32;
      case MatrixType::kE4m3:
      case MatrixType::kE5m2: return &Counters::tensor_fmas_fp8;
      case MatrixType::kF64: return &Counters::tensor_fmas_f64;
      default: return &Counters::tensor_fmas_s8;
    }
  }

  // Neighbouring iterations cost the same, so what one access in several of them costs is that part.
  static AccessSite merged(AccessSite counts, int iterations) {
    const auto parts = static_cast<std::uint64_t>(iterations);
    for (std::uint64_t* each : {&counts.instructions, &counts.sectors, &counts.wavefronts,
                                &counts.conflicts, &counts.shared_instructions}) {
      *each /= parts;
    }
    return counts;
  }

  void add_bulk(const BulkCopyFacts& copy, std::uint64_t bytes) {
    if (bytes == 0) return;
    Counters& line = at(copy.instruction);
    if (copy.path == BulkPath::kToGlobal) line.bulk_store_bytes += bytes;
    else line.bulk_load_bytes += bytes;
  }

  void add_site(const Site& site, const AccessSite& counts) {
    if (site.iterations_merged == 1) return add_counts(site, counts);
    add_counts(site, merged(counts, site.iterations_merged));
  }

  void add_counts(const Site& site, const AccessSite& counts) {
    if (site.counted_bytes == 0 || site.is_atomic) return;
    if (site.space == ptx::Space::kConst || site.space == ptx::Space::kParam) return;
    Counters& line = at(site.instruction);
    if (site.is_async_copy) {
      line.async_copy_instructions += counts.instructions;
      line.async_copy_sectors += counts.sectors;
      line.async_copy_wavefronts += counts.wavefronts;
      line.async_copy_conflicts += counts.conflicts;
      return;
    }
    const bool is_generic = site.space == ptx::Space::kGeneric;
    const std::uint64_t shared =
        site.space == ptx::Space::kShared ? counts.instructions : counts.shared_instructions;
    const std::uint64_t global =
        site.space == ptx::Space::kGlobal || is_generic ? counts.instructions : 0;
    if (site.is_store) {
      line.shared_store_instructions += shared;
      line.shared_store_wavefronts += counts.wavefronts;
      line.shared_store_conflicts += counts.conflicts;
      line.global_store_requests += global;
      line.global_store_sectors += counts.sectors;
    } else {
      line.shared_load_instructions += shared;
      line.shared_load_wavefronts += counts.wavefronts;
      line.shared_load_conflicts += counts.conflicts;
      line.global_load_requests += global;
      line.global_load_sectors += counts.sectors;
    }
  }

  Counters& at(int instruction) {
    const InstructionFacts& facts = program_.instructions[instruction];
    const auto& files = program_.module->files;
    const bool has_source = facts.source.line > 0 && facts.source.file > 0 &&
                            facts.source.file < static_cast<int>(files.size());
    if (has_source) return lines_[{files[facts.source.file], facts.source.line}];
    return lines_[{program_.module->source_name, facts.ptx_line}];
  }

  const Program& program_;
  std::map<std::pair<std::string, int>, Counters> lines_;
  std::uint64_t lane_instructions_ = 0;
};

}  // namespace

LaunchReport make_report(const Program& program, const std::vector<Worker>& workers, bool counted) {
  Tally tally(program);
  for (const Worker& w : workers) tally.add(w);
  LaunchReport report = tally.report();
  if (!counted) {
    report.counters = {};
    report.lines.clear();
  }
  return report;
}

}  // namespace tilewise::vgpu
