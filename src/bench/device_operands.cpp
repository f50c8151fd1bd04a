// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/device_operands.hpp"

#include <algorithm>
#include <cstddef>

#include "core/elements.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // 4 and 8 of these bytes are NaN

std::uint64_t bytes_of(Dtype dtype, std::int64_t rows, std::int64_t columns) {
  return size_of(dtype) * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
}

// The elements as `dtype` has them, packed.
template <class T> std::vector<std::byte> converted(const std::vector<T>& elements, Dtype dtype) {
  constexpr std::uint64_t kChunk = 1 << 12;
  std::vector<std::byte> result(elements.size() * size_of(dtype));
  const std::uint64_t count = elements.size();
  parallel_for((count + kChunk - 1) / kChunk, 0, [&](int, std::uint64_t chunk) {
    const std::uint64_t first = chunk * kChunk, last = std::min(count, first + kChunk);
    const std::vector<double> wide(elements.begin() + static_cast<std::ptrdiff_t>(first),
                                   elements.begin() + static_cast<std::ptrdiff_t>(last));
    write_elements(dtype, wide.data(), static_cast<std::int64_t>(wide.size()),
                   &result[first * size_of(dtype)]);
  });
  return result;
}

}  // namespace

template <class T>
DeviceOperands<T>::DeviceOperands(device::Device& device, device::Stream& stream,
                                  const Operands<T>& operands, Order order)
    : device_(device), stream_(stream), operands_(operands), order_(order) {
  add_sets(1);
}

template <class T> std::uint64_t DeviceOperands<T>::set_bytes() const {
  const auto& [m, n, k] = operands_.sizes;
  const Dtype dtype = kernels::operand_dtype(operands_.arithmetic);
  return bytes_of(dtype, m, k) + bytes_of(dtype, k, n) + bytes_of(dtype_of<T>, m, n);
}

template <class T> void DeviceOperands<T>::add_sets(int count) {
  const auto& [m, n, k] = operands_.sizes;
  const Dtype dtype = kernels::operand_dtype(operands_.arithmetic);
  const int first = sets();
  for (int set = first; set < count; ++set) {
    sets_.push_back({device::Buffer(device_, bytes_of(dtype, m, k)),
                     device::Buffer(device_, bytes_of(dtype, k, n)),
                     device::Buffer(device_, bytes_of(dtype_of<T>, m, n))});
  }
  copy(operands_.a, dtype, m, k, &Set::a, first, count);
  copy(operands_.b, dtype, k, n, &Set::b, first, count);
  if (operands_.beta != 0) copy(operands_.c0, dtype_of<T>, m, n, &Set::c, first, count);
}

template <class T>
void DeviceOperands<T>::copy(const std::vector<T>& row_major, Dtype dtype, std::int64_t rows,
                             std::int64_t columns, device::Buffer Set::*target, int first,
                             int last) {
  std::vector<T> reordered;
  std::vector<std::byte> narrow;
  if (order_ == Order::kColumnMajor) reordered = to_column_major(row_major, rows, columns);
  const std::vector<T>& elements = order_ == Order::kColumnMajor ? reordered : row_major;
  if (dtype != dtype_of<T>) narrow = converted(elements, dtype);
  const void* source = elements.data();
  if (dtype != dtype_of<T>) source = narrow.data();
  for (int set = first; set < last; ++set) {
    const device::Buffer& buffer = sets_[set].*target;
    device_.copy_to_device(buffer.address(), source, buffer.bytes(), stream_);
  }
  stream_.synchronize();  // the copies read `reordered` and `narrow`
}

template <class T> void DeviceOperands<T>::reset_c() {
  const Sizes& sizes = operands_.sizes;
  if (operands_.beta != 0) {
    copy(operands_.c0, dtype_of<T>, sizes.m, sizes.n, &Set::c, 0, 1);
  } else {
    device_.fill(c(0), kPoison, sets_[0].c.bytes(), stream_);
  }
}

template <class T> std::vector<T> DeviceOperands<T>::read_c() {
  const auto& [m, n, k] = operands_.sizes;
  std::vector<T> result(static_cast<std::size_t>(m * n));
  device_.copy_to_host(result.data(), c(0), sets_[0].c.bytes(), stream_);
  stream_.synchronize();
  return order_ == Order::kColumnMajor ? to_row_major(result, m, n) : result;
}

LoadedRung::LoadedRung(device::Device& device, const kernels::Rung& rung,
                       const kernels::KernelImage& image, const Sizes& sizes)
    : device_(device), rung_(rung), module_(device.load(image)) {
  if (sizes.m > 0 && sizes.n > 0) {
    shape_ = kernels::launch_shape(rung, sizes.m, sizes.n, sizes.k, device.gpu().sm_count);
  } else {
    shape_.entry = kernels::entry_for(rung, sizes.n, sizes.k);
  }
  kernel_ = &module_->kernel(shape_.entry);
}

device::KernelAttributes LoadedRung::attributes() const {
  device::KernelAttributes attributes = kernel_->attributes();
  attributes.static_shared_bytes += static_cast<std::uint32_t>(rung_.dynamic_shared_bytes);
  return attributes;
}

template <class T>
RungArguments<T> LoadedRung::arguments(const DeviceOperands<T>& on_device, int set) const {
  const Operands<T>& operands = on_device.operands();
  const auto& [m, n, k] = operands.sizes;
  RungArguments<T> arguments{.m = static_cast<int>(m),
                             .n = static_cast<int>(n),
                             .k = static_cast<int>(k),
                             .alpha = operands.alpha,
                             .a = on_device.a(set),
                             .b = on_device.b(set),
                             .beta = operands.beta,
                             .c = on_device.c(set)};
  if (shape_.tensor_maps) {
    arguments.map_a =
        device_.make_tensor_map(kernels::map_of(rung_, rung_.box_a, on_device.a(set), m, k));
    arguments.map_b =
        device_.make_tensor_map(kernels::map_of(rung_, rung_.box_b, on_device.b(set), k, n));
  }
  return arguments;
}

device::Launch LoadedRung::launch_of(const std::array<const void*, 8>& pointers) const {
  return {.grid = shape_.grid,
          .block = rung_.block,
          .dynamic_shared_bytes = static_cast<std::uint32_t>(rung_.dynamic_shared_bytes),
          .arguments = pointers};
}

template <class T>
void LoadedRung::launch(const DeviceOperands<T>& operands, int set, device::Stream& stream) {
  const RungArguments<T> values = arguments(operands, set);
  const auto pointers = values.pointers();
  device_.launch(*kernel_, launch_of(pointers), stream);
}

template <class T>
std::optional<device::LaunchCount> LoadedRung::launch_counted(const DeviceOperands<T>& operands,
                                                              int set, device::Stream& stream) {
  const RungArguments<T> values = arguments(operands, set);
  const auto pointers = values.pointers();
  return device_.launch_counted(*kernel_, launch_of(pointers), stream);
}

template class DeviceOperands<float>;
template class DeviceOperands<double>;
template void LoadedRung::launch(const DeviceOperands<float>&, int, device::Stream&);
template void LoadedRung::launch(const DeviceOperands<double>&, int, device::Stream&);
template std::optional<device::LaunchCount> LoadedRung::launch_counted(const DeviceOperands<float>&,
                                                                       int, device::Stream&);
template std::optional<device::LaunchCount> LoadedRung::launch_counted(
    const DeviceOperands<double>&, int, device::Stream&);

}  // namespace tilewise::bench
