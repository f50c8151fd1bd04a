// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that is loaded RTLD_LOCAL, as Python loads its extension modules: nobody else can see the
// xerbla_ that it has. plugin_host.c loads it.
#include <stdio.h>

#include "names.h"

static int number_of_last_error;

void xerbla_(const char* name, const int32_t* number, size_t length);
void xerbla_(const char* name, const int32_t* number, size_t length) {
  (void)name;
  (void)length;
  number_of_last_error = *number;
}

/// Calls dgemm_ with a wrong k. The number of the argument that was reported to the xerbla_ here, or 0.
int provoke(void);
int provoke(void) {
  const int32_t two = 2, wrong = -2;
  const double one = 1;
  double c[4] = {0};
  dgemm_("N", "N", &two, &two, &wrong, &one, c, &two, c, &two, &one, c, &two);
  return number_of_last_error;
}
