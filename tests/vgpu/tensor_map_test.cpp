// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps and box copies against what an NVIDIA H100 did (tests/golden/h100, described in
// tests/golden/README.md), and the rules that hashes cannot show.
#include "vgpu/exec/tensor_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tilewise/error.hpp"
#include "vgpu/exec/tensor_map_field.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(TILEWISE_TESTS_DIR) / "golden/h100";

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

template <class To> void numbers(const std::string& text, To& to) {
  std::istringstream in(text);
  std::size_t i = 0;
  for (std::int64_t value; in >> value;) to.at(i++) = static_cast<typename To::value_type>(value);
}

std::vector<std::vector<std::string>> rows_of(const char* name) {
  std::ifstream in(kGolden / name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) rows.push_back(split(line, ','));
  return rows;
}

// Columns type to fill.
TensorMapRequest request_of(const std::vector<std::string>& row, std::size_t at) {
  TensorMapRequest r;
  r.type = find_tensor_type(row[at]).value();
  r.rank = static_cast<std::uint32_t>(std::stoul(row[at + 1]));
  r.address = std::stoull(row[at + 2]);
  numbers(row[at + 3], r.dimensions);
  numbers(row[at + 4], r.strides);
  numbers(row[at + 5], r.box);
  numbers(row[at + 6], r.element_strides);
  r.swizzle = find_tensor_swizzle(row[at + 7]).value();
  r.fill = row[at + 8] == "nan" ? TensorFill::kNan : TensorFill::kZero;
  return r;
}

// The low bytes of splitmix64: a megabyte of global memory, then 64 KiB of shared memory.
class Bytes {
 public:
  static constexpr std::size_t kGlobal = 1 << 20, kShared = 1 << 16;
  Bytes() : global(kGlobal), shared(kShared) {
    for (std::byte& b : global) b = next();
    for (std::byte& b : shared) b = next();
  }
  std::vector<std::byte> global, shared;

 private:
  std::byte next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<std::byte>(z ^ (z >> 31));
  }
  std::uint64_t state_ = 0x1234567;
};

std::uint64_t hash(const std::byte* bytes, std::size_t count) {
  std::uint64_t h = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < count; ++i)
    h = (h ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001B3;
  return h;
}

std::uint64_t everything(std::uint64_t, std::uint64_t bytes) { return bytes + 16; }

TEST(GoldenTensorMap, TheSameRequestsAreRefusedAsByTheDriver) {
  int refused = 0;
  for (const auto& row : rows_of("tensor_maps.csv")) {
    bool accepted = true;
    std::string why = "accepted";
    try {
      make_tensor_map(request_of(row, 1));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      accepted = false;
      why = error.what();
      ++refused;
    }
    EXPECT_EQ(accepted, row[10] == "1") << "row " << row[0] << ": " << why;
  }
  EXPECT_GT(refused, 400);
}

class GoldenTensorCopy : public ::testing::Test {
 protected:
  // Runs a row; the hash of what it wrote, or nothing when it is refused.
  std::optional<std::uint64_t> run(const std::vector<std::string>& row) {
    TensorMapRequest request = request_of(row, 2);
    std::vector<std::int32_t> coordinates(request.rank);
    numbers(row[11], coordinates);
    const auto shared_address = static_cast<std::uint32_t>(std::stoul(row[12]));
    // The row's address is an offset in a buffer that begins at a multiple of 256.
    std::vector<std::byte> global(Bytes::kGlobal + 256);
    const auto base = (reinterpret_cast<std::uint64_t>(global.data()) + 255) / 256 * 256;
    auto* buffer = reinterpret_cast<std::byte*>(base);
    std::memcpy(buffer, bytes_.global.data(), Bytes::kGlobal);
    request.address += base;
    const TensorMap map = make_tensor_map(request);
    const auto contents = read_tensor_map(map.bytes.data());
    const TensorBox box(*contents, coordinates);
    if (row[1] == "load") {
      if (!box.refusal(shared_address, TensorBox::Direction::kToShared).empty()) return {};
      std::vector<std::byte> shared(Bytes::kShared, std::byte{0xA5});
      load_box(box, shared.data(), shared_address, everything);
      return hash(shared.data(), 28 * 1024);
    }
    if (!box.refusal(shared_address, TensorBox::Direction::kToGlobal).empty()) return {};
    if (row[1] == "store") {
      store_box(box, bytes_.shared.data(), shared_address, everything);
    } else {
      const BulkReduction reduction = find_bulk_reduction(row[1]).value();
      if (!is_reduction(reduction, request.type)) return {};
      reduce_box(box, reduction, bytes_.shared.data(), shared_address, everything);
    }
    return hash(buffer, 64 * 1024);
  }

