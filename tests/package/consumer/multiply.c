// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <tilewise/tilewise.h>

int main(void) {
  const double a[6] = {1, 2, 3, 4, 5, 6};     // 2x3, row after row
  const double b[6] = {7, 9, 11, 8, 10, 12};  // the transpose of a 3x2 matrix
  double c[4];
  tw_status status = tw_gemm_f64(NULL, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_TRANSPOSE, 2, 2, 3,  //
                                 1.0, a, 3, b, 3, 0.0, c, 2);
  if (status != TW_OK) {
    fprintf(stderr, "%s: %s\n", tw_status_string(status), tw_last_error_message());
    return 1;
  }
  printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
  return 0;
}
