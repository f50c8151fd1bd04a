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

constexpr Kernels<float> make_kernels() {
  Kernels<float> kernels;
  kernels.name = "avx512";
  kernels.lanes = F32::kLanes;
  kernels.best_vectors = 3;
  list_tiles<F32, 1>(kernels, std::make_integer_sequence<int, 14>());
  list_tiles<F32, 2>(kernels, std::make_integer_sequence<int, 12>());
  list_tiles<F32, 3>(kernels, std::make_integer_sequence<int, 8>());
  list_tiles<F32, 4>(kernels, std::make_integer_sequence<int, 6>());
  kernels.dot_rows = 4;
  kernels.dot_columns = 6;
  list_dots<F32, 1>(kernels, std::make_integer_sequence<int, 6>());
  list_dots<F32, 2>(kernels, std::make_integer_sequence<int, 6>());
  list_dots<F32, 3>(kernels, std::make_integer_sequence<int, 6>());
  list_dots<F32, 4>(kernels, std::make_integer_sequence<int, 6>());
  list_streams<F32>(kernels, std::make_integer_sequence<int, 6>());
  kernels.stream_rows = 6;
  kernels.pack = &pack_rows<F32>;
  kernels.transpose = &transpose_block<F32>;
  return kernels;
}

constexpr Kernels<float> kKernels = make_kernels();

}  // namespace
}  // namespace avx512

const Kernels<float>* avx512_kernels_f32() { return &avx512::kKernels; }

}  // namespace tilewise::cpu
