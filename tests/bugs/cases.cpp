// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <bit>
#include <numeric>

namespace tilewise::bugs {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t in(int i) { return static_cast<std::uint32_t>(i) + 1; }

template <class F> Words words(int count, F&& value) {
  Words result;
  for (int i = 0; i < count; ++i) result.push_back(static_cast<std::uint32_t>(value(i)));
  return result;
}

// Results that several twins have in common.
Words copied_32() { return words(32, in); }
Words copied_64() { return words(64, in); }
Words copied_96() { return words(96, in); }
Words copied_128() { return words(128, in); }
Words copied_256() { return words(256, in); }
Words turned_64() {
  return words(64, [](int i) { return in(63 - i); });
}
Words copied_and_turned_64() {
  return words(128, [](int i) { return i < 64 ? in(i) : in(127 - i); });
}
Words turned_128() {
  return words(128, [](int i) { return in(127 - i); });
}
Words turned_256() {
  return words(256, [](int i) { return in(255 - i); });
}
Words plus_one_100() {
  return words(100, [](int i) { return in(i) + 1; });
}
Words plus_one_128() {
  return words(128, [](int i) { return in(i) + 1; });
}

// A·B of matrix.cuh's operands, eight columns.
template <int kRows, int kDepth> Words product() {
  return words(kRows * 8, [](int at) {
    const int i = at / 8, j = at % 8;
    int sum = 0;
    for (int k = 0; k < kDepth; ++k) {
      sum += ((3 * i + 5 * k) % 7 - 3) * ((2 * j + k) % 5 - 2);
    }
    return std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  });
}

Words sum_of_tiles(int threads, int tiles, int tile) {
  return words(threads, [=](int t) {
    std::uint32_t sum = 0;
    for (int k = 0; k < tiles; ++k) sum += in(tile * k + tile - 1 - t);
    return sum;
  });
}

constexpr Argument::Kind kIn = Argument::kIn, kZeros = Argument::kZeros, kOut = Argument::kOut,
                         kSum = Argument::kSum, kUnwritten = Argument::kUnwritten,
                         kNumber = Argument::kNumber, kTensorMap = Argument::kTensorMap;

std::vector<Case> shared_cases() {
  return {
      {"shared_two_writers", 1, 64, {{kIn, 64}, {kOut, 32}}, copied_32},
      {"shared_read_before_barrier", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"shared_overwritten_before_read",
       1,
       64,
       {{kIn, 256}, {kOut, 64}},
       [] { return sum_of_tiles(64, 4, 64); }},
      {"shared_histogram",
       1,
       64,
       {{kIn, 64}, {kOut, 8}},
       [] { return words(8, [](int) { return 8; }); }},
      {"shared_reduction_step",
       1,
       128,
       {{kIn, 128}, {kOut, 1}},
       [] { return Words{128 * 129 / 2}; }},
      {"shared_lanes_disagree",
       1,
       32,
       {{kIn, 32}, {kOut, 32}},
       [] { return words(32, [](int i) { return in(i - i % 2); }); }},
  };
}

std::vector<Case> global_cases() {
  return {
      {"global_sum_of_blocks", 4, 32, {{kIn, 4}, {kSum, 1}}, [] { return Words{10}; }},
      {"global_flag_without_fence", 2, 32, {{kZeros, 1}, {kUnwritten, 32}, {kOut, 32}}, copied_32},
      {"global_last_block",
       4,
       32,
       {{kIn, 4}, {kUnwritten, 4}, {kZeros, 1}, {kOut, 1}},
       [] { return Words{100}; }},
  };
}

std::vector<Case> copy_cases() {
  return {
      {"cp_async_not_waited_for", 1, 64, {{kIn, 256}, {kOut, 256}}, turned_256},
      {"cp_async_wait_one_too_few",
       1,
       64,
       {{kIn, 512}, {kOut, 64}},
       [] { return sum_of_tiles(64, 2, 256); }},
      {"cp_async_without_barrier", 1, 64, {{kIn, 256}, {kOut, 256}}, turned_256},
      {"cp_async_stage_reused",
       1,
       64,
       {{kIn, 768}, {kOut, 64}},
       [] { return sum_of_tiles(64, 3, 256); }},
  };
}

std::vector<Case> bulk_cases() {
  return {
      {"tma_store_without_fence", 1, 64, {{kIn, 64}, {kOut, 64}}, copied_64},
      {"tma_store_source_overwritten", 1, 64, {{kIn, 128}, {kOut, 128}}, copied_128},
      {"tma_store_not_waited_for", 1, 64, {{kIn, 64}, {kOut, 64}}, copied_64},
      {"tma_store_read_back", 1, 64, {{kIn, 64}, {kOut, 128}}, copied_and_turned_64},
      {"tma_reduce_flag_too_early",
       2,
       64,
       {{kIn, 64}, {kZeros, 1}, {kZeros, 64}, {kOut, 64}},
       turned_64},
      {"tma_load_read_early", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"tma_load_over_stores",
       1,
       64,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return i < 32 ? in(i) : 0; }); }},
      {"expect_too_few_bytes", 1, 64, {{kIn, 128}, {kOut, 128}}, turned_128},
      {"expect_too_many_bytes", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"wrong_phase_parity",
       1,
       64,
       {{kIn, 128}, {kOut, 128}},
       [] { return words(128, [](int i) { return in(i / 64 * 64 + 63 - i % 64); }); }},
      {"ring_empty_slot_read", 1, 64, {{kIn, 128}, {kOut, 128}}, copied_128},
      {"ring_slot_released_early", 1, 64, {{kIn, 128}, {kOut, 128}}, copied_128},
  };
}

