// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps: what a kernel passes to cp.async.bulk.tensor to say which part of a tensor in global
// memory it means. Their 128 bytes are the device's own; what they say is the same on every device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewise {

inline constexpr std::size_t kTensorRanks = 5;

/// Elements of a tensor, in the order of the driver's CUtensorMapDataType.
enum class TensorType : std::uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,  ///< f32 whose subnormals are zeros to reductions
  kTf32,    ///< f32 that a load rounds to tf32
  kTf32Ftz,
};

/// Bytes of an element.
std::size_t size_of(TensorType type);
/// "u8", "bf16", "tf32_ftz".
std::string_view name_of(TensorType type);
std::optional<TensorType> find_tensor_type(std::string_view name);

/// How 16-byte pieces change places in shared memory, so that columns of a box lie in different banks.
enum class TensorSwizzle : std::uint8_t { kNone, k32B, k64B, k128B };
/// Bytes of the span inside which pieces change places; 0 without a swizzle.
std::uint32_t span_of(TensorSwizzle swizzle);
/// "none", "32B", "64B", "128B".
std::string_view name_of(TensorSwizzle swizzle);
std::optional<TensorSwizzle> find_tensor_swizzle(std::string_view name);

/// What elements outside the tensor are loaded as.
enum class TensorFill : std::uint8_t { kZero, kNan };

/// A tiled tensor map without interleaving, as cuTensorMapEncodeTiled takes it. Dimension 0 is the
/// innermost: its elements lie side by side.
struct TensorMapRequest {
  TensorType type = TensorType::kF32;
  std::uint32_t rank = 1;  ///< 1 to 5
  std::uint64_t address = 0;
  std::array<std::uint64_t, kTensorRanks> dimensions{};   ///< elements; 1 to 2^32
  std::array<std::uint64_t, kTensorRanks - 1> strides{};  ///< bytes; [i] is dimension i + 1's
  std::array<std::uint32_t, kTensorRanks> box{};          ///< elements; 1 to 256
  std::array<std::uint32_t, kTensorRanks> element_strides{1, 1, 1, 1,
                                                          1};  ///< 1 to 8; [0] is unused
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorFill fill = TensorFill::kZero;
  std::uint32_t l2_promotion = 0;  ///< bytes fetched into the second-level cache: 0, 64, 128, 256
};

/// Throws Error{kInvalidArgument} that names the argument which breaks a rule of
/// cuTensorMapEncodeTiled (CUDA 13.0 driver API, "Tensor Map Object Management").
void check(const TensorMapRequest& request);

/// Whether check() throws nothing.
bool is_accepted(const TensorMapRequest& request);

/// A tensor map as kernels take it: a __grid_constant__ parameter of 128 bytes, aligned to 64.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

}  // namespace tilewise
