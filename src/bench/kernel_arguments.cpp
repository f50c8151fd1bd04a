// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/kernel_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/elements.hpp"
#include "core/file.hpp"
#include "core/npy_source.hpp"
#include "core/random.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

std::uint64_t count_of(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

// An element of a random array; exact in every type but the narrow floats.
double random_element(Dtype dtype, std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const double unit = random_unit(seed, stream, index);
  switch (dtype) {
    case Dtype::kU8: return static_cast<double>(static_cast<int>((unit + 1) * 128));
    case Dtype::kS8:
    case Dtype::kS32: return static_cast<double>(static_cast<int>((unit + 1) * 128)) - 128;
    default: return unit;
  }
}

// Elements [0, count) of `value(i)`, some at a time, into `to`.
template <typename Value>
void fill(Dtype dtype, std::uint64_t count, std::byte* to, const Value& value) {
  constexpr std::uint64_t kChunk = 4096;
  std::vector<double> chunk(std::min(count, kChunk));
  for (std::uint64_t first = 0; first < count; first += kChunk) {
    const std::uint64_t some = std::min(kChunk, count - first);
    for (std::uint64_t i = 0; i < some; ++i) chunk[i] = value(first + i);
    const auto done = write_elements(dtype, chunk.data(), static_cast<std::int64_t>(some),
                                     to + first * size_of(dtype));
    if (done == static_cast<std::int64_t>(some)) continue;
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("element {} is {}, which {} does not have",
                            first + static_cast<std::uint64_t>(done), chunk[done], name_of(dtype)));
  }
}

void convert(const std::vector<std::byte>& from, Dtype from_dtype, Dtype to_dtype, std::byte* to,
             std::uint64_t count) {
  fill(to_dtype, count, to, [&](std::uint64_t i) {
    double value = 0;
    read_elements(from_dtype, from.data() + i * size_of(from_dtype), 1, 1, &value);
    return value;
  });
}

std::vector<std::byte> read_file_elements(npy::Source& source, const npy::Layout& layout) {
  const std::uint64_t bytes = npy::payload_bytes(layout, source.path());
  npy::require_memory(bytes, source.path());
  std::vector<std::byte> elements(bytes);
  npy::read_elements(source, layout, reinterpret_cast<char*>(elements.data()));
  return elements;
}

}  // namespace

ArgumentValues::ArgumentValues(const std::vector<KernelArgument>& arguments, vgpu::Memory& memory) {
  const auto with_name = [](const KernelArgument& argument, const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("--arg {}: {}", argument.text, error.what()));
    }
  };
  for (const KernelArgument& argument : arguments) {
    Value& value = values_.emplace_back();
    value.argument = &argument;
    value.scalar = argument.scalar;
    const bool has_array =
        value.scalar.empty() && !(argument.tensor && argument.tensor->argument > 0);
    if (has_array) with_name(argument, [&] { place(value, memory); });
  }
  for (Value& value : values_) {  // a map may be of an array behind it
    const bool is_map = value.argument->tensor.has_value();
    if (is_map) with_name(*value.argument, [&] { make_map(value, memory); });
    pointers_.push_back(is_map                 ? static_cast<const void*>(&value.map)
                        : value.scalar.empty() ? static_cast<const void*>(&value.address)
                                               : value.scalar.data());
  }
}

namespace {

TensorType tensor_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return TensorType::kF16;
    case Dtype::kBF16: return TensorType::kBf16;
    case Dtype::kF32: return TensorType::kF32;
    case Dtype::kF64: return TensorType::kF64;
    case Dtype::kS32: return TensorType::kS32;
    case Dtype::kS8:
    case Dtype::kU8: break;
  }
  return TensorType::kU8;
}

}  // namespace