std::vector<Case> mbarrier_cases() {
  return {
      {"mbarrier_count_too_low",
       1,
       128,
       {{kIn, 96}, {kOut, 32}},
       [] { return words(32, [](int i) { return in(i) + in(i + 32) + in(i + 64); }); }},
      {"mbarrier_count_too_high", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"mbarrier_count_of_one", 1, 64, {{kIn, 32}, {kOut, 32}}, copied_32},
      {"mbarrier_arrives_too_often", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"mbarrier_made_twice", 1, 64, {{kIn, 64}, {kOut, 64}}, copied_64},
      {"mbarrier_never_made", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"mbarrier_made_too_late", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"mbarrier_overwritten", 1, 64, {{kIn, 64}, {kOut, 64}}, copied_64},
  };
}

std::vector<Case> cluster_cases() {
  return {
      {"cluster_read_before_barrier",
       2,
       32,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return in((i + 32) % 64); }); }},
      {"cluster_write_before_read",
       2,
       32,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return in(32 * (1 - i / 32) + 31 - i % 32); }); }},
      {"cluster_block_gone",
       2,
       32,
       {{kIn, 64}, {kOut, 32}},
       [] { return words(32, [](int i) { return in(32 + i); }); }},
      {"cluster_arrive_relaxed",
       2,
       32,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return in((i + 32) % 64); }); }},
      {"cluster_mbarrier_too_early", 2, 32, {{kIn, 64}, {kOut, 64}}, copied_64},
  };
}

std::vector<Case> barrier_cases() {
  return {
      {"barrier_in_half_a_warp",
       1,
       64,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return i % 32 < 16 ? in(63 - i) : ~0u; }); }},
      {"barrier_of_a_gone_warp",
       1,
       64,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return in(63 - i) + (i < 32 ? 1 : 0); }); }},
      {"barrier_after_return",
       1,
       64,
       {{kIn, 40}, {kOut, 40}, {kNumber, 40}},
       [] { return words(40, [](int i) { return in(39 - i); }); }},
      {"named_barriers_crossed", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"barrier_skipped_by_a_warp",
       1,
       64,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return 3 * in(63 - i) + 3; }); }},
      {"setmaxnreg_by_one_warp", 1, 128, {{kIn, 128}, {kOut, 128}}, plus_one_128},
      {"setmaxnreg_wrong_way", 1, 128, {{kIn, 128}, {kOut, 128}}, plus_one_128},
      {"setmaxnreg_without_release",
       1,
       384,
       {{kIn, 384}, {kOut, 384}},
       [] { return words(384, [](int i) { return in(i) + (i < 256 ? 1 : 0); }); }},
  };
}

