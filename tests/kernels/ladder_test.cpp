// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every GPU rung on every kind of shape and scalar, each result held against the f64 reference: on the
// virtual GPU always, and the same on a real one where there is one. C is NaN before every launch with
// beta = 0, so an element that is read or not written shows.
#include "bench/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"
#include "device/virtual/virtual_device.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"

namespace tilewise::kernels {
namespace {

struct Shape {
  std::int64_t m, n, k;
};
struct Scalars {
  double alpha, beta;
};

constexpr Scalars kScalars[] = {{1, 0}, {0, 1}, {-1.5, 1}, {1, -1.5}, {0, 0}, {1, 1}};

std::vector<const Rung*> gpu_rungs() {
  std::vector<const Rung*> rungs;
  for (const Rung& rung : ladder()) {
    if (!rung.on_cpu) rungs.push_back(&rung);
  }
  return rungs;
}

// A device for the whole program: opening a real one takes a while.
device::Device& device_of(device::Choice choice) {
  static const std::unique_ptr<device::Device> virtual_gpu =
      device::open(device::Choice::kVirtual, "h200");
  if (choice == device::Choice::kVirtual) return *virtual_gpu;
  static const std::unique_ptr<device::Device> real = device::open(choice, "");
  return *real;
}

bench::LadderRequest request_for(const Rung& rung, const Shape& shape, const Scalars& scalars) {
  bench::LadderRequest request;
  request.m = shape.m;
  request.n = shape.n;
  request.k = shape.k;
  request.alpha = scalars.alpha;
  request.beta = scalars.beta;
  request.rungs = {&rung};
  request.time = false;
  return request;
}

std::string describe(const Rung& rung, const Shape& shape, const Scalars& scalars) {
  return std::string(rung.name) + " at " + std::to_string(shape.m) + "×" + std::to_string(shape.n) +
         "×" + std::to_string(shape.k) + ", alpha " + std::to_string(scalars.alpha) + ", beta " +
         std::to_string(scalars.beta);
}

class EveryRung : public testing::TestWithParam<std::tuple<device::Choice, const Rung*>> {
 protected:
  void SetUp() override {
    if (images().empty()) GTEST_SKIP() << "built without nvcc";
    const device::Choice choice = std::get<0>(GetParam());
    if (choice == device::Choice::kCuda && device::cuda_devices().empty()) {
      GTEST_SKIP() << device::cuda_status();
    }
    device_ = &device_of(choice);
    const model::Gpu& gpu = device_->gpu();
    if (!can_run_on(rung(), gpu.compute_major, gpu.compute_minor)) {
      GTEST_SKIP() << gpu.name << " does not have its instructions";
    }
  }

  const Rung& rung() const { return *std::get<1>(GetParam()); }

  void expect_right(const Shape& shape, const Scalars& scalars) {
    const bench::RungResult row =
        bench::run_ladder(*device_, request_for(rung(), shape, scalars)).rungs.at(0);
    EXPECT_TRUE(row.verified) << describe(rung(), shape, scalars) << ": " << row.wrong;
    EXPECT_EQ(row.entry, entry_for(rung(), shape.n, scalars.alpha == 0 ? 0 : shape.k));
  }

