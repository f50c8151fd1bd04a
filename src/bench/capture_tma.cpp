// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture_tma.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>

#include "kernels/probe/hopper_ptx.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/bulk_reduction.hpp"
#include "vgpu/golden_rows.hpp"

namespace tilewise::bench {
namespace {

constexpr std::uint32_t kPiece = 16;  ///< bytes: what TMA moves at once

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  /// From `least` to `most`.
  std::uint64_t within(std::uint64_t least, std::uint64_t most) {
    return least + random_() % (most - least + 1);
  }
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  template <class T> T one_of(std::initializer_list<T> choices) {
    return choices.begin()[random_() % choices.size()];
  }

 private:
  std::mt19937_64 random_;
};

std::uint32_t elements_of_a_piece(TensorType type) {
  return std::max<std::uint32_t>(1, kPiece / static_cast<std::uint32_t>(size_of(type)));
}

bool is_float(TensorType type) {
  return type == TensorType::kF16 || type == TensorType::kF32 || type >= TensorType::kF64;
}

// Rank, type, swizzle, fill; box and element strides as the driver allows them, `most_rows` rows at most.
TensorMapRequest any_box(Random& random, std::uint32_t most_rows) {
  TensorMapRequest r;
  r.type = static_cast<TensorType>(random.within(0, static_cast<int>(TensorType::kTf32Ftz)));
  r.rank = static_cast<std::uint32_t>(random.within(1, kTensorRanks));
  r.swizzle = static_cast<TensorSwizzle>(random.within(0, 3));
  if (is_float(r.type) && random.one_in(3)) r.fill = TensorFill::kNan;
  const std::uint32_t piece = elements_of_a_piece(r.type);
  const std::uint32_t most_pieces =
      r.swizzle == TensorSwizzle::kNone ? 16 : span_of(r.swizzle) / kPiece;
  r.box[0] = static_cast<std::uint32_t>(random.within(1, most_pieces)) * piece;
  const bool strides = random.one_in(3);
  r.element_strides[0] = strides ? static_cast<std::uint32_t>(random.within(1, 4)) : 1;
  std::uint32_t rows = 1;
  for (std::uint32_t i = 1; i < r.rank; ++i) {
    const std::uint32_t most = std::min(most_rows / rows, r.rank == 2   ? 60u
                                                          : r.rank == 3 ? 12u
                                                                        : 5u);
    r.box[i] = static_cast<std::uint32_t>(random.within(1, most));
    r.element_strides[i] = strides ? static_cast<std::uint32_t>(random.within(1, 4)) : 1;
    rows *= r.box[i];
  }
  return r;
}

// A tensor around the box: some smaller than it, some larger.
void add_tensor(Random& random, TensorMapRequest& r) {
  const std::uint64_t size = size_of(r.type);
  r.address = kPiece * random.within(0, 64);
  r.dimensions[0] = random.within(1, 2 * r.box[0] + 4);
  std::uint64_t row = r.dimensions[0] * size;
  for (std::uint32_t i = 1; i < r.rank; ++i) {
    const std::uint64_t wider = random.one_in(2) ? kPiece * random.within(1, 3) : 0;
    r.strides[i - 1] = (row + kPiece - 1) / kPiece * kPiece + wider;
    r.dimensions[i] = random.within(1, r.rank == 2 ? 64 : r.rank == 3 ? 16 : 9);
    row = r.strides[i - 1] * r.dimensions[i];
  }
}

// Bytes from the memory's begin to the tensor's end.
std::uint64_t end_of(const TensorMapRequest& r) {
  std::uint64_t bytes = r.dimensions[0] * size_of(r.type);
  if (r.rank > 1) bytes = r.strides[r.rank - 2] * r.dimensions[r.rank - 1];
  return r.address + bytes;
}

// Breaks one rule, or goes to the limit of what it allows.
void spoil(Random& random, TensorMapRequest& r) {
  const std::uint64_t dimension = random.within(0, r.rank - 1);
  switch (random.within(0, 8)) {
    case 0: r.address += random.one_of<std::uint64_t>({1, 2, 4, 8}); break;
    case 1:
      r.dimensions[dimension] =
          random.one_of<std::uint64_t>({0, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1});
      break;
    case 2:
      r.strides[random.within(0, kTensorRanks - 2)] += random.one_of<std::uint64_t>({4, 8, 12});
      break;
    case 3:
      r.strides[random.within(0, kTensorRanks - 2)] =
          (std::uint64_t{1} << 40) + random.one_of<std::uint64_t>({0, 16}) - 16;
      break;
    case 4: r.box[dimension] = random.one_of<std::uint32_t>({0, 255, 256, 257}); break;
    case 5: r.element_strides[dimension] = random.one_of<std::uint32_t>({0, 7, 8, 9}); break;
    case 6: r.box[0] += random.one_of<std::uint32_t>({1, 2, 3}); break;
    case 7: r.swizzle = static_cast<TensorSwizzle>(random.within(1, 3)); break;
    default: r.fill = TensorFill::kNan; break;
  }
}

// Fields of a row from the type to the fill, of `count` dimensions.
std::string fields_of(const TensorMapRequest& r, std::size_t count) {
  const auto list = [](const auto& values, std::size_t n) {
    return fmt::format("{}", fmt::join(values.begin(), values.begin() + n, " "));
  };
  return fmt::format("{},{},{},{},{},{},{},{},{}", name_of(r.type), r.rank, r.address,
                     list(r.dimensions, count), list(r.strides, count - 1), list(r.box, count),
                     list(r.element_strides, count), name_of(r.swizzle),
                     r.fill == TensorFill::kNan ? "nan" : "zero");
}

// Mostly one that the type has: every other is a fault.
std::string_view any_reduction(Random& random, TensorType type) {
  for (;;) {
    const std::string_view name =
        kernels::kTensorProbes[random.within(2, kernels::kTensorProbes.size() - 1)];
    if (vgpu::is_reduction(*vgpu::find_bulk_reduction(name), type) || random.one_in(40))
      return name;
  }
}

TensorCopy any_copy(Random& random) {
  constexpr std::uint32_t kMostRows =
      100;  // of 256 bytes: they end within the bytes that are hashed
  TensorCopy copy;
  do {
    copy.map = any_box(random, kMostRows);
    add_tensor(random, copy.map);
  } while (end_of(copy.map) + kPiece > vgpu::TensorImages::kGlobal);
  const std::uint64_t kind = random.within(0, 9);  // six loads, two stores, two reductions
  copy.what = kind < 6 ? "load" : kind < 8 ? "store" : any_reduction(random, copy.map.type);
  const bool is_load = copy.what == "load";
  if (!is_load) copy.map.fill = TensorFill::kZero;
  const std::uint32_t piece = elements_of_a_piece(copy.map.type);
  const bool may_be_negative = is_load || random.one_in(8);
  for (std::uint32_t i = 0; i < copy.map.rank; ++i) {
    const std::uint64_t size = i == 0 ? copy.map.dimensions[0] / piece + 1 : copy.map.dimensions[i];
    const std::uint64_t before = may_be_negative ? std::min<std::uint64_t>(size, 4) : 0;
    const auto at = static_cast<std::int32_t>(random.within(0, size + before)) -
                    static_cast<std::int32_t>(before);
    copy.coordinates.push_back(i == 0 ? at * static_cast<std::int32_t>(piece) : at);
  }
  if (piece > 1 && random.one_in(40)) ++copy.coordinates[0];
  copy.shared_address = random.one_in(2) ? 1024 * static_cast<std::uint32_t>(random.within(0, 1))
                                         : 128 * static_cast<std::uint32_t>(random.within(0, 16));
  return copy;
}

/// The probes and their memory on a device.
class CopyBench {
 public:
  explicit CopyBench(device::Device& device)
      : device_(device),
        text_(kernels::tensor_probes()),
        stream_(device.create_stream()),
        module_(device.load(kernels::hopper_image("tensor_probe", text_))),
        global_(device, vgpu::TensorImages::kGlobal + kAlignment),
        shared_(device, vgpu::TensorImages::kShared) {}

