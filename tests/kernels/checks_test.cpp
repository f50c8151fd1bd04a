// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The rungs that copy and multiply asynchronously, under the virtual GPU's checkers: no race, no read of
// what nothing wrote, no barrier misused, and the same bits whenever asynchronous work takes effect.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/elements.hpp"
#include "core/random.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/listing.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::kernels {
namespace {

struct Shape {
  std::int64_t m, n, k;
};

std::uint64_t random_matrix(vgpu::Memory& memory, Dtype dtype, std::int64_t elements,
                            std::uint64_t stream) {
  const std::uint64_t bytes = size_of(dtype) * static_cast<std::uint64_t>(elements);
  const std::uint64_t address = memory.allocate(bytes);
  for (std::int64_t i = 0; i < elements; ++i) {
    const double value = random_unit(1, stream, static_cast<std::uint64_t>(i));
    write_elements(dtype, &value, 1,
                   reinterpret_cast<char*>(address) + size_of(dtype) * static_cast<std::size_t>(i));
  }
  memory.mark_written(address, bytes);
  return address;
}

/// One rung's kernel on one problem, launched as often as wanted.
template <class T> class Problem {
 public:
  Problem(const Rung& rung, const Shape& shape)
      : rung_(rung),
        shape_(shape),
        gpu_(model::find_gpu("h200")),
        listing_(listing_of(find_image(rung.unit, gpu_.compute_major, gpu_.compute_minor))),
        module_(listing_.ptx, std::string(rung.unit) + ".ptx", listing_.cubin),
        a_(random_matrix(memory_, operand_dtype(rung.arithmetic), shape.m * shape.k, 1)),
        b_(random_matrix(memory_, operand_dtype(rung.arithmetic), shape.k * shape.n, 2)),
        c_(memory_.allocate(c_bytes())) {}

  /// C, as bytes; what the checkers found is a failure.
  std::vector<std::byte> run(vgpu::AsyncOrder order) {
    std::memset(reinterpret_cast<void*>(c_), 0xFF, c_bytes());
    const LaunchShape launch = launch_shape(rung_, shape_.m, shape_.n, shape_.k, gpu_.sm_count);
    int m = static_cast<int>(shape_.m), n = static_cast<int>(shape_.n);
    int k = static_cast<int>(shape_.k);
    T alpha = 1, beta = 0;
    TensorMap map_a, map_b;
    const void* arguments[] = {&m, &n, &k, &alpha, &a_, &b_, &beta, &c_};
    if (launch.tensor_maps) {
      map_a = vgpu::make_tensor_map(map_of(rung_, rung_.box_a, a_, shape_.m, shape_.k));
      map_b = vgpu::make_tensor_map(map_of(rung_, rung_.box_b, b_, shape_.k, shape_.n));
      arguments[4] = &map_a;
      arguments[5] = &map_b;
    }
    vgpu::LaunchOptions options;
    options.async_order = order;
    options.async_seed = 7;
    options.checks = vgpu::Checks::all();
    const vgpu::LaunchReport report =
        module_.launch(launch.entry, gpu_, memory_, launch.grid, rung_.block,
                       static_cast<std::uint32_t>(rung_.dynamic_shared_bytes), arguments, options);
    for (const vgpu::Finding& finding : report.findings) ADD_FAILURE() << finding.message;
    const auto* bytes = reinterpret_cast<const std::byte*>(c_);
    return {bytes, bytes + c_bytes()};
  }

 private:
  std::uint64_t c_bytes() const {
    return sizeof(T) * static_cast<std::uint64_t>(shape_.m * shape_.n);
  }

  const Rung& rung_;
  Shape shape_;
  const model::Gpu& gpu_;
  Listing listing_;
  vgpu::Module module_;
  vgpu::Memory memory_{std::uint64_t{1} << 28};
  std::uint64_t a_, b_, c_;
};

template <class T> void expect_clean(const Rung& rung, const Shape& shape) {
  SCOPED_TRACE(rung.name);
  Problem<T> problem(rung, shape);
  const std::vector<std::byte> earliest = problem.run(vgpu::AsyncOrder::kEarliest);
  EXPECT_TRUE(problem.run(vgpu::AsyncOrder::kLatest) == earliest) << "latest";
  EXPECT_TRUE(problem.run(vgpu::AsyncOrder::kRandom) == earliest) << "random";
}

class Checked : public testing::TestWithParam<const Rung*> {
 protected:
  void SetUp() override {
    if (images().empty()) GTEST_SKIP() << "built without nvcc";
  }
  void expect(const Shape& shape) {
    if (result_dtype(GetParam()->arithmetic) == Dtype::kF64) {
      expect_clean<double>(*GetParam(), shape);
    } else {
      expect_clean<float>(*GetParam(), shape);
    }
  }
};

// More steps than stages, and tiles over every edge.
TEST_P(Checked, HasNothingToFindInWideAccesses) { expect({136, 264, 328}); }
TEST_P(Checked, HasNothingToFindInOddShapes) { expect({131, 67, 101}); }

std::vector<const Rung*> asynchronous_rungs() { return select_rungs("cp_async..persistent"); }

INSTANTIATE_TEST_SUITE_P(Rungs, Checked, testing::ValuesIn(asynchronous_rungs()),
                         [](const testing::TestParamInfo<const Rung*>& test) {
                           return std::string(test.param->name);
                         });

}  // namespace
}  // namespace tilewise::kernels
