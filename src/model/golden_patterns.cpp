// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which memory instructions are worth capturing on a real GPU: the regular patterns of GEMM kernels,
// and random ones that no rule was made for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/random.hpp"
#include "model/golden_access.hpp"

namespace tilewise::model {
namespace {

constexpr std::uint64_t kLanes = 32;
constexpr std::uint32_t kAllLanes = 0xFFFFFFFF;

// Collects the rows of one access and width.
class Collector {
 public:
  Collector(std::string access, int bytes, std::uint64_t seed, std::vector<GoldenAccess>& rows)
      : access_(std::move(access)), bytes_(bytes), seed_(seed), rows_(rows) {}

  std::uint64_t bytes() const { return static_cast<std::uint64_t>(bytes_); }

  // `offset(lane)` in bytes. A pattern that leaves the captured memory is left out.
  template <typename Offset>
  void add(const std::string& pattern, Offset offset, std::uint32_t mask = kAllLanes) {
    GoldenAccess row;
    row.access = access_;
    row.bytes_per_lane = bytes_;
    row.pattern = pattern;
    row.active_mask = mask;
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) row.offsets[lane] = offset(lane);
    add(std::move(row));
  }

  // The same with a second side.
  void add(const std::string& pattern, const LaneAddresses& to, const LaneAddresses& from,
           std::uint32_t mask = kAllLanes) {
    GoldenAccess row;
    row.access = access_;
    row.bytes_per_lane = bytes_;
    row.pattern = pattern;
    row.active_mask = mask;
    row.offsets = to;
    row.from = from;
    if (*std::max_element(from.begin(), from.end()) + bytes() <= kCaptureBytes) add(std::move(row));
  }

  void add(GoldenAccess row) {
    if (*std::max_element(row.offsets.begin(), row.offsets.end()) + bytes() > kCaptureBytes) return;
    row.id = static_cast<int>(rows_.size());
    rows_.push_back(std::move(row));
  }

  // A new random number below `limit`; the same for the same seed.
  std::uint64_t random(std::uint64_t limit) { return mix64(seed_ ^ mix64(++drawn_)) % limit; }

  // 32 random offsets below `range` bytes.
  LaneAddresses random_offsets(std::uint64_t range) {
    LaneAddresses offsets{};
    for (std::uint64_t& offset : offsets) offset = random(range / bytes()) * bytes();
    return offsets;
  }

 private:
  std::string access_;
  int bytes_;
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  std::vector<GoldenAccess>& rows_;
};

void add_strides(Collector& out) {
  for (const std::uint64_t stride : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33}) {
    out.add(fmt::format("stride{}", stride),
            [&](std::uint64_t lane) { return lane * stride * out.bytes(); });
  }
}

// Eight lanes along each row; rows a tile's width plus padding apart.
void add_row_strides(Collector& out) {
  for (const std::uint64_t words : {20, 32, 36, 68, 132, 136}) {
    out.add(fmt::format("rowstride{}w", words),
            [&](std::uint64_t lane) { return lane / 8 * words * 4 + lane % 8 * out.bytes(); });
    out.add(fmt::format("columnstride{}w", words),
            [&](std::uint64_t lane) { return lane * words * 4; });
  }
}

// The warp shapes of a register-tiled kernel: what lanes read of A's column and of B's row.
void add_warp_tiles(Collector& out) {
  for (const std::uint64_t columns : {1, 2, 4, 8, 16, 32}) {
    const std::uint64_t rows = kLanes / columns;
    out.add(fmt::format("tile{}x{}_A", rows, columns),
            [&](std::uint64_t lane) { return lane / columns * out.bytes(); });
    out.add(fmt::format("tile{}x{}_B", rows, columns),
            [&](std::uint64_t lane) { return lane % columns * out.bytes(); });
    out.add(fmt::format("tile{}x{}_A_apart", rows, columns),
            [&](std::uint64_t lane) { return lane / columns * 32; });
    out.add(fmt::format("tile{}x{}_B_apart", rows, columns),
            [&](std::uint64_t lane) { return lane % columns * 32; });
  }
  const auto z_row = [](std::uint64_t lane) { return (lane >> 1 & 1) | (lane >> 3 & 3) << 1; };
  const auto z_column = [](std::uint64_t lane) { return (lane & 1) | (lane >> 2 & 1) << 1; };
  out.add("zorder_A", [&](std::uint64_t lane) { return z_row(lane) * out.bytes(); });
  out.add("zorder_B", [&](std::uint64_t lane) { return z_column(lane) * out.bytes(); });
}

