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

constexpr Kernels<float> make_kernels() {
  Kernels<float> kernels;
  kernels.name = "portable";
  kernels.lanes = F32::kLanes;
  kernels.best_vectors = 2;
  list_tiles<F32, 1>(kernels, std::make_integer_sequence<int, 8>());
  list_tiles<F32, 2>(kernels, std::make_integer_sequence<int, 4>());
  kernels.dot_rows = 2;
  kernels.dot_columns = 4;
  list_dots<F32, 1>(kernels, std::make_integer_sequence<int, 4>());
  list_dots<F32, 2>(kernels, std::make_integer_sequence<int, 4>());
  list_streams<F32>(kernels, std::make_integer_sequence<int, 3>());
  kernels.stream_rows = 3;
  kernels.pack = &pack_rows<F32>;
  kernels.transpose = &transpose_block<F32>;
  return kernels;
}

constexpr Kernels<float> kKernels = make_kernels();

}  // namespace
}  // namespace portable

const Kernels<float>* portable_kernels_f32() { return &portable::kKernels; }

}  // namespace tilewise::cpu