  Bytes bytes_;
};

TEST_F(GoldenTensorCopy, EveryByteIsAsOnTheGpu) {
  int copied = 0, faults = 0;
  for (const auto& row : rows_of("tensor_copies.csv")) {
    const auto got = run(row);
    const bool faulted = row[13] == "1";
    EXPECT_EQ(got.has_value(), !faulted) << "row " << row[0];
    if (!got || faulted) {
      ++faults;
      continue;
    }
    EXPECT_EQ(*got, std::stoull(row[14], nullptr, 16)) << "row " << row[0] << " " << row[1];
    ++copied;
  }
  EXPECT_GT(copied, 270);
  EXPECT_GT(faults, 50);
}

TEST(Swizzle, MovesPiecesByTheAddressItself) {
  EXPECT_EQ(swizzled(0x12F8, TensorSwizzle::kNone), 0x12F8u);
  EXPECT_EQ(swizzled(0x0380, TensorSwizzle::k128B), 0x0380u + 7 * 16);
  EXPECT_EQ(swizzled(0x03F4, TensorSwizzle::k128B), 0x0384u);
  EXPECT_EQ(swizzled(0x0380, TensorSwizzle::k64B), 0x0380u + 3 * 16);
  EXPECT_EQ(swizzled(0x0380, TensorSwizzle::k32B), 0x0380u + 1 * 16);
  for (const auto swizzle : {TensorSwizzle::k32B, TensorSwizzle::k64B, TensorSwizzle::k128B}) {
    for (std::uint32_t a = 0; a < 4096; ++a) EXPECT_EQ(swizzled(swizzled(a, swizzle), swizzle), a);
  }
}

TEST(TensorMap, OtherBytesAreNone) {
  const TensorMap zeros;
  EXPECT_FALSE(read_tensor_map(zeros.bytes.data()).has_value());
}

TensorMapRequest row_of_floats(const void* from, TensorType type, std::uint32_t count) {
  TensorMapRequest r;
  r.type = type;
  r.address = reinterpret_cast<std::uint64_t>(from);
  r.dimensions[0] = count;
  r.box[0] = count;
  return r;
}

TEST(TensorMap, FieldsAreReplacedWithinTheirLimits) {
  const TensorMap made = make_tensor_map(row_of_floats(nullptr, TensorType::kF32, 8));
  TensorMapContents map = *read_tensor_map(made.bytes.data());
  EXPECT_EQ(replace_field(map, TensorMapField::kRank, 0, 2), "");
  EXPECT_EQ(map.rank, 3);
  EXPECT_EQ(replace_field(map, TensorMapField::kType, 0, 9), "");
  EXPECT_EQ(map.type, TensorType::kF64);
  EXPECT_EQ(replace_field(map, TensorMapField::kStride, 1, 4096), "");
  EXPECT_EQ(map.strides[1], 4096u);
  EXPECT_EQ(replace_field(map, TensorMapField::kStride, 1, 24),
            "global_stride 24: expected 0 to 1099511627760, a multiple of 16");
  EXPECT_EQ(replace_field(map, TensorMapField::kBox, 2, 257), "box_dim 257: expected 1 to 256");
  EXPECT_EQ(replace_field(map, TensorMapField::kRank, 0, 5), "rank 5: expected 0 to 4");
  EXPECT_EQ(map.rank, 3) << "nothing changes then";
}

TEST(TensorLoad, RoundsTf32ToEvenAndMakesOneNanOfAll) {
  // Read off an H100 (tests/golden/README.md, "tf32 maps").
  alignas(64) const std::uint32_t from[16] = {0x3F801000, 0x3F803000, 0x3F801001, 0x7F7FF000,
                                              0x7F800001, 0xFFC00000, 0x7F800000, 0x00001000,
                                              0x007FFFFF, 0x80003000, 0xB4569000, 0xFF7FFFFF,
                                              0x7F7FEFFF, 0xFF800000, 0x80000000, 0x00000FFF};
  const std::uint32_t rounded[16] = {0x3F800000, 0x3F804000, 0x3F802000, 0x7F800000,
                                     0x7FFFE000, 0x7FFFE000, 0x7F800000, 0x00000000,
                                     0x00800000, 0x80004000, 0xB4568000, 0xFF800000,
                                     0x7F7FE000, 0xFF800000, 0x80000000, 0x00000000};
  for (const auto type : {TensorType::kTf32, TensorType::kTf32Ftz, TensorType::kF32Ftz}) {
    const TensorMap map = make_tensor_map(row_of_floats(from, type, 16));
    const auto contents = read_tensor_map(map.bytes.data());
    const std::int32_t origin = 0;
    std::uint32_t to[16] = {};
    load_box(TensorBox(*contents, {&origin, 1}), reinterpret_cast<std::byte*>(to), 0, everything);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(to[i], type == TensorType::kF32Ftz ? from[i] : rounded[i]);
  }
}