// Dimension 0 of a tensor map is the one whose elements lie side by side: the last of a row-major array.
void ArgumentValues::make_map(Value& value, vgpu::Memory& memory) {
  const TensorView& view = *value.argument->tensor;
  if (view.argument > values_.size() ||
      (view.argument > 0 && values_[view.argument - 1].layout.shape.empty())) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("argument {} is not an array", view.argument));
  }
  const Value& array = view.argument > 0 ? values_[view.argument - 1] : value;
  const std::vector<std::int64_t>& shape = array.layout.shape;
  if (shape.size() != view.box.size() || shape.size() > kTensorRanks) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the box has {} extents, the array {}; both need the same, at most {}",
                            view.box.size(), shape.size(), kTensorRanks));
  }
  TensorMapRequest request;
  request.type = view.type.value_or(tensor_type_of(array.layout.dtype));
  if (size_of(request.type) != size_of(array.layout.dtype)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("type={} has elements of {} bytes, the array's {} has {}",
                            name_of(request.type), size_of(request.type),
                            name_of(array.layout.dtype), size_of(array.layout.dtype)));
  }
  request.rank = static_cast<std::uint32_t>(shape.size());
  request.address = array.address;
  request.swizzle = view.swizzle;
  request.fill = view.fill;
  std::uint64_t bytes = size_of(array.layout.dtype);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool row_major = array.layout.order == Order::kRowMajor;
    const std::size_t from = row_major ? shape.size() - 1 - i : i;
    if (i > 0) request.strides[i - 1] = bytes;
    request.dimensions[i] = static_cast<std::uint64_t>(shape[from]);
    request.box[i] = static_cast<std::uint32_t>(std::min<std::int64_t>(view.box[from], INT32_MAX));
    bytes *= request.dimensions[i];
  }
  value.map = vgpu::make_tensor_map(request);
  value.map_address = memory.allocate(sizeof value.map);
  std::memcpy(reinterpret_cast<std::byte*>(value.map_address), &value.map, sizeof value.map);
  memory.mark_written(value.map_address, sizeof value.map);
}

void ArgumentValues::place(Value& value, vgpu::Memory& memory) {
  const KernelArgument& a = *value.argument;
  std::vector<std::byte> elements;
  Dtype file_dtype = Dtype::kF32;
  if (a.source == ArraySource::kFile) {
    npy::Source source(a.file);
    value.layout = npy::read_layout(source, {.integers = true, .vectors = true, .any_rank = true});
    elements = read_file_elements(source, value.layout);
    file_dtype = value.layout.dtype;
    value.layout.dtype = a.dtype.value_or(file_dtype);
  } else {
    value.layout = {a.dtype.value_or(Dtype::kF32), Order::kRowMajor, a.shape};
  }
  const std::uint64_t count = count_of(value.layout.shape);
  const Dtype dtype = value.layout.dtype;
  value.bytes = count * size_of(dtype);
  value.address = memory.allocate(value.bytes);
  auto* to = reinterpret_cast<std::byte*>(value.address);
  if (value.bytes == 0) return;
  // What an output holds before the run is nothing to read.
  if (a.source != ArraySource::kPoisoned) memory.mark_written(value.address, value.bytes);
  switch (a.source) {
    case ArraySource::kFile:
      if (file_dtype == dtype) std::memcpy(to, elements.data(), value.bytes);
      else convert(elements, file_dtype, dtype, to, count);
      break;
    case ArraySource::kPoisoned: std::memset(to, 0xFF, value.bytes); break;
    case ArraySource::kZeros: std::memset(to, 0, value.bytes); break;
    case ArraySource::kRandom:
      fill(dtype, count, to,
           [&](std::uint64_t i) { return random_element(dtype, a.seed, values_.size(), i); });
      break;
  }
}

void ArgumentValues::fit(const std::vector<std::uint32_t>& parameter_bytes) {
  if (values_.size() != parameter_bytes.size()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("--arg: the kernel takes {} arguments (of {} bytes), {} were given",
                    parameter_bytes.size(), fmt::join(parameter_bytes, ", "), values_.size()));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    Value& value = values_[i];
    const bool is_map = value.argument->tensor.has_value();
    if (is_map && parameter_bytes[i] == sizeof value.map_address) {
      pointers_[i] = &value.map_address;
      continue;
    }
    const std::size_t given = is_map                 ? sizeof(TensorMap)
                              : value.scalar.empty() ? sizeof(std::uint64_t)
                                                     : value.scalar.size();
    if (given == parameter_bytes[i]) continue;
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("--arg {}: it is {} bytes; argument {} of the kernel takes {}",
                            value.argument->text, given, i + 1, parameter_bytes[i]));
  }
}

// bf16, which .npy does not have, is written as f32: exact.
void ArgumentValues::write_outputs() const {
  for (const Value& value : values_) {
    if (!value.argument->is_output) continue;
    const auto* from = reinterpret_cast<const std::byte*>(value.address);
    npy::Layout layout = value.layout;
    std::vector<std::byte> elements(from, from + value.bytes);
    if (layout.dtype == Dtype::kBF16) {
      layout.dtype = Dtype::kF32;
      std::vector<std::byte> wide(2 * elements.size());
      convert(elements, Dtype::kBF16, Dtype::kF32, wide.data(), elements.size() / 2);
      elements = std::move(wide);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(elements.data()), elements.size());
    write_file(value.argument->file, {npy::header_bytes(layout), bytes});
  }
}

}  // namespace tilewise::bench
