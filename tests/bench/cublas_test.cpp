// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cublas.hpp"

#include <gtest/gtest.h>

#include "bench/check.hpp"
#include "bench/device_operands.hpp"
#include "fake_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

TEST(Cublas, SaysWhyItIsNotThere) {
  FakeDevice device;
  std::string why_not;
  EXPECT_EQ(Cublas::open(device, why_not), nullptr);
  EXPECT_EQ(why_not, "fake device is not a CUDA device");
}

template <class T>
void expect_right(device::Device& device, Cublas& cublas, Order order, double beta,
                  kernels::Arithmetic arithmetic = arithmetic_of<T>) {
  LadderRequest request;
  request.alpha = -1.5;
  request.beta = beta;
  const Operands<T> operands = make_operands<T>(request, {37, 29, 31}, arithmetic);
  const auto stream = device.create_stream();
  DeviceOperands<T> on_device(device, *stream, operands, order);
  on_device.reset_c();
  cublas.gemm(arithmetic, order, 37, 29, 31, operands.alpha, on_device.a(0), on_device.b(0),
              operands.beta, on_device.c(0), *stream);
  const std::vector<T> c = on_device.read_c();
  const Reference reference = make_reference(operands, rows_to_check(operands.sizes, 1));
  const Verdict verdict = check_result(operands, reference, std::span<const T>(c), 1);
  EXPECT_TRUE(verdict.verified) << verdict.wrong;
}

TEST(Cublas, MultipliesBothOrdersAndDtypes) {
  if (device::cuda_devices().empty()) GTEST_SKIP() << device::cuda_status();
  const auto device = device::open(device::Choice::kCuda, "");
  std::string why_not;
  const auto cublas = Cublas::open(*device, why_not);
  if (!cublas) GTEST_SKIP() << why_not;
  EXPECT_TRUE(cublas->version().starts_with("cuBLAS 1")) << cublas->version();
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (const double beta : {0.0, 0.5}) {
      expect_right<float>(*device, *cublas, order, beta);
      expect_right<double>(*device, *cublas, order, beta);
      using enum kernels::Arithmetic;
      for (const kernels::Arithmetic each : {kF16, kBF16, kTF32}) {
        expect_right<float>(*device, *cublas, order, beta, each);
      }
    }
  }
}

}  // namespace
}  // namespace tilewise::bench
