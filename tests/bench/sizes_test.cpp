// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sizes.hpp"

#include <gtest/gtest.h>

#include "fake_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

LadderRequest request_for(std::int64_t m, std::int64_t n, std::int64_t k) {
  LadderRequest request;
  request.m = m;
  request.n = n;
  request.k = k;
  request.rungs = {&fake_rung(Dtype::kF32, Order::kRowMajor),
                   &fake_rung(Dtype::kF64, Order::kRowMajor)};
  return request;
}

npy::Array shape(std::int64_t rows, std::int64_t columns) {
  npy::Array array;
  array.rows = rows;
  array.columns = columns;
  array.bytes.resize(static_cast<std::size_t>(rows * columns) * 4);
  return array;
}

// The message of the error that the request makes run_ladder() throw; checks its code and that
// nothing was allocated.
std::string refusal(const LadderRequest& request, ErrorCode code,
                    std::uint64_t memory = 1ull << 40) {
  FakeDevice device;
  device.set_memory(memory);
  try {
    run_fake_ladder(device, request);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(device.live_allocations(), 0u);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Sizes, MustNotBeNegative) {
  EXPECT_EQ(refusal(request_for(-3, 4, 5), ErrorCode::kInvalidArgument),
            "m = -3: expected 0 or more");
  EXPECT_EQ(refusal(request_for(3, -1, 5), ErrorCode::kInvalidArgument),
            "n = -1: expected 0 or more");
  EXPECT_EQ(refusal(request_for(3, 4, -9), ErrorCode::kInvalidArgument),
            "k = -9: expected 0 or more");
}

TEST(Sizes, MustHaveByteCountsOf64Bits) {
  constexpr std::int64_t kHuge = 4'000'000'000'000'000'000;
  EXPECT_EQ(refusal(request_for(kHuge, 4, 5), ErrorCode::kInvalidArgument),
            "A of 4000000000000000000×5 elements: its bytes do not fit 64 bits");
  EXPECT_EQ(refusal(request_for(1, kHuge, kHuge), ErrorCode::kInvalidArgument),
            "A of 1×4000000000000000000 elements: its bytes do not fit 64 bits");
  EXPECT_EQ(refusal(request_for(2'000'000'000, 2'000'000'000, 1), ErrorCode::kInvalidArgument),
            "C of 2000000000×2000000000 elements: its bytes do not fit 64 bits");
}

TEST(Sizes, MustFitTheKernelsParameters) {
  EXPECT_EQ(refusal(request_for(1, 2'147'483'648, 1), ErrorCode::kInvalidArgument),
            "n = 2147483648: the rungs take sizes up to 2147483647");
}

TEST(Sizes, MustFitTheDevicesMemory) {
  const std::string message =
      refusal(request_for(1000, 1000, 1000), ErrorCode::kOutOfMemory, 20'000'000);
  EXPECT_EQ(message,
            "m = 1000, n = 1000, k = 1000: needs 22.9 MiB of memory; fake device has 19.1 MiB");
}

TEST(Sizes, MustFitTheMachinesMemory) {
  const std::string message =
      refusal(request_for(400'000, 400'000, 400'000), ErrorCode::kOutOfMemory, ~0ull);
  EXPECT_NE(message.find("; this machine has "), std::string::npos) << message;
}

TEST(Sizes, ComeFromFiles) {
  const npy::Array a = shape(509, 383), b = shape(383, 251);
  LadderRequest request;
  request.a = &a;
  request.b = &b;
  const Sizes sizes = resolve_sizes(request);
  EXPECT_EQ(sizes.m, 509);
  EXPECT_EQ(sizes.n, 251);
  EXPECT_EQ(sizes.k, 383);
  request.m = 509;
  EXPECT_EQ(resolve_sizes(request).m, 509);
  request.n = 250;
  EXPECT_EQ(refusal(request, ErrorCode::kInvalidArgument),
            "n = 250: the number of columns of B is 251");
}

TEST(Sizes, OfFilesMustMultiply) {
  const npy::Array a = shape(509, 383), b = shape(400, 251);
  LadderRequest request;
  request.a = &a;
  request.b = &b;
  EXPECT_EQ(refusal(request, ErrorCode::kInvalidInput),
            "A is 509×383 and B is 400×251: A must have as many columns as B has rows");
}

}  // namespace
}  // namespace tilewise::bench