  /// The hash of what the copy wrote; nothing where it ended in a fault.
  std::optional<std::uint64_t> run(const TensorCopy& copy) {
    try {
      const std::vector<std::byte> bytes = copied(copy);
      return vgpu::hash_of(bytes);
    } catch (const Error& error) {
      if (!is_fault(error)) throw;
      return std::nullopt;
    }
  }

 private:
  static constexpr std::uint64_t kAlignment = 256;

  std::vector<std::byte> copied(const TensorCopy& copy) {
    const vgpu::TensorImages& images = vgpu::tensor_images();
    const device::Address global = (global_.address() + kAlignment - 1) / kAlignment * kAlignment;
    const device::Address shared = shared_.address();
    device_.copy_to_device(global, images.global.data(), images.global.size(), *stream_);
    device_.copy_to_device(shared, images.shared.data(), images.shared.size(), *stream_);
    TensorMapRequest request = copy.map;
    request.address += global;
    const TensorMap map = device_.make_tensor_map(request);
    std::array<std::int32_t, kTensorRanks> at{};
    std::ranges::copy(copy.coordinates, at.begin());
    const std::uint32_t bytes = transferred_bytes(copy.map);
    const std::array<const void*, 9> arguments{
        &shared, &map, &at[0], &at[1], &at[2], &at[3], &at[4], &copy.shared_address, &bytes};
    device::Kernel& kernel = module_->kernel(kernels::tensor_probe_name(copy.what, copy.map.rank));
    device_.launch(
        kernel,
        {{1, 1, 1}, {kernels::kTensorThreads, 1, 1}, kernels::kTensorSharedBytes, arguments},
        *stream_);
    const bool is_load = copy.what == "load";
    std::vector<std::byte> result(is_load ? kernels::kTensorLoadBytes : 64 * 1024);
    device_.copy_to_host(result.data(), is_load ? shared : global, result.size(), *stream_);
    stream_->synchronize();
    return result;
  }