TEST(TensorStore, TouchesNoMoreThanPermitted) {
  alignas(64) std::uint32_t to[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  TensorMapRequest r = row_of_floats(to, TensorType::kU32, 8);
  r.dimensions[0] = 5;
  const TensorMap map = make_tensor_map(r);
  const auto contents = read_tensor_map(map.bytes.data());
  const std::int32_t origin = 0;
  alignas(128) const std::uint32_t from[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  const auto* window = reinterpret_cast<const std::byte*>(from);
  store_box(TensorBox(*contents, {&origin, 1}), window, 0,
            [&](std::uint64_t address, std::uint64_t b) {
              EXPECT_EQ(address, reinterpret_cast<std::uint64_t>(to));
              EXPECT_EQ(b, 20u) << "elements of the tensor are asked for, not the piece's rest";
              return b + 4;
            });
  const std::uint32_t expected[8] = {10, 20, 30, 40, 50, 60, 7, 8};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(to[i], expected[i]) << i;
}

TEST(TensorBox, SaysWhatTheHardwareRefuses) {
  TensorMapRequest r = row_of_floats(nullptr, TensorType::kF32, 8);
  const auto contents = read_tensor_map(make_tensor_map(r).bytes.data());
  const auto refusal = [&](std::int32_t c, std::uint32_t shared, TensorBox::Direction direction) {
    return TensorBox(*contents, {&c, 1}).refusal(shared, direction);
  };
  using enum TensorBox::Direction;
  EXPECT_EQ(refusal(-4, 128, kToShared), "");
  EXPECT_EQ(refusal(-4, 128, kToGlobal),
            "coordinate 0 = -4 is negative, which only loads may have");
  EXPECT_EQ(refusal(3, 0, kToShared), "coordinate 0 = 3 is 12 bytes, not a multiple of 16");
  EXPECT_EQ(refusal(0, 64, kToShared), "the shared address 64 is not a multiple of 128");
}

TEST(BulkReduction, IntegersAreExactAndWrap) {
  const auto result = [](BulkReduction reduction, TensorType type, auto to, decltype(to) from) {
    alignas(8) auto cell = to;
    reduce(reduction, type, reinterpret_cast<std::byte*>(&cell),
           reinterpret_cast<const std::byte*>(&from), sizeof(cell));
    return cell;
  };
  using enum BulkReduction;
  EXPECT_EQ(result(kAdd, TensorType::kU32, 0xFFFFFFFFu, 2u), 1u);
  EXPECT_EQ(result(kMin, TensorType::kS32, -5, 3), -5);
  EXPECT_EQ(result(kMin, TensorType::kU32, 0xFFFFFFFBu, 3u), 3u);
  EXPECT_EQ(result(kMax, TensorType::kS64, std::int64_t{-5}, std::int64_t{-6}), -5);
  EXPECT_EQ(result(kInc, TensorType::kU32, 7u, 7u), 0u);
  EXPECT_EQ(result(kDec, TensorType::kU32, 0u, 7u), 7u);
  EXPECT_EQ(result(kXor, TensorType::kU64, std::uint64_t{12}, std::uint64_t{10}), 6u);
  EXPECT_FALSE(is_reduction(kAdd, TensorType::kS64));
  EXPECT_FALSE(is_reduction(kMin, TensorType::kF32));
  EXPECT_FALSE(is_reduction(kAdd, TensorType::kU8));
}

TEST(BulkReduction, FloatsKeepSubnormalsUnlessTheyAreFlushed) {
  const auto sum = [](TensorType type, std::uint32_t to, std::uint32_t from) {
    reduce(BulkReduction::kAdd, type, reinterpret_cast<std::byte*>(&to),
           reinterpret_cast<const std::byte*>(&from), 4);
    return to;
  };
  // The first two pairs and the flushed sum were read off an H100.
  EXPECT_EQ(sum(TensorType::kF32, 0x80017574, 0x80F42B9F), 0x80F5A113u);
  EXPECT_EQ(sum(TensorType::kF32, 0x807008C0, 0x000A343B), 0x8065D485u);
  EXPECT_EQ(sum(TensorType::kF32Ftz, 0x001A4172, 0x81FDCB5F), 0x81FDCB5Fu);
  EXPECT_EQ(sum(TensorType::kF32, 0x7F800000, 0xFF800000), 0x7FFFFFFFu);
  EXPECT_EQ(sum(TensorType::kF16, 0x00010001, 0x7C000001), 0x7C000002u);
}

}  // namespace
}  // namespace tilewise::vgpu
