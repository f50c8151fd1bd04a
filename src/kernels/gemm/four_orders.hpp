// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For the catalogue: names of a kernel, or its versions, by the orders of A and B: entries[A along k][B along k].
#pragma once

// Of a kernel whose four versions end in _xx, _xk, _kx, _kk.
#define TILEWISE_FOUR_ORDERS(name)                         \
  {                                                        \
    {                                                      \
      {name "_xx", name "_xk"}, { name "_kx", name "_kk" } \
    }                                                      \
  }
// Of a kernel that reads what the launch says.
#define TILEWISE_ANY_ORDER(name)   \
  {                                \
    {                              \
      {name, name}, { name, name } \
    }                              \
  }
