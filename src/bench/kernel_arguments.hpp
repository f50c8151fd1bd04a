// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a user's kernel: scalars by value, arrays in device memory, from files or made here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/npy.hpp"
#include "core/tensor_map.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::bench {

/// Where an array's elements come from, and where they go.
enum class ArraySource {
  kFile,      ///< read from `file`
  kPoisoned,  ///< every byte 0xFF, which is NaN for floats: what the kernel leaves unwritten shows
  kRandom,    ///< floats uniform in [-1, 1); integers all values of 8 bits, -128…127 for s32
  kZeros,
};

/// A tensor map instead of the array's address.
struct TensorView {
  std::vector<std::int64_t> box;  ///< elements, in the order of the array's shape
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorFill fill = TensorFill::kZero;
  std::optional<TensorType> type;  ///< else the array's
  std::size_t argument = 0;        ///< from 1: the argument whose array it is of; 0: its own
};

/// One argument, as the command line says it.
struct KernelArgument {
  std::string text;               ///< for messages: "in:a.npy"
  std::vector<std::byte> scalar;  ///< its bytes; empty for an array
  ArraySource source = ArraySource::kZeros;
  std::filesystem::path file;  ///< of kFile, and of an output
  bool is_output = false;      ///< written to `file` after the run
  std::optional<Dtype> dtype;  ///< of a file: what its elements are turned into
  std::vector<std::int64_t> shape;
  std::uint64_t seed = 1;
  std::optional<TensorView> tensor;
};

/// The arguments' place in device memory for the time of a launch.
class ArgumentValues {
 public:
  /// Fills device memory. Throws Error{kInvalidInput} for a file that does not fit, naming the argument,
  /// Error{kOutOfMemory}.
  ArgumentValues(const std::vector<KernelArgument>& arguments, vgpu::Memory& memory);

  /// One pointer to a value for each argument.
  const std::vector<const void*>& pointers() const { return pointers_; }
  /// Hands tensor maps over by value or, where the parameter is a pointer, by their address. Throws
  /// Error{kInvalidArgument} when `parameter_bytes` (one a parameter) asks for others.
  void fit(const std::vector<std::uint32_t>& parameter_bytes);
  /// Writes the outputs to their files.
  void write_outputs() const;

 private:
  struct Value {
    const KernelArgument* argument = nullptr;
    std::vector<std::byte> scalar;
    std::uint64_t address = 0;
    npy::Layout layout;
    std::uint64_t bytes = 0;
    TensorMap map;
    std::uint64_t map_address = 0;  ///< of a copy of the map in device memory
  };
  void place(Value& value, vgpu::Memory& memory);
  void make_map(Value& value, vgpu::Memory& memory);

  std::deque<Value> values_;
  std::vector<const void*> pointers_;
};

}  // namespace tilewise::bench
