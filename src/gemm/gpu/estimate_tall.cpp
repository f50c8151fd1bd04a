// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What plans would cost by kernels for tall products (kernels/gemm/tall.cuh, tall_any.cuh, tall_long.cuh): a start, and what
// memory takes. Fitted to 38 products on an H100, those of bench/suites/tall.csv and some more that are not aligned, 1.6 to 160 MB.
#include <algorithm>

#include "core/divide.hpp"
#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/estimate_terms.hpp"
#include "gemm/gpu/tall_any.hpp"

namespace tilewise::gpu {
namespace {

constexpr double kStart = 3.7;  // µs, beside the launch
// Of the datasheet's bandwidth, of an H200's, too. And what comes to a multiprocessor, where that is not known.
constexpr double kBandwidthShare = 0.82, kBytesPerMicrosecondAndSm = 24000;
// Each more 8192 elements of B, of which a thread brings 32 at a time, in µs.
constexpr double kElementsOfBatch = 8192, kBatchMicroseconds = 0.9;
// Pieces of A come one after the other: for each k, by columns from the first on, by rows beyond 128.
constexpr double kColumnsMicrosecondsOfK = 0.015, kRowsMicrosecondsOfK = 0.02;
constexpr double kShortRows = 128;
// C that is not aligned goes by way of shared memory: a start, and each element as if it were so many bytes more.
constexpr double kStagedMicroseconds = 2.5, kStagedBytes = 1.4;
constexpr double kRoundMicroseconds = 2.5;  // of blocks of a batch, behind the first
// Where A and C begin anywhere (tall_any.cuh), by rows and by columns of C, fitted to 200 products on an H200, 1 to 64 columns, a k
// of 5 to 191 and 0.2 to 100 MB, with median errors of 5 and 6 %: the start; what of the memory's time is not hidden; and of each line of a
// multiprocessor what it takes by itself, for each column, for each 16 k, and for each 16 k of 32 columns. Before the first lines B
// is brought: each 16 k of 32 columns.
struct AnyMicroseconds {
  double start, of_memory, of_line, of_column, of_step, of_product, of_b;
};
constexpr AnyMicroseconds kAnyByRows{4.5, 0.8, 2.5e-3, 2e-5, 6e-4, 4.9e-4, 0.23},
    kAnyByColumns{5.0, 0.27, 0, 2.4e-4, 1.4e-4, 8.9e-4, 0.26};

// Of a longer k (tall_long.cuh), for few columns and for more, where A lies along k and across it: the start, each 16 k of 16
// columns of B, each megabyte of A as if all multiprocessors had as many lines as the one that has most, and each million elements
// of C. By 46 products on an H200, 3 to 130 MB and up to 15 columns, and eight of more columns; a seventh more than these take,
// with median errors of 6 and 7 % beside that, as strips of any alignment, the other choice, are estimated high, too.
struct LongMicroseconds {
  double start, of_b, of_megabyte, of_elements;
};
constexpr LongMicroseconds kLongOfFewAlong{8.6, 0.012, 0.46, 0},
    kLongOfFewAcross{9.3, 0.014, 0.47, 0}, kLongAlong{9.0, 0.011, 0.51, 6},
    kLongAcross{10.2, 0.018, 0.47, 3};

// Where TMA brings A (tall_boxes.cuh), fitted to 130 products on an H200, 8 to 128 columns and a k of 16 to 256, as far as it
// is a choice between these and others: the start, each tile of a warpgroup behind the other, the bandwidth, and each row of up
// to 128 bytes of a multiprocessor's.
constexpr double kBoxesStart = 2.0, kBoxesMicrosecondsOfTile = 0.1, kBoxesBandwidthShare = 0.9,
                 kBoxesMicrosecondsOfLine = 0.0032;

void add_any(Estimate& e, const Plan& plan, const Problem& oriented, std::int64_t sms) {
  constexpr std::int64_t kStep = 16, kGroup = 32;
  const auto steps = static_cast<double>(divide_up(oriented.k(), kStep));
  if (is_of_long_k(*plan.kernel)) {
    const bool is_few = plan.kernel->bn == kernels::tall_long_columns(true);
    const LongMicroseconds& of_long =
        is_few ? (oriented.a_along_k ? kLongOfFewAlong : kLongOfFewAcross)
               : (oriented.a_along_k ? kLongAlong : kLongAcross);
    const auto groups =
        static_cast<double>(divide_up(oriented.n(), std::int64_t{kernels::kTallLongGroup}));
    const std::int64_t lines = kernels::tall_long_lines(!oriented.a_along_k),
                       units = divide_up(oriented.m(), lines) * oriented.count;
    const double rows = static_cast<double>(oriented.m() * oriented.count),
                 most_rows = static_cast<double>(divide_up(units, sms) * sms * lines);
    e.memory = std::max(e.memory, of_long.of_megabyte * 1e-6 * most_rows *
                                      static_cast<double>(size_of(oriented.operand)) *
                                      static_cast<double>(oriented.k()));
    e.fill += of_long.start + of_long.of_b * steps * groups +
              of_long.of_elements * 1e-6 * rows * static_cast<double>(oriented.n());
    return;
  }
  const AnyMicroseconds& any = plan.kernel->transposes_result ? kAnyByColumns : kAnyByRows;
  const std::int64_t lines = kernels::tall_any_lines(!plan.kernel->transposes_result,
                                                     !oriented.a_along_k),
                     units = divide_up(oriented.m(), lines) * oriented.count;
  const auto of_sm = static_cast<double>(divide_up(units, sms) * lines);
  const double products = steps * static_cast<double>(divide_up(oriented.n(), kGroup));
  e.memory *= any.of_memory;
  e.fill += any.start + any.of_b * products +
            of_sm * (any.of_line + any.of_column * static_cast<double>(oriented.n()) +
                     any.of_step * steps + any.of_product * products);
}

}  // namespace

Estimate estimate_of_tall(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  const bool by_columns = kernel.transposes_result;
  const std::int64_t sms = std::max(1, gpu.sm_count), places = sms * kernel.blocks_per_sm;
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = std::min(e.tiles, places);
  e.waves = static_cast<double>(e.tiles) / static_cast<double>(places);

  const std::int64_t row = by_columns ? oriented.m() : oriented.n();
  const bool is_aligned = row * static_cast<std::int64_t>(size_of(oriented.result)) % 16 == 0;
  const bool is_any = is_tall_of_any_alignment(kernel);
  const double rows = static_cast<double>(oriented.m()) * static_cast<double>(oriented.count),
               k = static_cast<double>(oriented.k()),
               elements = rows * static_cast<double>(oriented.n()),
               factors = factor_bytes(oriented), results = memory_bytes(oriented) - factors;
  const bool by_boxes = is_tall_by_boxes(kernel);
  const std::int64_t times = by_boxes && is_read_once(kernel, oriented)
                                 ? 1
                                 : divide_up(oriented.n(), std::int64_t{kernel.bn});
  const double bytes = factors * static_cast<double>(times) + results +
                       (is_aligned || is_any ? 0 : kStagedBytes * elements);
  const double of_sms = kBytesPerMicrosecondAndSm * static_cast<double>(sms),
               share = is_any ? 1 : kBandwidthShare, of_memory = gpu.memory_bandwidth * share / 1e6;
  e.memory = bytes / (of_memory > 0 ? of_memory : of_sms);
  if (by_boxes) {
    const auto lines = rows * static_cast<double>(divide_up(oriented.k(), std::int64_t{kernel.bk}));
    e.memory = std::max(e.memory * kBandwidthShare / kBoxesBandwidthShare,
                        lines / static_cast<double>(sms) * kBoxesMicrosecondsOfLine);
  }

  const std::int64_t of_matrix =
      std::min(tiles_of(plan, oriented), divide_up(places, oriented.count));
  const auto rounds = static_cast<double>(divide_up(of_matrix * oriented.count, places));
  e.fill = kRoundMicroseconds * (rounds - 1);
  if (by_boxes) {
    const std::int64_t warpgroups = places * kernel.threads / 128,
                       tiles = divide_up(oriented.m(), std::int64_t{kernel.bm}) * oriented.count;
    e.fill += kBoxesStart + (is_aligned ? 0 : kStagedMicroseconds) +
              kBoxesMicrosecondsOfTile * static_cast<double>(divide_up(tiles, warpgroups));
  } else if (is_any) {
    add_any(e, plan, oriented, sms);
  } else {
    const auto batches = static_cast<double>(
        divide_up(oriented.k() * kernel.bn, static_cast<std::int64_t>(kElementsOfBatch)));
    e.fill += kStart + (is_aligned ? 0 : kStagedMicroseconds) +
              kBatchMicroseconds * std::max(0.0, batches - 1) +
              (by_columns ? kColumnsMicrosecondsOfK * k
                          : kRowsMicrosecondsOfK * std::max(0.0, k - kShortRows));
  }
  e.launches = kLaunchMicroseconds;
  add_preparation(e, plan, oriented, gpu);
  e.microseconds = e.memory + e.fill + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
