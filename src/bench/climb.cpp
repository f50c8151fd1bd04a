// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/climb.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "bench/checksum.hpp"
#include "bench/host_loop.hpp"
#include "bench/timing.hpp"

namespace tilewise::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double gflops(double products, double milliseconds) { return 2 * products / (milliseconds * 1e6); }

// Bytes that must cross the memory's pins once: A and B in, C out, and C in where beta asks for it.
template <class T> double compulsory_bytes(const Operands<T>& operands) {
  const auto& [m, n, k] = operands.sizes;
  const double c = static_cast<double>(m) * static_cast<double>(n);
  const double a_and_b = (static_cast<double>(m) + static_cast<double>(n)) * static_cast<double>(k);
  const auto operand_bytes =
      static_cast<double>(size_of(kernels::operand_dtype(operands.arithmetic)));
  return a_and_b * operand_bytes + (operands.beta == 0 ? c : 2 * c) * sizeof(T);
}

template <class T> std::uint64_t checksum_of(const std::vector<T>& c) {
  return fnv1a(std::as_bytes(std::span(c)));
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void take_verdict(RungResult& row, Verdict verdict) {
  row.verified = verdict.verified;
  row.error = verdict.error;
  row.largest_error = verdict.largest_error;
  row.wrong = std::move(verdict.wrong);
}

void mark_wrong(RungResult& row, const std::string& what) {
  row.verified = false;
  if (row.wrong.empty()) row.wrong = what;
}

// The virtual GPU that plays the real one, where the problem is small enough to be counted too.
std::unique_ptr<device::Device> open_counting_device(const device::Device& device,
                                                     const LadderRequest& request,
                                                     const Sizes& sizes) {
  const bool is_known =
      std::any_of(model::catalogue().begin(), model::catalogue().end(),
                  [&](const model::Gpu& gpu) { return gpu.key == device.gpu().key; });
  const bool small = sizes.products() <= static_cast<double>(request.count_up_to);
  if (device.is_virtual() || !is_known || !small || request.count_up_to == 0) return nullptr;
  return device::open(device::Choice::kVirtual, device.gpu().key);
}

}  // namespace

template <class T>
Climb<T>::Climb(device::Device& device, const LadderRequest& request, const Sizes& sizes,
                Cublas* peer, kernels::Arithmetic arithmetic)
    : device_(device),
      request_(request),
      sizes_(sizes),
      peer_(peer),
      stream_(device.create_stream()),
      operands_(make_operands<T>(request, sizes, arithmetic)),
      reference_(make_reference(operands_, rows_to_check(sizes, request.seed))),
      counting_device_(open_counting_device(device, request, sizes)) {}

template <class T>
RungResult Climb<T>::run(const kernels::Rung& rung, const ImageOf& image_of, bool whole_result) {
  const Clock::time_point start = Clock::now();
  RungResult row;
  row.rung = &rung;
  row.m = sizes_.m;
  row.n = sizes_.n;
  row.k = sizes_.k;
  if (rung.on_cpu) {
    run_on_host(row, whole_result);
  } else {
    run_on_device(row, image_of(rung, device_.gpu()));
  }
  row.host_seconds = seconds_since(start);
  return row;
}

template <class T> void Climb<T>::run_on_host(RungResult& row, bool whole_result) {
  constexpr double kLongEnough = 1.0;  // seconds
  constexpr std::size_t kMostRuns = 10;
  const std::vector<std::int64_t> rows = host_rows(operands_.sizes, reference_.rows, whole_result);
  const bool whole = static_cast<std::int64_t>(rows.size()) == sizes_.m;
  c_.assign(static_cast<std::size_t>(sizes_.m * sizes_.n), std::numeric_limits<T>::quiet_NaN());
  const Clock::time_point start = Clock::now();
  do {
    const Clock::time_point run_start = Clock::now();
    host_loop(operands_, rows, c_);
    row.samples_ms.push_back(seconds_since(run_start) * 1e3);
  } while (seconds_since(start) < kLongEnough && row.samples_ms.size() < kMostRuns);

  const std::span<const T> c(c_);
  take_verdict(row, whole ? check_result(operands_, reference_, c, request_.seed)
                          : check_rows(operands_, reference_, c, rows.size()));
  row.checksum = checksum_of(c_);
  row.entry = "host loop";
  if (!whole) row.entry += fmt::format(", {} of {} rows", rows.size(), sizes_.m);
  const double milliseconds = median(row.samples_ms);
  if (whole) row.time_ms = milliseconds;
  const double share = static_cast<double>(rows.size()) / static_cast<double>(sizes_.m);
  if (operands_.sizes.products() > 0 && milliseconds > 0) {
    row.gflops = gflops(operands_.sizes.products() * share, milliseconds);
  }
}

template <class T>
void Climb<T>::run_on_device(RungResult& row, const kernels::KernelImage& image) {
  LoadedRung loaded(device_, *row.rung, image, operands_.sizes);
  describe_kernel(row, loaded);
  c_.clear();
  row.verified = true;
  row.checksum = checksum_of(c_);
  if (sizes_.m == 0 || sizes_.n == 0) return;  // nothing to compute, and no grid to launch
  launch(row, loaded);
  check(row, loaded);
  if (counting_device_) count(row, image);
  if (device_.is_virtual() || !request_.time || !row.verified) return;
  time(row, loaded);
  check_again(row, loaded);
}

template <class T> void Climb<T>::describe_kernel(RungResult& row, const LoadedRung& loaded) const {
  const device::KernelAttributes attributes = loaded.attributes();
  row.entry = loaded.entry();
  row.shared_bytes = attributes.static_shared_bytes;
  if (attributes.registers == 0) return;  // no cubin: not known
  row.registers = attributes.registers;
  row.occupancy =
      model::occupancy(device_.gpu(), {.threads = static_cast<int>(row.rung->block.count()),
                                       .registers_per_thread = attributes.registers,
                                       .shared_bytes = attributes.static_shared_bytes});
}

