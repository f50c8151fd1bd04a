// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For the catalogue: names of the versions of a kernel.
#pragma once

// entries[A along k][B along k] of a kernel whose four versions end in _xx, _xk, _kx, _kk.
#define TILEWISE_FOUR_ORDERS(name)                         \
  {                                                        \
    {                                                      \
      {name "_xx", name "_xk"}, { name "_kx", name "_kk" } \
    }                                                      \
  }