  // What the barrier of a load waits for: rows times their bytes, without the gaps of a swizzle.
  static std::uint32_t transferred_bytes(const TensorMapRequest& r) {
    auto bytes = static_cast<std::uint32_t>(r.box[0] * size_of(r.type));
    for (std::uint32_t i = 1; i < r.rank; ++i)
      bytes *= (r.box[i] + r.element_strides[i] - 1) / r.element_strides[i];
    return bytes;
  }

  bool is_fault(const Error& error) const {
    if (device_.is_virtual()) return error.code() == ErrorCode::kExecution;
    return std::string_view(error.what()).find("CUDA_ERROR_ILLEGAL_INSTRUCTION") !=
           std::string_view::npos;
  }

  device::Device& device_;
  std::string text_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Module> module_;
  device::Buffer global_, shared_;
};

}  // namespace

std::string capture_tensor_maps(device::Device& device, int rows, std::uint64_t seed) {
  std::string text =
      "id,type,rank,address,dimensions,strides,box,element_strides,swizzle,fill,accepted\n";
  Random random(seed);
  const device::Buffer memory(device, vgpu::TensorImages::kGlobal);
  for (int id = 0; id < rows; ++id) {
    TensorMapRequest r = any_box(random, 1u << 16);
    add_tensor(random, r);
    for (std::uint32_t i = 1; i < r.rank && random.one_in(2); ++i)
      r.box[i] = static_cast<std::uint32_t>(random.within(1, 256));
    for (std::uint64_t wrong = random.within(0, 2); wrong > 0; --wrong) spoil(random, r);
    TensorMapRequest placed = r;
    placed.address += memory.address();
    text += fmt::format("{},{},{:d}\n", id, fields_of(r, kTensorRanks),
                        device.accepts_tensor_map(placed));
  }
  return text;
}

std::vector<TensorCopy> tensor_copies(int rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<TensorCopy> copies;
  for (int i = 0; i < rows; ++i) copies.push_back(any_copy(random));
  return copies;
}

std::string tensor_copies_head() {
  return "id,what,type,rank,address,dimensions,strides,box,element_strides,swizzle,fill,"
         "coordinates,"
         "shared_address,fault,hash\n";
}

std::string capture_copies(device::Device& device, std::span<const TensorCopy> copies,
                           std::size_t first) {
  CopyBench bench(device);
  std::string text;
  for (std::size_t i = first; i < copies.size(); ++i) {
    const TensorCopy& copy = copies[i];
    const std::optional<std::uint64_t> hash = bench.run(copy);
    text += fmt::format("{},{},{},{},{},{:d},{}\n", i, copy.what,
                        fields_of(copy.map, copy.map.rank), fmt::join(copy.coordinates, " "),
                        copy.shared_address, !hash, hash ? fmt::format("{:016x}", *hash) : "");
    if (!hash) break;
  }
  return text;
}

}  // namespace tilewise::bench