std::vector<Case> bounds_cases() {
  return {
      {"shared_one_past_the_end",
       1,
       64,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return in(i < 63 ? i + 1 : 63); }); }},
      {"global_one_past_the_end", 2, 64, {{kIn, 100}, {kOut, 100}, {kNumber, 100}}, plus_one_100},
      {"global_before_the_start",
       1,
       64,
       {{kIn, 64}, {kOut, 64}},
       [] { return words(64, [](int i) { return in(i > 0 ? i - 1 : 0); }); }},
      {"local_array_overrun",
       1,
       32,
       {{kIn, 40}, {kOut, 32}},
       [] { return words(32, [](int i) { return in(i + (i + 1) / 4 % 8); }); }},
      {"constant_table_overrun",
       1,
       32,
       {{kIn, 32}, {kOut, 32}},
       [] { return words(32, [](int i) { return 7 - (i + 1) / 4 % 8; }); }},
      {"cluster_one_past_the_end",
       2,
       32,
       {{kIn, 64}, {kOut, 64}},
       [] {
         return words(
             64, [](int i) { return in(32 * (1 - i / 32) + (i % 32 < 31 ? i % 32 + 1 : 31)); });
       }},
      {"shared_misaligned", 1, 64, {{kIn, 64}, {kOut, 64}}, copied_64},
      {"misaligned_vector",
       1,
       16,
       {{kIn, 65}, {kOut, 16}},
       [] { return words(16, [](int i) { return 16 * i + 10; }); }},
      {"misaligned_bulk_copy",
       1,
       64,
       {{kIn, 68}, {kOut, 64}},
       [] { return words(64, [](int i) { return in(i + 4); }); }},
      {"bulk_copy_past_the_end", 2, 64, {{kIn, 96}, {kOut, 96}, {kNumber, 96}}, copied_96},
      {"shared_never_written", 1, 64, {{kIn, 64}, {kOut, 64}}, turned_64},
      {"global_never_written", 1, 64, {{kIn, 64}, {kUnwritten, 64}, {kOut, 64}}, turned_64},
  };
}

std::vector<Case> matrix_cases() {
  return {
      {"wgmma_without_fence", 1, 128, {{kOut, 512}}, product<64, 16>},
      {"wgmma_operand_overwritten", 1, 128, {{kOut, 512}}, product<64, 16>},
      {"wgmma_register_a_overwritten", 1, 128, {{kOut, 512}}, product<64, 16>},
      {"wgmma_result_read_early", 1, 128, {{kOut, 512}}, product<64, 16>},
      {"wgmma_registers_not_fenced", 1, 128, {{kOut, 512}}, product<64, 16>},
      {"ldmatrix_misaligned_row", 1, 32, {{kOut, 128}}, product<16, 16>},
      {"wgmma_wrong_swizzle", 1, 128, {{kOut, 512}}, product<64, 64>},
      {"tensor_tile_misaligned", 1, 32, {{kTensorMap, 256}, {kOut, 256}}, copied_256},
      {"tensor_swizzle_ignored", 1, 32, {{kTensorMap, 256}, {kOut, 256}}, copied_256},
      {"ldmatrix_not_turned", 1, 32, {{kOut, 128}}, product<16, 16>},
  };
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> result;
    for (auto part : {shared_cases, global_cases, copy_cases, bulk_cases, mbarrier_cases,
                      cluster_cases, barrier_cases, bounds_cases, matrix_cases}) {
      for (Case& c : part()) result.push_back(std::move(c));
    }
    return result;
  }();
  return all;
}

std::vector<std::uint32_t> initial_words(const Argument& argument) {
  const auto count = static_cast<std::size_t>(argument.value);
  if (argument.kind == kOut || argument.kind == kUnwritten) return Words(count, ~0u);
  if (argument.kind != kIn && argument.kind != kTensorMap) return Words(count, 0);
  return words(argument.value, in);
}

}  // namespace tilewise::bugs
