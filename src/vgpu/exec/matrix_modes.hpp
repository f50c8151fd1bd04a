// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What Op::mode says to ldmatrix and stmatrix.
#pragma once

#include <cstdint>

namespace tilewise::vgpu {

enum MatrixAccessMode : std::uint8_t {
  kMatrixTransposed = 1,
  kMatrixWideAddress = 2,
  kMatrixGeneric = 4,  ///< addresses are generic ones
};

}  // namespace tilewise::vgpu
