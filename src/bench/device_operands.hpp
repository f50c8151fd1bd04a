// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A problem's matrices on a device, and a rung's kernel ready to run on them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/operands.hpp"
#include "core/tensor_map.hpp"
#include "device/device.hpp"
#include "kernels/catalogue.hpp"

namespace tilewise::bench {

/// One or more copies of A, B and C in device memory, in one storage order.
template <class T> class DeviceOperands {
 public:
  /// Copies A and B. C stays as it is until reset_c(). Throws Error{kOutOfMemory}.
  DeviceOperands(device::Device& device, device::Stream& stream, const Operands<T>& operands,
                 Order order);

  /// Makes more copies, at other addresses, until there are `count`.
  void add_sets(int count);
  int sets() const { return static_cast<int>(sets_.size()); }
  std::uint64_t set_bytes() const;

  /// C of set 0 as a launch is to find it: C0, or every element NaN where beta is 0, so that an element
  /// that is read or left unwritten shows.
  void reset_c();
  /// C of set 0, row-major.
  std::vector<T> read_c();

  const Operands<T>& operands() const { return operands_; }
  Order order() const { return order_; }
  device::Address a(int set) const { return sets_[set].a.address(); }
  device::Address b(int set) const { return sets_[set].b.address(); }
  device::Address c(int set) const { return sets_[set].c.address(); }

 private:
  struct Set {
    device::Buffer a, b, c;
  };
  // Copies a matrix, as elements of `dtype`, into that buffer of the sets [first, last).
  void copy(const std::vector<T>& row_major, Dtype dtype, std::int64_t rows, std::int64_t columns,
            device::Buffer Set::*target, int first, int last);

  device::Device& device_;
  device::Stream& stream_;
  const Operands<T>& operands_;
  Order order_;
  std::deque<Set> sets_;
};

/// The kernel parameters that every GPU rung has: (m, n, k, alpha, A, B, beta, C). A and B are addresses
/// or tensor maps.
template <class T> struct RungArguments {
  int m = 0, n = 0, k = 0;
  T alpha{};
  device::Address a = 0, b = 0;
  T beta{};
  device::Address c = 0;
  std::optional<TensorMap> map_a = {}, map_b = {};  ///< in the places of a and b

  std::array<const void*, 8> pointers() const {
    const void* const first = map_a ? static_cast<const void*>(&*map_a) : &a;
    const void* const second = map_b ? static_cast<const void*>(&*map_b) : &b;
    return {&m, &n, &k, &alpha, first, second, &beta, &c};
  }
};

/// A rung's kernel for a shape, loaded.
class LoadedRung {
 public:
  LoadedRung(device::Device& device, const kernels::Rung& rung, const kernels::KernelImage& image,
             const Sizes& sizes);

  std::string_view entry() const { return shape_.entry; }
  Dim3 grid() const { return shape_.grid; }
  /// Shared memory with what the launch asks for.
  device::KernelAttributes attributes() const;

  /// Runs it on one set of operands.
  template <class T>
  void launch(const DeviceOperands<T>& operands, int set, device::Stream& stream);
  /// The same with counters on, where the device can count.
  template <class T>
  std::optional<device::LaunchCount> launch_counted(const DeviceOperands<T>& operands, int set,
                                                    device::Stream& stream);

 private:
  template <class T> RungArguments<T> arguments(const DeviceOperands<T>& operands, int set) const;
  device::Launch launch_of(const std::array<const void*, 8>& pointers) const;

  device::Device& device_;
  const kernels::Rung& rung_;
  kernels::LaunchShape shape_;
  std::unique_ptr<device::Module> module_;
  device::Kernel* kernel_ = nullptr;
};

}  // namespace tilewise::bench
