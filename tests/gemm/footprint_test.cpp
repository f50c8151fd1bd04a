// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What debug builds find out about overlapping matrices, in every build.
#include "gemm/footprint.hpp"

#include <gtest/gtest.h>

#include <set>

#include "../core/expect_error.hpp"
#include "core/random.hpp"

namespace tilewise::api {
namespace {

using test::expect_error;

std::set<std::uintptr_t> bytes_of(const Footprint& place) {
  std::set<std::uintptr_t> bytes;
  for (std::int64_t line = 0; line < place.lines; ++line) {
    for (std::int64_t i = 0; i < place.width; ++i) {
      bytes.insert(place.begin + static_cast<std::uintptr_t>(line * place.distance + i));
    }
  }
  return bytes;
}

bool overlap_by_definition(const Footprint& left, const Footprint& right) {
  const std::set<std::uintptr_t> bytes = bytes_of(left);
  for (std::uintptr_t byte : bytes_of(right)) {
    if (bytes.contains(byte)) return true;
  }
  return false;
}

std::int64_t random_between(std::uint64_t& seed, std::int64_t low, std::int64_t high) {
  return low +
         static_cast<std::int64_t>(mix64(++seed) % static_cast<std::uint64_t>(high - low + 1));
}

Footprint random_footprint(std::uint64_t& seed) {
  Footprint place;
  place.begin = static_cast<std::uintptr_t>(1000 + random_between(seed, 0, 40));
  place.lines = random_between(seed, 1, 5);
  place.width = random_between(seed, 1, 6);
  place.distance = place.width + random_between(seed, 0, 12);
  return place;
}

TEST(Overlap, AgreesWithItsDefinition) {
  std::uint64_t seed = 0;
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    const Footprint left = random_footprint(seed), right = random_footprint(seed);
    const bool expected = overlap_by_definition(left, right);
    found += expected ? 1 : 0;
    ASSERT_EQ(overlap(left, right), expected)
        << left.begin << " " << left.lines << " " << left.width << " " << left.distance << " / "
        << right.begin << " " << right.lines << " " << right.width << " " << right.distance;
    ASSERT_EQ(overlap(right, left), expected);
  }
  EXPECT_GT(found, 500);
  EXPECT_LT(found, 4500);
}

TEST(FirstOverlap, AgreesWithItsDefinition) {
  std::uint64_t seed = 7;
  for (int i = 0; i < 5000; ++i) {
    const Footprint first = random_footprint(seed);
    const std::int64_t distance = random_between(seed, 0, 70), count = random_between(seed, 0, 9);
    std::int64_t expected = 0;
    for (std::int64_t other = 1; other < count && expected == 0; ++other) {
      Footprint there = first;
      there.begin += static_cast<std::uintptr_t>(other * distance);
      if (overlap_by_definition(first, there)) expected = other;
    }
    ASSERT_EQ(first_overlap(first, distance, count), expected)
        << first.lines << " " << first.width << " " << first.distance << " / " << distance << " "
        << count;
  }
}

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

TEST(Overlap, OfMatricesAsLargeAsTheAddresses) {
  const Footprint low{0x1000, 2, 8, kHuge}, high{0x1000 + 8, 2, 8, kHuge};
  EXPECT_FALSE(overlap(low, high));
  EXPECT_TRUE(overlap(low, low));
  EXPECT_EQ(first_overlap(low, kHuge, 2), 1);
  EXPECT_EQ(first_overlap(low, kHuge - 8, 3), 0);
  EXPECT_EQ(first_overlap(low, kHuge - 7, 2), 1);
}

Matrix matrix(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t leading,
              Order order = Order::kRowMajor) {
  return {data, rows, columns, leading, order, 4};
}

TEST(CheckApart, NamesWhatOverlaps) {
  float memory[100] = {};
  const Matrix a = matrix(memory, 3, 4, 10), b = matrix(memory + 40, 4, 5, 10);
  EXPECT_NO_THROW(check_apart(a, b, matrix(memory + 4, 3, 5, 10), true, kViewNames))
      << "beside a, in the same rows";
  expect_error(ErrorCode::kInvalidArgument, {"c.data = 0x", "overlap a"},
               [&] { check_apart(a, b, matrix(memory + 3, 3, 5, 10), true, kViewNames); });
  expect_error(ErrorCode::kInvalidArgument, {"c.data = 0x", "overlap b"},
               [&] { check_apart(a, b, matrix(memory + 74, 3, 5, 10), true, kViewNames); });
  EXPECT_NO_THROW(check_apart(a, b, matrix(memory + 3, 3, 5, 10), false, kViewNames))
      << "factors that are not read";
  expect_error(ErrorCode::kInvalidArgument, {"overlap a"}, [&] {
    check_apart(a, b, matrix(memory + 20, 3, 5, 3, Order::kColumnMajor), true, kViewNames);
  });
}

TEST(CheckApart, OfBatchesByStrideAndByPointer) {
  float memory[400] = {};
  const Batch a{matrix(memory, 2, 3, 3), 6, nullptr}, b{matrix(memory + 100, 3, 4, 4), 0, nullptr};
  const Batch c{matrix(memory + 200, 2, 4, 4), 8, nullptr};
  EXPECT_NO_THROW(check_apart(10, a, b, c, true, kBatchNames));
  expect_error(ErrorCode::kInvalidArgument, {"c of product 0", "overlap a of product 9"}, [&] {
    check_apart(10, a, b, {matrix(memory + 54, 2, 4, 4), 8, nullptr}, true, kBatchNames);
  });
  expect_error(ErrorCode::kInvalidArgument, {"c of product 2", "overlap b of product 0"}, [&] {
    check_apart(10, a, b, {matrix(memory + 84, 2, 4, 4), 8, nullptr}, true, kBatchNames);
  });

  const void* places[3] = {memory + 300, memory + 200, memory + 307};
  const Batch by_pointers{matrix(nullptr, 2, 4, 4), 0, places};
  expect_error(ErrorCode::kInvalidArgument, {"c of product", "overlap c of product"},
               [&] { check_apart(3, a, b, by_pointers, true, kBatchNames); });
  places[2] = memory + 308;
  EXPECT_NO_THROW(check_apart(3, a, b, by_pointers, true, kBatchNames));
}

}  // namespace
}  // namespace tilewise::api
