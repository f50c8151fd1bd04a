// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "fake_device.hpp"

#include <chrono>
#include <cmath>
#include <cstring>

#include "core/elements.hpp"

namespace tilewise::bench {
namespace {

using Clock = std::chrono::steady_clock;

class FakeStream final : public device::Stream {
 public:
  void synchronize() override {}
};

class FakeEvent final : public device::Event {
 public:
  void record(device::Stream&) override { time_ = Clock::now(); }
  void synchronize() override {}
  double milliseconds_since(const device::Event& start) const override {
    const auto& other = dynamic_cast<const FakeEvent&>(start);
    return std::chrono::duration<double, std::milli>(time_ - other.time_).count();
  }

 private:
  Clock::time_point time_;
};

class FakeKernel final : public device::Kernel {
 public:
  explicit FakeKernel(std::string name) : name_(std::move(name)) {}
  device::KernelAttributes attributes() const override { return {40, 8192, 0}; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

class FakeModule final : public device::Module {
 public:
  device::Kernel& kernel(std::string_view name) override {
    kernel_ = std::make_unique<FakeKernel>(std::string(name));
    return *kernel_;
  }

 private:
  std::unique_ptr<FakeKernel> kernel_;
};

template <class T> T argument(const device::Launch& launch, std::size_t index) {
  T value;
  std::memcpy(&value, launch.arguments[index], sizeof(T));
  return value;
}

// The matrix at `address`, whose elements are of `dtype`.
template <class T>
std::vector<T> read_matrix(device::Address address, Dtype dtype, std::int64_t elements) {
  std::vector<double> wide(static_cast<std::size_t>(elements));
  read_elements(dtype, reinterpret_cast<const void*>(address), 1, elements, wide.data());
  std::vector<T> matrix;
  for (const double value : wide) matrix.push_back(static_cast<T>(value));
  return matrix;
}

kernels::Rung make_rung(std::string_view name, Dtype dtype, Order order) {
  kernels::Rung rung;
  rung.name = name;
  rung.arithmetic = dtype == Dtype::kF64 ? kernels::Arithmetic::kF64 : kernels::Arithmetic::kF32;
  rung.order = order;
  rung.block = {32, 32, 1};
  rung.entry = name;
  return rung;
}

}  // namespace

FakeDevice::FakeDevice(Fault fault, bool is_virtual)
    : fault_(fault), is_virtual_(is_virtual), gpu_(model::find_gpu("h200")) {
  gpu_.l2_bytes = 100'000;  // so that small operands rotate a few times only
}

void FakeDevice::strike_at(std::int64_t row, std::int64_t column) {
  strike_row_ = row;
  strike_column_ = column;
}

device::Address FakeDevice::allocate(std::uint64_t bytes) {
  std::vector<std::byte> memory(bytes + 1);  // an address of its own for 0 bytes too
  const auto address = reinterpret_cast<device::Address>(memory.data());
  allocations_[address] = std::move(memory);
  return address;
}

void FakeDevice::copy_to_device(device::Address destination, const void* source,
                                std::uint64_t bytes, device::Stream&) {
  if (bytes > 0) std::memcpy(reinterpret_cast<void*>(destination), source, bytes);
}

void FakeDevice::copy_to_host(void* destination, device::Address source, std::uint64_t bytes,
                              device::Stream&) {
  if (bytes > 0) std::memcpy(destination, reinterpret_cast<const void*>(source), bytes);
}

void FakeDevice::fill(device::Address destination, unsigned char value, std::uint64_t bytes,
                      device::Stream&) {
  std::memset(reinterpret_cast<void*>(destination), value, bytes);
}

std::unique_ptr<device::Stream> FakeDevice::create_stream() {
  return std::make_unique<FakeStream>();
}
std::unique_ptr<device::Event> FakeDevice::create_event() { return std::make_unique<FakeEvent>(); }
std::unique_ptr<device::Module> FakeDevice::load(const kernels::KernelImage&) {
  return std::make_unique<FakeModule>();
}

void FakeDevice::launch(device::Kernel& kernel, const device::Launch& launch, device::Stream&) {
  const std::string& name = dynamic_cast<FakeKernel&>(kernel).name();
  if (name == "pause_clocks") return;
  const Order order = name.ends_with("column") ? Order::kColumnMajor : Order::kRowMajor;
  ++launches_;
  if (name.starts_with("fake_f64")) {
    multiply<double>(launch, order, Dtype::kF64);
  } else if (name.starts_with("fake_f16")) {
    multiply<float>(launch, order, Dtype::kF16);
  } else if (name.starts_with("fake_bf16")) {
    multiply<float>(launch, order, Dtype::kBF16);
  } else {
    multiply<float>(launch, order, Dtype::kF32);
  }
}

std::optional<device::LaunchCount> FakeDevice::launch_counted(device::Kernel& kernel,
                                                              const device::Launch& launch_,
                                                              device::Stream& stream) {
  launch(kernel, launch_, stream);
  device::LaunchCount count;
  count.report.counters.fma_threads = 4711;
  count.fidelity = vgpu::Fidelity::kExact;
  return count;
}

template <class T>
void FakeDevice::multiply(const device::Launch& launch, Order order, Dtype operand) {
  const std::int64_t m = argument<int>(launch, 0), n = argument<int>(launch, 1);
  const std::int64_t k = argument<int>(launch, 2);
  const T alpha = argument<T>(launch, 3), beta = argument<T>(launch, 6);
  const auto a = read_matrix<T>(argument<device::Address>(launch, 4), operand, m * k);
  const auto b = read_matrix<T>(argument<device::Address>(launch, 5), operand, k * n);
  auto* c = reinterpret_cast<T*>(argument<device::Address>(launch, 7));
  const bool rows = order == Order::kRowMajor;
  const std::int64_t strike_row = strike_row_ < 0 ? m / 2 : strike_row_;
  const std::int64_t strike_column = strike_column_ < 0 ? n / 2 : strike_column_;
  std::vector<T> sums(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < m; ++i) {
    sums.assign(sums.size(), T{0});
    T before_last = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      if (p == k - 1) before_last = sums[strike_column];
      const T factor = rows ? a[i * k + p] : a[p * m + i];
      if (rows) {
        for (std::int64_t j = 0; j < n; ++j) sums[j] += factor * b[p * n + j];
      } else {
        for (std::int64_t j = 0; j < n; ++j) sums[j] += factor * b[j * k + p];
      }
    }
    if (fault_ == Fault::kDroppedProduct && i == strike_row) sums[strike_column] = before_last;
    for (std::int64_t j = 0; j < n; ++j) {
      T& result = rows ? c[i * n + j] : c[j * m + i];
      const bool struck = i == strike_row && j == strike_column;
      if (struck && fault_ == Fault::kUnwritten) continue;
      T value = alpha * sums[j];
      if (beta != 0 || fault_ == Fault::kReadsC) value += beta * result;
      if (struck && fault_ == Fault::kWrongElement) value += T(0.25);
      if (struck && fault_ == Fault::kOtherBits && launches_ > 1) {
        value = std::nextafter(value, T(1e9));
      }
      result = value;
    }
  }
}

const kernels::Rung& fake_rung(Dtype dtype, Order order) {
  static const kernels::Rung f32 = make_rung("fake_f32", Dtype::kF32, Order::kRowMajor);
  static const kernels::Rung f64 = make_rung("fake_f64", Dtype::kF64, Order::kRowMajor);
  static const kernels::Rung f32_column =
      make_rung("fake_f32_column", Dtype::kF32, Order::kColumnMajor);
  static const kernels::Rung f64_column =
      make_rung("fake_f64_column", Dtype::kF64, Order::kColumnMajor);
  if (order == Order::kRowMajor) return dtype == Dtype::kF32 ? f32 : f64;
  return dtype == Dtype::kF32 ? f32_column : f64_column;
}

const kernels::Rung& fake_rung(kernels::Arithmetic arithmetic) {
  const auto make = [](std::string_view name, kernels::Arithmetic of) {
    kernels::Rung rung = make_rung(name, Dtype::kF32, Order::kRowMajor);
    rung.arithmetic = of;
    return rung;
  };
  static const kernels::Rung f16 = make("fake_f16", kernels::Arithmetic::kF16);
  static const kernels::Rung bf16 = make("fake_bf16", kernels::Arithmetic::kBF16);
  static const kernels::Rung tf32 = make("fake_tf32", kernels::Arithmetic::kTF32);
  if (arithmetic == kernels::Arithmetic::kF16) return f16;
  return arithmetic == kernels::Arithmetic::kBF16 ? bf16 : tf32;
}

const kernels::Rung& fake_host_rung() {
  static const kernels::Rung rung = [] {
    kernels::Rung host = make_rung("fake_host", Dtype::kF32, Order::kRowMajor);
    host.on_cpu = true;
    return host;
  }();
  return rung;
}

LadderResult run_fake_ladder(FakeDevice& device, const LadderRequest& request,
                             const LadderProgress& progress) {
  static const kernels::KernelImage none;
  return climb_ladder(
      device, request, progress,
      [](const kernels::Rung&, const model::Gpu&) -> const kernels::KernelImage& { return none; });
}

}  // namespace tilewise::bench
