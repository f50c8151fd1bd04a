// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a cp.async.bulk, cp.reduce.async.bulk or prefetch knows beyond its Op; Op::imm is its index in
// Program::bulk_copies. r = {shared address, global address or tensor map or shared source, mbarrier,
// bytes, block mask}.
#pragma once

#include <cstdint>
#include <optional>

#include "vgpu/exec/bulk_reduction.hpp"

namespace tilewise::vgpu {

enum class BulkPath : std::uint8_t { kToShared, kSharedToShared, kToGlobal, kPrefetch };

struct BulkCopyFacts {
  /// An address operand.
  struct Place {
    std::int64_t offset = 0;
    bool wide = false;  ///< a register of 64 bits
  };

  BulkPath path = BulkPath::kToShared;
  int rank = 0;               ///< of the tensor; 0: bytes in a row
  bool to_cluster = true;     ///< kToShared: .shared::cluster
  bool is_multicast = false;  ///< to the blocks of the mask
  std::optional<BulkReduction> reduction;
  TensorType type = TensorType::kU32;  ///< of reductions without a tensor
  Place shared, other, barrier;
  std::uint32_t coordinates = 0;  ///< the first of them in Program::operands
  int instruction = -1;           ///< in Program::instructions
};

}  // namespace tilewise::vgpu
