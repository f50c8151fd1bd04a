// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "fake_library.hpp"

#include <chrono>
#include <thread>

#include "core/elements.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

double element(device::Address matrix, Dtype dtype, std::int64_t index) {
  double value = 0;
  read_elements(
      dtype,
      reinterpret_cast<const char*>(matrix) + static_cast<std::size_t>(index) * size_of(dtype), 1,
      1, &value);
  return value;
}

class FakeProduct final : public GpuProduct {
 public:
  FakeProduct(const std::string& name, Calls& calls, const FakeBehaviour& behaviour,
              const GpuProblem& problem)
      : name_(name), calls_(calls), behaviour_(behaviour), p_(problem) {}

  std::string plan() const override { return "candidate " + std::to_string(chosen_); }
  int candidates() const override {
    return behaviour_.candidates.empty() ? 1 : static_cast<int>(behaviour_.candidates.size());
  }
  void select(int candidate) override { chosen_ = static_cast<std::size_t>(candidate); }

  void enqueue(const GpuMatrices& matrices, device::Stream&) override {
    if (!behaviour_.failure.empty()) throw Error(ErrorCode::kDriver, behaviour_.failure);
    calls_.emplace_back(name_, matrices);
    if (!behaviour_.candidates.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(behaviour_.candidates[chosen_]));
    }
    const std::size_t element = size_of(p_.dtype);
    for (std::int64_t product = 0; product < p_.shape.batch; ++product) {
      const GpuMatrices of_it{
          matrices.a + static_cast<std::uint64_t>(product * p_.rows_of_a() * p_.lda) * element,
          matrices.b + static_cast<std::uint64_t>(product * p_.rows_of_b() * p_.ldb) * element, 0};
      for (std::int64_t i = 0; i < p_.shape.m; ++i) {
        for (std::int64_t j = 0; j < p_.shape.n; ++j) {
          const std::int64_t row = product * p_.shape.m + i;
          double value = p_.scaling.alpha * sum(of_it, i, j);
          if (p_.scaling.beta != 0)
            value += p_.scaling.beta * bench::element(matrices.c, p_.result, row * p_.ldc + j);
          set_element(reinterpret_cast<void*>(matrices.c), p_, row, j, value);
        }
      }
    }
    if (behaviour_.spoil) behaviour_.spoil(reinterpret_cast<void*>(matrices.c), p_);
  }

 private:
  double sum(const GpuMatrices& matrices, std::int64_t i, std::int64_t j) const {
    const GemmShape& s = p_.shape;
    double value = 0;
    for (std::int64_t l = 0; l < s.k; ++l) {
      const double a = element(matrices.a, p_.dtype, s.trans_a ? l * p_.lda + i : i * p_.lda + l);
      const double b = element(matrices.b, p_.dtype, s.trans_b ? j * p_.ldb + l : l * p_.ldb + j);
      value += a * b;
    }
    return value;
  }

  std::string name_;
  Calls& calls_;
  const FakeBehaviour& behaviour_;
  GpuProblem p_;
  std::size_t chosen_ = 0;
};

}  // namespace

std::unique_ptr<GpuProduct> FakeLibrary::prepare(const GpuProblem& problem) {
  if (!behaviour_.refusal.empty()) throw Error(ErrorCode::kUnsupported, behaviour_.refusal);
  return std::make_unique<FakeProduct>(name_, calls_, behaviour_, problem);
}

void set_element(void* c, const GpuProblem& problem, std::int64_t i, std::int64_t j, double value) {
  const auto index = static_cast<std::size_t>(i * problem.ldc + j);
  write_elements(problem.result, &value, 1,
                 static_cast<char*>(c) + index * size_of(problem.result));
}

}  // namespace tilewise::bench
