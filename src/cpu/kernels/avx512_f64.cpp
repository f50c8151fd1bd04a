// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/kernels/avx512.hpp"
#include "cpu/kernels/kernels.hpp"

namespace tilewise::cpu {
namespace avx512 {
namespace {

#define TILEWISE_UNROLL _Pragma("GCC unroll 32")
#include "cpu/kernels/dot.inl"
#include "cpu/kernels/pack.inl"
#include "cpu/kernels/stream.inl"
#include "cpu/kernels/tile.inl"
#include "cpu/kernels/transpose.inl"

constexpr Kernels<double> make_kernels() {
  Kernels<double> kernels;
  kernels.name = "avx512";
  kernels.lanes = F64::kLanes;
  kernels.best_vectors = 3;
  list_tiles<F64, 1>(kernels, std::make_integer_sequence<int, 14>());
  list_tiles<F64, 2>(kernels, std::make_integer_sequence<int, 12>());
  list_tiles<F64, 3>(kernels, std::make_integer_sequence<int, 8>());
  list_tiles<F64, 4>(kernels, std::make_integer_sequence<int, 6>());
  kernels.dot_rows = 4;
  kernels.dot_columns = 6;
  list_dots<F64, 1>(kernels, std::make_integer_sequence<int, 6>());
  list_dots<F64, 2>(kernels, std::make_integer_sequence<int, 6>());
  list_dots<F64, 3>(kernels, std::make_integer_sequence<int, 6>());
  list_dots<F64, 4>(kernels, std::make_integer_sequence<int, 6>());
  list_streams<F64>(kernels, std::make_integer_sequence<int, 6>());
  kernels.stream_rows = 6;
  kernels.pack = &pack_rows<F64>;
  kernels.transpose = &transpose_block<F64>;
  return kernels;
}

constexpr Kernels<double> kKernels = make_kernels();

}  // namespace
}  // namespace avx512

const Kernels<double>* avx512_kernels_f64() { return &avx512::kKernels; }

}  // namespace tilewise::cpu