void add_random(Collector& out) {
  for (const std::uint64_t range : {1024, 4096, 16384}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const LaneAddresses offsets = out.random_offsets(range);
      out.add(fmt::format("random{}k_{}", range / 1024, repeat),
              [&](std::uint64_t lane) { return offsets[lane]; });
    }
  }
  for (const std::uint64_t choices : {2, 3, 6, 12}) {
    const LaneAddresses pool = out.random_offsets(4096);
    out.add(fmt::format("pool{}", choices),
            [&](std::uint64_t) { return pool[out.random(choices)]; });
  }
}

void add_permutations(Collector& out) {
  out.add("reverse", [&](std::uint64_t lane) { return (31 - lane) * out.bytes(); });
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::array<std::uint64_t, kLanes> order;
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    for (std::uint64_t i = kLanes - 1; i > 0; --i) std::swap(order[i], order[out.random(i + 1)]);
    out.add(fmt::format("permutation_{}", repeat),
            [&](std::uint64_t lane) { return order[lane] * out.bytes(); });
    out.add(fmt::format("permutation_pairs_{}", repeat),
            [&](std::uint64_t lane) { return order[lane] / 2 * out.bytes(); });
  }
}

// Lanes i and i^distance share an address: i^1 and i^2 let loads merge phases, the others do not.
void add_pairs(Collector& out) {
  const auto leader = [](std::uint64_t lane, std::uint64_t distance) {
    return std::min(lane, lane ^ distance);
  };
  for (const std::uint64_t distance : {1, 2, 3, 4, 5, 8, 12, 16, 24}) {
    const LaneAddresses offsets = out.random_offsets(4096);
    out.add(fmt::format("xor{}same", distance),
            [&](std::uint64_t lane) { return leader(lane, distance) * out.bytes(); });
    out.add(fmt::format("xor{}same_random", distance),
            [&](std::uint64_t lane) { return offsets[leader(lane, distance)]; });
  }
  // Each half warp fulfils another condition, so the whole warp fulfils none.
  const LaneAddresses offsets = out.random_offsets(4096);
  out.add("xor1same_xor2same_halves",
          [&](std::uint64_t lane) { return offsets[leader(lane, lane < 16 ? 1 : 2)]; });
  // The pairs differ only where a partner is inactive.
  const LaneAddresses apart = out.random_offsets(4096);
  out.add(
      "xor1same_odd_lanes_off", [&](std::uint64_t lane) { return apart[lane]; }, 0x55555555);
  out.add(
      "xor2same_upper_off", [&](std::uint64_t lane) { return apart[lane]; }, 0x33333333);
  out.add(
      "xor1same_one_lane_off",
      [&](std::uint64_t lane) { return lane == 7 ? apart[7] : apart[leader(lane, 1)]; },
      ~(1u << 6));
}

void add_masks(Collector& out) {
  constexpr std::array<std::uint32_t, 13> kMasks{
      0x00000001, 0x80000000, 0x000000FF, 0x0000FFFF, 0xFFFF0000, 0x00FF00FF, 0x0F0F0F0F,
      0x33333333, 0xCCCCCCCC, 0x55555555, 0xAAAAAAAA, 0x11111111, 0x7FFFFFFF};
  for (const std::uint32_t mask : kMasks) {
    out.add(
        fmt::format("mask{:08x}_seq", mask), [&](std::uint64_t lane) { return lane * out.bytes(); },
        mask);
  }
  for (int repeat = 0; repeat < 4; ++repeat) {
    const std::uint32_t mask = static_cast<std::uint32_t>(out.random(kAllLanes)) + 1;
    const LaneAddresses offsets = out.random_offsets(4096);
    out.add(
        fmt::format("mask_random_{}", repeat), [&](std::uint64_t lane) { return offsets[lane]; },
        mask);
  }
}

// Sequential accesses that do not begin at a sector.
void add_shifts(Collector& out) {
  for (std::uint64_t shift = 4; shift <= 64; shift *= 2) {
    if (shift % out.bytes() != 0) continue;
    out.add(fmt::format("seq_offset{}", shift),
            [&](std::uint64_t lane) { return shift + lane * out.bytes(); });
  }
}

