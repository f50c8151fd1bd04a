// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/fingerprint.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/random.hpp"
#include "tilewise/tilewise.h"

namespace tilewise::gpu {
namespace {

// Not against forgers: two builds that differ shall differ here.
class Hash {
 public:
  void add(std::uint64_t word) { state_ = mix64(state_ ^ word) + 0x9E3779B97F4A7C15u; }
  void add(const void* begin, std::size_t bytes) {
    add(bytes);
    const char* at = static_cast<const char*>(begin);
    for (; bytes >= 8; at += 8, bytes -= 8) add(word_at(at, 8));
    if (bytes > 0) add(word_at(at, bytes));
  }
  void add(std::string_view text) { add(text.data(), text.size()); }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
    return digits;
  }

 private:
  static std::uint64_t word_at(const char* at, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    return word;
  }
  std::uint64_t state_ = 0;
};

void add(Hash& hash, const kernels::GemmKernel& kernel) {
  hash.add(kernel.name);
  hash.add(kernel.unit);
  hash.add(kernel.boxes_entry);
  for (const auto* const entries : {&kernel.entries, &kernel.adding_entries, &kernel.part_entries})
    for (const auto& by_b : *entries)
      for (const std::string_view entry : by_b) hash.add(entry);
  for (const auto number : {static_cast<std::int64_t>(kernel.operand),
                            static_cast<std::int64_t>(kernel.result),
                            static_cast<std::int64_t>(kernel.mode),
                            static_cast<std::int64_t>(kernel.preparation),
                            static_cast<std::int64_t>(kernel.pipe),
                            std::int64_t{kernel.compute_major},
                            std::int64_t{kernel.yields_to_hopper},
                            std::int64_t{kernel.bm},
                            std::int64_t{kernel.bn},
                            std::int64_t{kernel.bk},
                            std::int64_t{kernel.stages},
                            std::int64_t{kernel.boxes_stages},
                            std::int64_t{kernel.threads},
                            std::int64_t{kernel.dynamic_shared_bytes},
                            std::int64_t{kernel.blocks_per_sm},
                            std::int64_t{kernel.cluster.down},
                            std::int64_t{kernel.cluster.across},
                            std::int64_t{kernel.takes_clusters},
                            std::int64_t{kernel.persistent},
                            std::int64_t{kernel.is_single},
                            std::int64_t{kernel.tiles_of_block},
                            std::int64_t{kernel.goes_by_rounds},
                            std::int64_t{kernel.splits},
                            std::int64_t{kernel.most_parts_in_cluster},
                            std::int64_t{kernel.steps_together},
                            kernel.most_extent,
                            kernel.most_rows,
                            kernel.most_columns,
                            kernel.least_k,
                            kernel.most_k,
                            std::int64_t{kernel.takes_pointers},
                            std::int64_t{kernel.alignment},
                            std::int64_t{kernel.transposes_result},
                            std::int64_t{kernel.hides_result},
                            std::int64_t{kernel.overlaps_previous},
                            std::int64_t{kernel.keeps_rounds},
                            std::int64_t{kernel.products}})
    hash.add(static_cast<std::uint64_t>(number));
  // What the planner reckons with: another choice of its own is another thing to have measured against.
  hash.add(static_cast<std::uint64_t>(kernel.is_planned));
  for (const double number : {kernel.efficiency, kernel.efficiency_alone, kernel.overhead})
    hash.add(&number, sizeof number);
}

}  // namespace

std::string fingerprint(std::span<const kernels::GemmKernel> catalogue,
                        std::span<const kernels::KernelImage> images, const model::Gpu& gpu) {
  Hash hash;
  for (const std::uint64_t number : {TW_VERSION_MAJOR, TW_VERSION_MINOR, TW_VERSION_PATCH})
    hash.add(number);
  for (const kernels::GemmKernel& kernel : catalogue) add(hash, kernel);
  const auto add_images = [&](auto&& wanted) {
    bool any = false;
    for (const kernels::KernelImage& image : images) {
      if (!wanted(image)) continue;
      hash.add(image.digest);
      any = true;
    }
    return any;
  };
  const auto runs = [&](const kernels::KernelImage& image) {
    return kernels::cubin_runs_on(image, gpu.compute_major, gpu.compute_minor);
  };
  if (!add_images(runs)) add_images([](const auto&) { return true; });  // the driver compiles PTX
  return hash.text();
}

std::string own_fingerprint(const model::Gpu& gpu) {
  return fingerprint(kernels::gemm_kernels(), kernels::gemm_images(), gpu);
}

}  // namespace tilewise::gpu
