// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/device_operands.hpp"

namespace tilewise::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // 4 and 8 of these bytes are NaN

template <class T> std::uint64_t bytes_of(std::int64_t rows, std::int64_t columns) {
  return sizeof(T) * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
}

template <class T> RungArguments<T> arguments_of(const DeviceOperands<T>& on_device, int set) {
  const Operands<T>& operands = on_device.operands();
  return {.m = static_cast<int>(operands.sizes.m),
          .n = static_cast<int>(operands.sizes.n),
          .k = static_cast<int>(operands.sizes.k),
          .alpha = operands.alpha,
          .a = on_device.a(set),
          .b = on_device.b(set),
          .beta = operands.beta,
          .c = on_device.c(set)};
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
  return bytes_of<T>(m, k) + bytes_of<T>(k, n) + bytes_of<T>(m, n);
}

template <class T> void DeviceOperands<T>::add_sets(int count) {
  const auto& [m, n, k] = operands_.sizes;
  const int first = sets();
  for (int set = first; set < count; ++set) {
    sets_.push_back({device::Buffer(device_, bytes_of<T>(m, k)),
                     device::Buffer(device_, bytes_of<T>(k, n)),
                     device::Buffer(device_, bytes_of<T>(m, n))});
  }
  copy(operands_.a, m, k, &Set::a, first, count);
  copy(operands_.b, k, n, &Set::b, first, count);
  if (operands_.beta != 0) copy(operands_.c0, m, n, &Set::c, first, count);
}

template <class T>
void DeviceOperands<T>::copy(const std::vector<T>& row_major, std::int64_t rows,
                             std::int64_t columns, device::Buffer Set::*target, int first,
                             int last) {
  std::vector<T> reordered;
  if (order_ == Order::kColumnMajor) reordered = to_column_major(row_major, rows, columns);
  const T* source = order_ == Order::kColumnMajor ? reordered.data() : row_major.data();
  for (int set = first; set < last; ++set) {
    const device::Buffer& buffer = sets_[set].*target;
    device_.copy_to_device(buffer.address(), source, buffer.bytes(), stream_);
  }
  stream_.synchronize();  // the copies read `reordered`
}

template <class T> void DeviceOperands<T>::reset_c() {
  const Sizes& sizes = operands_.sizes;
  if (operands_.beta != 0) {
    copy(operands_.c0, sizes.m, sizes.n, &Set::c, 0, 1);
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
    : device_(device),
      entry_(kernels::entry_for(rung, sizes.n, sizes.k)),
      block_(rung.block),
      module_(device.load(image)),
      kernel_(&module_->kernel(entry_)) {
  if (sizes.m > 0 && sizes.n > 0) grid_ = kernels::grid_for(rung, sizes.m, sizes.n);
}

template <class T>
void LoadedRung::launch(const DeviceOperands<T>& operands, int set, device::Stream& stream) {
  const RungArguments<T> arguments = arguments_of(operands, set);
  const auto pointers = arguments.pointers();
  device_.launch(*kernel_, {.grid = grid_, .block = block_, .arguments = pointers}, stream);
}

template <class T>
std::optional<device::LaunchCount> LoadedRung::launch_counted(const DeviceOperands<T>& operands,
                                                              int set, device::Stream& stream) {
  const RungArguments<T> arguments = arguments_of(operands, set);
  const auto pointers = arguments.pointers();
  return device_.launch_counted(*kernel_, {.grid = grid_, .block = block_, .arguments = pointers},
                                stream);
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
