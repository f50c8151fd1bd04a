// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What is counted of a kernel launch. The same names stand in JSON, tables and code, whether the
// numbers come from the virtual GPU or from Nsight Compute on a real one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewise {

struct Counters {
  std::uint64_t warp_instructions = 0;         ///< PTX instructions issued, one per warp
  std::uint64_t fma_threads = 0;               ///< fused multiply-adds, one per active thread
  std::uint64_t shared_load_instructions = 0;  ///< warp-wide loads from shared memory
  std::uint64_t shared_load_wavefronts = 0;    ///< passes through the shared-memory pipe
  std::uint64_t shared_load_conflicts = 0;     ///< wavefronts beyond the fewest the width needs
  std::uint64_t shared_store_instructions = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t shared_store_conflicts = 0;
  std::uint64_t global_load_requests = 0;  ///< warp-wide loads from global memory
  std::uint64_t global_load_sectors = 0;   ///< 32-byte sectors they touch
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t async_copy_instructions = 0;  ///< warp-wide cp.async, from global to shared memory
  std::uint64_t async_copy_sectors = 0;       ///< 32-byte sectors of global memory they touch
  std::uint64_t async_copy_wavefronts = 0;    ///< their passes through the shared-memory pipe
  std::uint64_t async_copy_conflicts = 0;     ///< of these, beyond the fewest the width needs
  std::uint64_t tensor_fmas_f16 = 0;          ///< multiply-adds of tensor cores, by the type of A
  std::uint64_t tensor_fmas_bf16 = 0;
  std::uint64_t tensor_fmas_tf32 = 0;
  std::uint64_t tensor_fmas_fp8 = 0;  ///< e4m3 and e5m2
  std::uint64_t tensor_fmas_s8 = 0;   ///< s8 and u8
  std::uint64_t tensor_fmas_f64 = 0;
  std::uint64_t bulk_load_bytes = 0;     ///< into shared memory, by cp.async.bulk
  std::uint64_t bulk_store_bytes = 0;    ///< into global memory, stored or reduced
  std::uint64_t wgmma_shared_bytes = 0;  ///< of shared memory that wgmma reads, A and B
  std::uint64_t barriers = 0;            ///< block barriers, one per arriving warp

  Counters& operator+=(const Counters& other);
  friend bool operator==(const Counters&, const Counters&) = default;
};

struct CounterField {
  std::string_view name;
  std::uint64_t Counters::*member;
};

/// Every counter with its name, in the order tables show them.
inline constexpr auto kCounterFields = std::to_array<CounterField>({
    {"warp_instructions", &Counters::warp_instructions},
    {"fma_threads", &Counters::fma_threads},
    {"shared_load_instructions", &Counters::shared_load_instructions},
    {"shared_load_wavefronts", &Counters::shared_load_wavefronts},
    {"shared_load_conflicts", &Counters::shared_load_conflicts},
    {"shared_store_instructions", &Counters::shared_store_instructions},
    {"shared_store_wavefronts", &Counters::shared_store_wavefronts},
    {"shared_store_conflicts", &Counters::shared_store_conflicts},
    {"global_load_requests", &Counters::global_load_requests},
    {"global_load_sectors", &Counters::global_load_sectors},
    {"global_store_requests", &Counters::global_store_requests},
    {"global_store_sectors", &Counters::global_store_sectors},
    {"async_copy_instructions", &Counters::async_copy_instructions},
    {"async_copy_sectors", &Counters::async_copy_sectors},
    {"async_copy_wavefronts", &Counters::async_copy_wavefronts},
    {"async_copy_conflicts", &Counters::async_copy_conflicts},
    {"tensor_fmas_f16", &Counters::tensor_fmas_f16},
    {"tensor_fmas_bf16", &Counters::tensor_fmas_bf16},
    {"tensor_fmas_tf32", &Counters::tensor_fmas_tf32},
    {"tensor_fmas_fp8", &Counters::tensor_fmas_fp8},
    {"tensor_fmas_s8", &Counters::tensor_fmas_s8},
    {"tensor_fmas_f64", &Counters::tensor_fmas_f64},
    {"bulk_load_bytes", &Counters::bulk_load_bytes},
    {"bulk_store_bytes", &Counters::bulk_store_bytes},
    {"wgmma_shared_bytes", &Counters::wgmma_shared_bytes},
    {"barriers", &Counters::barriers},
});

inline Counters& Counters::operator+=(const Counters& other) {
  for (const CounterField& field : kCounterFields) this->*field.member += other.*field.member;
  return *this;
}

}  // namespace tilewise
