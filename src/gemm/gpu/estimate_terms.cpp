// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/estimate_terms.hpp"

#include <cmath>

#include "gemm/gpu/rounds.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;
using kernels::Pipe;

// What the pass that makes pairs takes beside the bytes it moves: the next kernel's start hides behind it.
constexpr double kPairsMicroseconds = 0.6;
constexpr double kRestrideMicroseconds = 2.5;  // the same of the pass that copies to aligned rows
constexpr double kShortRowMicroseconds = 1.2e-4;  // of 33 elements, by three products on an H200
constexpr double kOrderedMicroseconds =
    2;  // later begins one that does not wait inside (wants_order())

double mma_share(const model::Gpu& gpu) {
  return gpu.compute_major == 9 || gpu.compute_major == 10 ? kMmaShareOfHopper : 1.0;
}

// Rows that are copied of which most pieces are ends: of hundreds of thousands these are what takes the time.
std::int64_t short_rows(const PreparedFactor& factor, const Problem& oriented) {
  constexpr std::int64_t kLeast = 16, kMost = 64;  // elements
  if (factor.leading_dimension <= kLeast || factor.leading_dimension > kMost) return 0;
  const auto row_bytes =
      static_cast<std::uint64_t>(factor.leading_dimension) * size_of(oriented.operand);
  return static_cast<std::int64_t>(factor.place.bytes / row_bytes);
}

double prepared_bytes(const PreparedFactor& factor) {
  return factor.preparation == kernels::Preparation::kNone
             ? 0.0
             : 2.0 * static_cast<double>(factor.place.bytes);
}

}  // namespace

// A rate that the catalogue does not know is taken as that of the plain pipes.
double flop_per_clock(Pipe pipe, const model::Gpu& gpu) {
  const double f32 = 2.0 * gpu.fp32_lanes_per_sm, f64 = 2.0 * gpu.fp64_lanes_per_sm;
  const auto known = [](int rate, double other) { return rate > 0 ? rate : other; };
  switch (pipe) {
    case Pipe::kF32: return f32;
    case Pipe::kF64: return f64;
    case Pipe::kTensorF64: return known(gpu.tensor.f64, f64);
    case Pipe::kTensorTF32: return known(gpu.tensor.tf32, f32);
    case Pipe::kTensorF16: return known(gpu.tensor.f16, f32);
    case Pipe::kTensorBF16: return known(gpu.tensor.bf16, f32);
    case Pipe::kMmaTF32: return mma_share(gpu) * known(gpu.tensor.tf32, f32);
    case Pipe::kMmaF16: return mma_share(gpu) * known(gpu.tensor.f16, f32);
    case Pipe::kMmaBF16: return mma_share(gpu) * known(gpu.tensor.bf16, f32);
  }
  return f32;
}

double one_behind_other(double one, double other) {
  constexpr double kExponent = 4;
  return std::pow(std::pow(one, kExponent) + std::pow(other, kExponent), 1 / kExponent);
}

RowsOfC rows_of_c(const kernels::GemmKernel& kernel, const Problem& oriented) {
  constexpr std::int64_t kPiece = 16, kSector = 32, kLine = 128;  // bytes
  const auto element = static_cast<std::int64_t>(size_of(oriented.result));
  const std::int64_t length = (kernel.transposes_result ? oriented.m() : oriented.n()) * element,
                     apart = oriented.arguments.c.leading_dimension * element;
  if ((length | apart) % kPiece != 0) return RowsOfC::kAnywhere;
  if (apart % kSector != 0) return RowsOfC::kInSectors;
  return apart % kLine == 0 ? RowsOfC::kWithLines : RowsOfC::kWithSectors;
}

double bytes_of(double lines, double k, std::int64_t count, const kernels::GemmFactor& factor,
                std::size_t element) {
  const bool shared = factor.pointers == nullptr && factor.stride == 0;
  return lines * k * static_cast<double>(element) * (shared ? 1.0 : static_cast<double>(count));
}

double factor_bytes(const Problem& problem) {
  const auto& x = problem.arguments;
  const double m = static_cast<double>(x.m), n = static_cast<double>(x.n),
               k = static_cast<double>(x.k);
  return bytes_of(m, k, problem.count, x.a, size_of(problem.operand)) +
         bytes_of(n, k, problem.count, x.b, size_of(problem.operand));
}

double memory_bytes(const Problem& problem) {
  const double results = static_cast<double>(problem.m()) * static_cast<double>(problem.n()) *
                         static_cast<double>(problem.count);
  return factor_bytes(problem) +
         results * static_cast<double>(size_of(problem.result)) * (problem.reads_c() ? 2 : 1);
}

double straddling_traffic(const PreparedFactor& prepared, const kernels::GemmFactor& factor,
                          const Problem& oriented, const StraddlingTraffic& traffic) {
  constexpr std::int64_t kSector = 32, kLine = 128;
  const std::size_t element = size_of(oriented.operand);
  const std::int64_t alignment =
      prepared.preparation == kernels::Preparation::kNone
          ? alignment_of(factor, oriented.count, element)
          : prepared.leading_dimension * static_cast<std::int64_t>(element);
  return alignment % kSector != 0 ? traffic.of_sectors
         : alignment % kLine != 0 ? traffic.of_lines
                                  : 1.0;
}

// Pieces of rows that begin anywhere have ends; of Cᵀ elements are stored one by one. In f32 it is C's that are, while of Cᵀ
// all are stored as they lie in registers. (Where rows begin is not asked: plans would differ by it.)
double unaligned_store_time(const GemmKernel& kernel, const Problem& oriented) {
  constexpr double kByElements = 3.0, kWithEnds = 1.5, kWideByElements = 3.3;
  if (size_of(oriented.result) == 4)
    return kernel.transposes_result || oriented.n() % 4 == 0 ? 1.0 : kWideByElements;
  if (kernel.transposes_result) return oriented.m() % 8 == 0 ? 1.0 : kByElements;
  return oriented.n() % 8 == 0 ? 1.0 : kWithEnds;
}

void add_preparation(Estimate& e, const Plan& plan, const Problem& oriented,
                     const model::Gpu& gpu) {
  const double bandwidth = gpu.memory_bandwidth * kMemoryShare / 1e6;  // bytes a µs
  bool copies = false;
  for (const PreparedFactor* factor : {&plan.a, &plan.b}) {
    if (factor->preparation == kernels::Preparation::kNone) continue;
    e.preparation += prepared_bytes(*factor) / bandwidth;
    if (factor->preparation == kernels::Preparation::kRestride) {
      copies = true;
      e.preparation += kShortRowMicroseconds * static_cast<double>(short_rows(*factor, oriented));
      continue;
    }
    e.launches += kLaunchMicroseconds;
    if (factor == &plan.b) e.preparation += kPairsMicroseconds;
  }
  if (copies) {
    e.launches += kLaunchMicroseconds;
    if (wants_order(plan, oriented, gpu)) e.launches += kOrderedMicroseconds;
    e.preparation += kRestrideMicroseconds;
  }
}

}  // namespace tilewise::gpu