template <class T> void Climb<T>::launch(RungResult& row, LoadedRung& loaded) {
  DeviceOperands<T>& operands = on_device(row.rung->order);
  operands.reset_c();
  std::optional<device::LaunchCount> count;
  if (device_.is_virtual()) count = loaded.launch_counted(operands, 0, *stream_);
  if (!count) loaded.launch(operands, 0, *stream_);
  c_ = operands.read_c();
  row.checksum = checksum_of(c_);
  if (count) take_count(row, std::move(*count), loaded.grid());
}

template <class T>
void Climb<T>::take_count(RungResult& row, device::LaunchCount count, Dim3 grid) const {
  row.fidelity = vgpu::name_of(count.fidelity);
  row.fidelity_notes = std::move(count.fidelity_notes);
  row.counters = count.report.counters;
  row.lines = std::move(count.report.lines);
  if (!row.occupancy) return;
  row.limit = model::find_limit(device_.gpu(), *row.counters, dtype_of<T>,
                                compulsory_bytes(operands_), *row.occupancy, grid.count());
}

// The same rung with the same operands on the virtual GPU that plays this one.
template <class T> void Climb<T>::count(RungResult& row, const kernels::KernelImage& image) {
  device::Device& device = *counting_device_;
  const std::unique_ptr<device::Stream> stream = device.create_stream();
  LoadedRung loaded(device, *row.rung, image, operands_.sizes);
  DeviceOperands<T> operands(device, *stream, operands_, row.rung->order);
  operands.reset_c();
  std::optional<device::LaunchCount> count = loaded.launch_counted(operands, 0, *stream);
  if (!count) return;
  take_count(row, std::move(*count), loaded.grid());
  row.equal_on_virtual_gpu = same_bits(operands.read_c(), c_);
}

template <class T> void Climb<T>::check(RungResult& row, LoadedRung& loaded) {
  const std::span<const T> c(c_);
  take_verdict(row, check_result(operands_, reference_, c, request_.seed));
  if (!row.verified || !needs_exact_run(operands_, reference_)) return;
  DeviceOperands<T>* integers = integers_on_device(row.rung->order);
  if (!integers) return;
  integers->reset_c();
  loaded.launch(*integers, 0, *stream_);
  const std::vector<T> exact = integers->read_c();
  const std::string wrong = check_exact(integers_, std::span<const T>(exact), request_.seed);
  if (!wrong.empty()) mark_wrong(row, wrong);
}

template <class T> void Climb<T>::time(RungResult& row, LoadedRung& loaded) {
  DeviceOperands<T>& operands = on_device(row.rung->order);
  // A fifth of the memory stays free for cuBLAS and others on the device.
  operands.add_sets(sets_past_cache(operands.set_bytes(), device_.gpu().l2_bytes,
                                    device_.free_memory() / 5 * 4 + operands.set_bytes()));
  const Sizes& sizes = operands_.sizes;
  const EnqueueRun ours = [&](int set) { loaded.launch(operands, set, *stream_); };
  EnqueueRun peer;
  if (peer_ && sizes.products() > 0) {
    peer = [&](int set) {
      peer_->gemm(row.rung->arithmetic, row.rung->order, sizes.m, sizes.n, sizes.k, operands_.alpha,
                  operands.a(set), operands.b(set), operands_.beta, operands.c(set), *stream_);
    };
  }
  Samples samples = time_interleaved(device_, *stream_, ours, peer, operands.sets(),
                                     request_.repeat, request_.rest_ms);
  row.time_ms = median(samples.ours_ms);
  if (sizes.products() > 0 && *row.time_ms > 0) row.gflops = gflops(sizes.products(), *row.time_ms);
  if (peer) {
    row.cublas_time_ms = median(samples.peer_ms);
    row.percent_of_cublas = 100 * *row.cublas_time_ms / *row.time_ms;
  }
  row.samples_ms = std::move(samples.ours_ms);
}

// Once more after many runs in a row: other bits from the same operands mean a race.
template <class T> void Climb<T>::check_again(RungResult& row, LoadedRung& loaded) {
  DeviceOperands<T>& operands = on_device(row.rung->order);
  operands.reset_c();
  loaded.launch(operands, 0, *stream_);
  if (!same_bits(operands.read_c(), c_)) {
    mark_wrong(row, "a second run gave other bits: the kernel has a race");
  }
}

template <class T> DeviceOperands<T>& Climb<T>::on_device(Order order) {
  if (!on_device_ || on_device_->order() != order) {
    on_device_.reset();  // before the new ones are allocated
    on_device_.emplace(device_, *stream_, operands_, order);
  }
  return *on_device_;
}

template <class T> DeviceOperands<T>* Climb<T>::integers_on_device(Order order) {
  if (integers_.sizes.m == 0) integers_ = make_integer_operands(operands_, request_.seed);
  if (integers_.sizes.m == 0) return nullptr;  // k is too long for exact sums
  if (!integers_on_device_ || integers_on_device_->order() != order) {
    integers_on_device_.reset();
    integers_on_device_.emplace(device_, *stream_, integers_, order);
  }
  return &*integers_on_device_;
}

template <class T> npy::Array Climb<T>::last_result() const {
  const auto bytes = std::as_bytes(std::span(c_));
  return {.dtype = dtype_of<T>,
          .order = Order::kRowMajor,
          .rows = sizes_.m,
          .columns = sizes_.n,
          .bytes = {bytes.begin(), bytes.end()}};
}

template class Climb<float>;
template class Climb<double>;

}  // namespace tilewise::bench