// Rows of a tile, as far apart as they lie in a matrix and in a padded, a turned or a swizzled tile; then
// whatever comes.
void add_copies(Collector& out) {
  const auto lanes = [](auto offset) {
    LaneAddresses result{};
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) result[lane] = offset(lane);
    return result;
  };
  for (const std::uint64_t columns : {1, 2, 4, 8}) {
    const LaneAddresses matrix = lanes([&](std::uint64_t lane) {
      return lane / columns * 480 / out.bytes() * out.bytes() + lane % columns * out.bytes();
    });
    const LaneAddresses aligned = lanes(
        [&](std::uint64_t lane) { return lane / columns * 256 + lane % columns * out.bytes(); });
    for (const std::uint64_t padding : {0, 16, 32}) {
      const LaneAddresses padded = lanes([&](std::uint64_t lane) {
        return lane / columns * (columns * out.bytes() + padding) + lane % columns * out.bytes();
      });
      out.add(fmt::format("rows{}_padding{}", columns, padding), padded, aligned);
      out.add(fmt::format("rows{}_padding{}_odd", columns, padding), padded, matrix);
    }
    const LaneAddresses turned = lanes(
        [&](std::uint64_t lane) { return lane % columns * 528 + lane / columns * out.bytes(); });
    const LaneAddresses swizzled = lanes([&](std::uint64_t lane) {
      return (lane / columns * columns + (lane % columns ^ lane / columns % columns)) * out.bytes();
    });
    out.add(fmt::format("rows{}_turned", columns), turned, aligned);
    out.add(fmt::format("rows{}_swizzled", columns), swizzled, aligned);
  }
  for (const std::uint64_t range : {256, 1024, 4096}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const LaneAddresses to = out.random_offsets(range), from = out.random_offsets(1024);
      const auto mask = static_cast<std::uint32_t>(out.random(kAllLanes)) + 1;
      out.add(fmt::format("random{}_{}", range, repeat), to, from, repeat < 3 ? kAllLanes : mask);
    }
  }
}

void add_matrix_rows(Collector& out) {
  for (const std::uint64_t stride : {0, 16, 32, 48, 64, 80, 128, 144, 256, 272, 512, 528}) {
    out.add(fmt::format("rowstride{}B", stride), [&](std::uint64_t lane) { return lane * stride; });
  }
  for (int repeat = 0; repeat < 4; ++repeat) {
    const LaneAddresses offsets = out.random_offsets(4096);
    out.add(fmt::format("random_{}", repeat), [&](std::uint64_t lane) { return offsets[lane]; });
  }
}

void add_vector_patterns(Collector& out, bool global) {
  add_strides(out);
  add_row_strides(out);
  add_random(out);
  add_permutations(out);
  add_masks(out);
  if (global) return add_shifts(out);
  add_warp_tiles(out);
  add_pairs(out);
}

}  // namespace

std::vector<GoldenAccess> capture_patterns(std::uint64_t seed) {
  std::vector<GoldenAccess> rows;
  for (const char* access : {"ld.shared", "st.shared", "ld.global", "st.global"}) {
    for (const int bytes : {4, 8, 16}) {
      Collector out(access, bytes, mix64(seed + rows.size()), rows);
      add_vector_patterns(out, std::string_view(access).ends_with("global"));
    }
  }
  for (const char* side : {"shared", "global"}) {
    for (const auto& [cache, bytes] : {std::pair{"ca", 4}, {"ca", 8}, {"ca", 16}, {"cg", 16}}) {
      Collector out(fmt::format("cp.async.{}.{}", cache, side), bytes, mix64(seed + rows.size()),
                    rows);
      add_vector_patterns(out, std::string_view(side) == "global");
    }
  }
  for (const auto& [cache, bytes] : {std::pair{"ca", 4}, {"ca", 8}, {"ca", 16}, {"cg", 16}}) {
    Collector out(fmt::format("cp.async.{}.both", cache), bytes, mix64(seed + rows.size()), rows);
    add_copies(out);
  }
  for (const char* access : {"ldmatrix", "stmatrix"}) {
    for (const int matrices : {1, 2, 4}) {
      Collector out(fmt::format("{}.x{}", access, matrices), 16, mix64(seed + rows.size()), rows);
      add_matrix_rows(out);
    }
  }
  return rows;
}

}  // namespace tilewise::model