  device::Device* device_ = nullptr;
};

TEST_P(EveryRung, MultipliesEveryShape) {
  const Shape shapes[] = {
      {1, 1, 1},    {37, 29, 31}, {131, 67, 101}, {263, 3, 5}, {3, 263, 7},
      {1, 131, 67}, {131, 1, 67}, {2, 3, 509},    {33, 35, 1}, {64, 48, 40},
  };
  std::size_t i = 0;
  for (const Shape& shape : shapes) {
    expect_right(shape, {1, 0});
    expect_right(shape, kScalars[1 + i++ % 5]);
  }
}

TEST_P(EveryRung, HandlesTheEdgesOfItsTiles) {
  const TileShape tile = rung().tile.bm > 0 ? rung().tile : TileShape{.bm = 32, .bn = 32, .bk = 8};
  const std::int64_t bm = tile.bm, bn = tile.bn, bk = tile.bk;
  const std::int64_t wide = std::max(4, rung().multiple);
  const Shape shapes[] = {
      {bm, bn, bk},
      {bm - 1, bn - 1, bk - 1},
      {bm + 1, bn + 1, bk + 1},
      {bm + 1, bn - 1, 2 * bk + 1},
      {bm - 1, bn + wide, 3 * bk - wide},  // the kernels of wide accesses at an edge
      {bm + 1, bn - wide, 2 * bk + wide},
      {2 * bm, bn, 4 * bk},
  };
  std::size_t i = 0;
  for (const Shape& shape : shapes) expect_right(shape, i++ % 2 == 0 ? kScalars[0] : kScalars[3]);
}

TEST_P(EveryRung, TakesEveryScalar) {
  for (const Scalars& scalars : kScalars) {
    for (const Shape& shape : {Shape{37, 29, 31}, Shape{36, 40, 32}}) expect_right(shape, scalars);
  }
}

TEST_P(EveryRung, TakesEmptyMatrices) {
  for (const Shape& shape : {Shape{0, 5, 3}, Shape{5, 0, 3}, Shape{0, 0, 0}, Shape{33, 35, 0}}) {
    for (const Scalars& scalars : kScalars) expect_right(shape, scalars);
  }
}

TEST_P(EveryRung, DoesNotReadAAndBWhereAlphaIsZero) {
  npy::Array nan;
  nan.rows = nan.columns = 33;
  nan.bytes.assign(33 * 33 * 4, std::byte{0xFF});
  for (const Scalars& scalars : {Scalars{0, 0}, Scalars{0, -1.5}}) {
    bench::LadderRequest request = request_for(rung(), {33, 33, 33}, scalars);
    request.a = request.b = &nan;
    const bench::RungResult row = bench::run_ladder(*device_, request).rungs.at(0);
    EXPECT_TRUE(row.verified) << describe(rung(), {33, 33, 33}, scalars) << ": " << row.wrong;
  }
}

TEST_P(EveryRung, KeepsNanAndInfinityOfAAndBInTheirRowsAndColumns) {
  std::vector<float> values(37 * 37);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i + 1);
  npy::Array a, b;
  a.rows = a.columns = b.rows = b.columns = 37;
  a.bytes.resize(values.size() * 4);
  b.bytes.resize(values.size() * 4);
  std::memcpy(b.bytes.data(), values.data(), b.bytes.size());
  values[3 * 37 + 36] = HUGE_VALF;
  values[36 * 37 + 35] = std::nanf("");
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  bench::LadderRequest request = request_for(rung(), {37, 37, 37}, {1, 0});
  request.a = &a;
  request.b = &b;
  const bench::RungResult row = bench::run_ladder(*device_, request).rungs.at(0);
  EXPECT_TRUE(row.verified) << row.wrong;
}

// The same bits on the virtual and on the real GPU.
TEST_P(EveryRung, GivesTheSameBitsAsTheVirtualGpu) {
  if (device_->is_virtual()) GTEST_SKIP() << "this is the virtual GPU";
  for (const Shape& shape : {Shape{131, 67, 101}, Shape{260, 268, 84}, Shape{509, 251, 383}}) {
    for (const Scalars& scalars : {Scalars{1, 0}, Scalars{-1.5, 0.3}}) {
      const bench::LadderRequest request = request_for(rung(), shape, scalars);
      const bench::RungResult real = bench::run_ladder(*device_, request).rungs.at(0);
      const bench::RungResult virtual_row =
          bench::run_ladder(device_of(device::Choice::kVirtual), request).rungs.at(0);
      EXPECT_EQ(real.checksum, virtual_row.checksum) << describe(rung(), shape, scalars);
      EXPECT_EQ(real.registers, virtual_row.registers);
      EXPECT_EQ(real.shared_bytes, virtual_row.shared_bytes);
    }
  }
}

std::string name_of_test(const testing::TestParamInfo<EveryRung::ParamType>& test) {
  const bool real = std::get<0>(test.param) == device::Choice::kCuda;
  return std::string(std::get<1>(test.param)->name) + (real ? "_cuda" : "_virtual");
}

INSTANTIATE_TEST_SUITE_P(Ladder, EveryRung,
                         testing::Combine(testing::Values(device::Choice::kVirtual,
                                                          device::Choice::kCuda),
                                          testing::ValuesIn(gpu_rungs())),
                         name_of_test);

// A GPU of four multiprocessors: two clusters, nine pairs of tiles, stages that go round several times.
TEST(Ladder, PersistentBlocksTakeTileAfterTile) {
  if (images().empty()) GTEST_SKIP() << "built without nvcc";
  model::Gpu small = model::find_gpu("h200");
  small.sm_count = 4;
  device::VirtualDevice device(small);
  const Rung& rung = find_rung("persistent");
  const Shape shape{520, 528, 72};
  ASSERT_EQ(launch_shape(rung, shape.m, shape.n, shape.k, 4).grid, (Dim3{4, 1, 1}));
  const bench::RungResult row =
      bench::run_ladder(device, request_for(rung, shape, {-1.5, 1})).rungs.at(0);
  EXPECT_TRUE(row.verified) << row.wrong;
}

// The other images: what a GPU of compute capability 8.x runs.
TEST(Ladder, RunsItsSm80ImagesToo) {
  if (images().empty()) GTEST_SKIP() << "built without nvcc";
  const auto device = device::open(device::Choice::kVirtual, "a100");
  for (const Rung* rung : gpu_rungs()) {
    if (!can_run_on(*rung, 8, 0)) continue;
    for (const Shape& shape : {Shape{131, 67, 101}, Shape{132, 260, 36}}) {
      const Scalars scalars{-1.5, 1};
      const bench::RungResult row =
          bench::run_ladder(*device, request_for(*rung, shape, scalars)).rungs.at(0);
      EXPECT_TRUE(row.verified) << describe(*rung, shape, scalars) << ": " << row.wrong;
      EXPECT_EQ(row.fidelity, "exact") << rung->name;
    }
  }
}

}  // namespace
}  // namespace tilewise::kernels
