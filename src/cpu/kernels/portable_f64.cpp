// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/portable.hpp"

namespace tilewise::cpu {
namespace portable {
namespace {

#define TILEWISE_UNROLL _Pragma("GCC unroll 32")
#include "cpu/kernels/dot.inl"
#include "cpu/kernels/pack.inl"
#include "cpu/kernels/stream.inl"
#include "cpu/kernels/tile.inl"
#include "cpu/kernels/transpose.inl"

constexpr Kernels<double> make_kernels() {
  Kernels<double> kernels;
  kernels.name = "portable";
  kernels.lanes = F64::kLanes;
  kernels.best_vectors = 2;
  list_tiles<F64, 1>(kernels, std::make_integer_sequence<int, 8>());
  list_tiles<F64, 2>(kernels, std::make_integer_sequence<int, 4>());
  kernels.dot_rows = 2;
  kernels.dot_columns = 4;
  list_dots<F64, 1>(kernels, std::make_integer_sequence<int, 4>());
  list_dots<F64, 2>(kernels, std::make_integer_sequence<int, 4>());
  list_streams<F64>(kernels, std::make_integer_sequence<int, 3>());
  kernels.stream_rows = 3;
  kernels.pack = &pack_rows<F64>;
  kernels.transpose = &transpose_block<F64>;
  return kernels;
}

constexpr Kernels<double> kKernels = make_kernels();

}  // namespace
}  // namespace portable

const Kernels<double>* portable_kernels_f64() { return &portable::kKernels; }

}  // namespace tilewise::cpu
