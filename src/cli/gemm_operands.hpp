// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From .npy files to the matrices of one product: what they are multiplied as, and what C will be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/gemm_options.hpp"
#include "core/elements.hpp"
#include "core/npy_map.hpp"

namespace tilewise::cli {

/// A factor: in its file, or converted in memory when the product wants another type.
struct GemmFactor {
  npy::MappedInput file;
  std::vector<std::byte> converted;
  TypedMatrix matrix;  ///< as multiplied: transposed where that was asked for
};

/// The product that was asked for.
struct GemmOperands {
  GemmFactor a, b;
  std::optional<npy::MappedInput> c0_file;
  TypedMatrix c0;   ///< when there is c0_file
  Dtype dtype;      ///< what A and B are multiplied as; s8 stands for any mixture of s8 and u8
  npy::Layout out;  ///< C's, without the dimensions that a vector lacks
  std::int64_t m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;  ///< as the arithmetic of `dtype` takes them
};

/// Opens the files and holds them against each other. Throws Error{kInvalidInput} for a broken file,
/// Error{kInvalidArgument} for shapes and scalars that do not fit, Error{kUnsupported} for types that
/// have no product.
GemmOperands open_operands(const GemmCommand& options);

/// Converts the factors whose files hold another type than the product takes. Throws Error{kOutOfMemory}
/// when there is no room for a copy.
void convert_factors(GemmOperands& operands);

/// C in the memory of `elements`.
TypedMatrix result_matrix(const GemmOperands& operands, void* elements);

}  // namespace tilewise::cli
