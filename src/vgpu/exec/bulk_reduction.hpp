// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of cp.reduce.async.bulk (PTX ISA 9.0, sections 9.7.9.25.4.3 and 9.7.9.27.1.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/tensor_map.hpp"

namespace tilewise::vgpu {

enum class BulkReduction : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

/// "add", "min", …: as PTX writes them.
std::string_view name_of(BulkReduction reduction);
std::optional<BulkReduction> find_bulk_reduction(std::string_view name);

/// Whether global memory knows the reduction of elements of `type`.
bool is_reduction(BulkReduction reduction, TensorType type);

/// to[i] = reduction(to[i], from[i]) for `bytes` bytes, each element atomically. Sums round to
/// nearest even; those of the ftz types flush subnormals to zero, the others keep them. The pair must be one that is_reduction() knows.
void reduce(BulkReduction reduction, TensorType type, std::byte* to, const std::byte* from,
            std::uint64_t bytes);

}  // namespace tilewise::vgpu
